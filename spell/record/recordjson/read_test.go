package recordjson_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/recordjson"
)

// Records are edited by hand, cut off by full disks and written by other
// versions: each must be refused with the place, the value and the remedy.
func TestReadErrors(t *testing.T) {
	good := written(t, recordtest.Unranked())
	tests := []struct {
		name     string
		old, new string // in the good record, the first occurrence
		want     string
	}{
		{"other version", `"spell-lsp/run/v1"`, `"spell-lsp/run/v2"`, `line 2, column 12: schema is "spell-lsp/run/v2", this version reads "spell-lsp/run/v1": use the version of spell-lsp that wrote the record, or measure again`},
		{"other version with other types", `"schema": "spell-lsp/run/v1",`, `"matrix": {}, "schema": "spell-lsp/run/v9",`, `line 2, column 26: schema is "spell-lsp/run/v9"`},
		{"no schema", `"schema"`, `"scheme"`, `line 1, column 1: schema is missing: not a run record, which has the schema "spell-lsp/run/v1"`},
		{"schema of another type", `"schema": "spell-lsp/run/v1"`, `"schema": 1`, `line 2, column 12: schema is missing`},
		{"string for a number", `"n":100`, `"n": "100"`, `matrix[1].n is a JSON string, must be a number`},
		{"fraction for an index", `"c":2`, `"c": 2.5`, `matrix[0].c is a JSON number 2.5, must be a whole number`},
		{"overflow", `"n":100`, `"n": 1e999`, `matrix[1].n is a JSON number 1e999, must be a number that a double can hold`},
		{"object for a list", `"domains": [`, `"domains": {"x": 1}, "was": [`, `meter.domains is a JSON object, must be a list`},
		{"list for an object", `"host": {`, `"host": [1, 2], "was": {`, `host is a JSON array, must be an object`},
		{"list for a number", `"psi": 0`, `"psi": [0]`, `components[0].psi is a JSON array, must be a number`},
		{"text for true or false", `"partial": false`, `"partial": "no"`, `partial is a JSON string, must be true or false`},
		{"no time", `"2026-11-20T18:00:00Z"`, `"yesterday"`, `line 4, column 13: started is not a time, must be like 2026-11-20T18:00:00Z`},
		{"number for a time", `"2026-11-20T18:00:00Z"`, `20261120`, `line 4, column 13: started is not a time`},
		{"note without a code", `"notes": []`, `"notes": [{"args": {}}]`, `notes[0].code is empty, must say what the note is about`},
		{"note with an object", `"notes": []`, `"notes": [{"code": "a", "args": {"b": {}}}]`, `notes has the arguments of a note: "b" must be a string, a number, a note or a list of strings or notes`},
		{"note with what is no note", `"notes": []`, `"notes": [{"code": "a", "args": {"b": [{"args": {}}]}}]`, `notes has the arguments of a note: "b" must be a string, a number, a note or a list of strings or notes`},
		{"note in notes without end", `"notes": []`, `"notes": [` + strings.Repeat(`{"code": "a", "args": {"b": `, 4000) + `""` + strings.Repeat("}}", 4000) + `]`, `notes has the arguments of a note: more than 8 notes are nested in one another`},
		{"note with a list", `"notes": []`, `"notes": [{"code": "a", "args": []}]`, `notes has the arguments of a note: must be an object`},
		{"negative", `"n":100`, `"n": -100`, `matrix[1].n is -100, must be a number from 0`},
		{"negative energy", `"cpu":0.25`, `"cpu": -0.25`, `matrix[1].energy_j.cpu is -0.25, must be a number from 0`},
		{"too large to rank", `"n":100`, `"n": 1e61`, `matrix[1].n is 1e+61, must be at most 1e+60`},
		{"negative rounds", `"rounds": 10,`, `"rounds": -1,`, `rounds is -1`},
		{"more rounds than a run can have", `"rounds": 10,`, `"rounds": 10001,`, `rounds is 10001, must be at most 10000: no run has more`},
		{"matrix twice", `"matrix": [`, `"matrix": [{"t": 0, "c": 0, "n": 7}], "matrix": [`, `column 40: the record has "matrix" a second time, the first one is in line`},
		{"member twice in other letters", `"settings": {`, `"rounds": 3, "Ro\u0075nds": 4, "settings": {`, `the record has "Rounds" a second time`},
		{"less time with callees than without", `"n":100,"time_ms":1`, `"n":100,"time_ms":1,"cum_time_ms":0.5`, `matrix[1].cum_time_ms is 0.5, must be at least the 1 without callees`},
		{"budget on no line", `"outcome": "fail"`, `"budgets": [{"text": "1 J/test", "line": -1}], "outcome": "fail"`, `tests[2].budgets[0].line is -1, must be a number from 0`},
		{"budget of another type", `"hash": `, `"budgets": ["1 J/call"], "hash": `, `must be an object`},
		{"unlisted domain", `"cpu":0.25`, `"gpu": 0.25`, `matrix[1].energy_j.gpu is not one of the domains that meter.domains lists`},
		{"unknown domain", `"dram"`, `"ram"`, `meter.domains[1] is "ram", must be one of cpu, dram, gpu, disk, fans, net`},
		{"domain twice", `"dram"`, `"cpu"`, `meter.domains[1] is "cpu" a second time`},
		{"energy of no meter", `"measured"`, `"none"`, `meter.domains must be empty where meter.source is "none"`},
		{"unknown source", `"measured"`, `"guessed"`, `meter.source is "guessed", must be one of measured, estimated, none`},
		{"unknown outcome", `"outcome": "fail"`, `"outcome": "failed"`, `tests[2].outcome is "failed", must be one of pass, fail, skip, timeout, crash`},
		{"no outcome", `"outcome": "fail",`, ``, `tests[2].outcome is "", must be one of`},
		{"unknown kind", `"kind": "function"`, `"kind": "method"`, `components[0].kind is "method", must be one of package, file, type, function, block`},
		{"unknown granularity", `"granularity": "function"`, `"granularity": "line"`, `granularity is "line"`},
		{"unknown zone", `"zone": ""`, `"zone": "blue"`, `components[0].zone is "blue", must be one of red, yellow, green`},
		{"a file's name that no system has", `"file": "`, `"file": "` + strings.Repeat("a/", 2048), `components[0].file has 4103 bytes, must have at most 4096`},
		{"test twice", `"name": "example.com/park.TestAdd"`, `"name": "example.com/park.TestSort"`, `tests[1].name is "example.com/park.TestSort" like tests[0], must be unique`},
		{"component without id", `"id": "example.com/park.(*Park).Oldest"`, `"id": ""`, `components[1].id is empty`},
		{"interval upside down", `"psi_ci": [
    0,`, `"psi_ci": [
    0.5,`, `components[0].psi_ci has its ends in the wrong order`},
		{"interval negative", `"psi_ci": [
    0,`, `"psi_ci": [
    -1,`, `components[0].psi_ci[0] is -1`},
		{"phi of something else", `"phi": {}`, `"phi": {"gpu": 1}`, `components[0].phi.gpu is not one of the domains`},
		{"phi negative", `"phi": {}`, `"phi": {"n": -1}`, `components[0].phi.n is -1`},
		{"test out of range", `"t":2`, `"t": 4`, `matrix[3].t is 4, must be the index of one of the 4 tests`},
		{"component out of range", `"c":2`, `"c": -1`, `matrix[0].c is -1, must be the index of one of the 3 components`},
		{"cell twice", `"t":2`, `"t": 1`, `matrix[3] is for the test and component of matrix[1], must be one cell`},
		{"not JSON", `"n":100`, `"n": 0x64`, `a run record is JSON: invalid character 'x'`},
		{"two records", "", good, `line 1, column`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(good, test.old) {
				t.Fatalf("the good record has no %s", test.old)
			}
			bad := strings.Replace(good, test.old, test.new, 1)
			if test.name == "two records" {
				bad = "{}" + good
			}
			_, err := recordjson.Read(strings.NewReader(bad))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got  %v\nwant %s", err, test.want)
			}
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("no line in %v", err)
			}
		})
	}
}

// What was added later is checked like the rest.
func TestReadErrorsOfWhole(t *testing.T) {
	r := recordtest.Complete()
	ranking.Analyze(r, spell.Options{}, false)
	good := written(t, r)
	for _, test := range []struct{ name, old, new, want string }{
		{"negative period", `"period_ms": 2`, `"period_ms": -2`, `period_ms is -2, must be a number from 0`},
		{"unknown calmness", `"verdict": "calm"`, `"verdict": "serene"`, `calmness.verdict is "serene", must be one of calm, disturbed, undecided`},
		{"calmness of less than no round", `"rounds": 5`, `"rounds": -5`, `calmness.rounds is -5, must be a number from 0`},
		{"unknown calmness at another period", `"verdict": "disturbed"`, `"verdict": ""`, `calmness.other_periods[0].verdict is "", must be one of calm, disturbed, undecided`},
		{"another period below 0", `"period_ms": 1,`, `"period_ms": -1,`, `calmness.other_periods[0].period_ms is -1, must be a number from 0`},
		{"unknown quality", `"degraded"`, `"poor"`, `meter.quality is "poor", must be one of degraded`},
		{"gap negative", `"gap_p99_ms": 6.5`, `"gap_p99_ms": -6.5`, `meter.gap_p99_ms is -6.5, must be a number from 0`},
		{"sampler negative", `"sampler_cpu": 0.03`, `"sampler_cpu": -1`, `meter.sampler_cpu is -1`},
		{"timing negative", `"timing_ms": 0.25`, `"timing_ms": -1`, `meter.timing_ms is -1`},
		{"seed too large", `"seed": 4294967295`, `"seed": 4294967296`, `seed is a JSON number 4294967296, must be a whole number from 0 to 4294967295`},
		{"seed negative", `"seed": 4294967295`, `"seed": -1`, `seed is a JSON number -1, must be a whole number from 0 to 4294967295`},
		{"half a repeat", `"repeats": 12.5`, `"repeats": 0.5`, `tests[0].repeats is 0.5, must be at least 1`},
		{"exit code of no program", `"exit_code": 137`, `"exit_code": 256`, `tests[2].exit_code is 256, must be from 0 to 255`},
		{"negative repeats", `"repeats": 12.5`, `"repeats": -2`, `tests[0].repeats is -2`},
		{"warm-up dropped", `"round": 3`, `"round": 0`, `dropped[0].round is 0, must be the number of a round, from 1`},
		{"dropped for nothing", `"steal 2.5 %"`, `""`, `dropped[0].cause is empty, must say why the round was left out`},
		{"dropped twice as many", `"dropped_rounds": 1`, `"dropped_rounds": 2`, `dropped_rounds is 2, but dropped has 1 rounds`},
		{"rank upside down", `"rank_ci": [
    1,`, `"rank_ci": [
    3,`, `components[0].rank_ci has its ends in the wrong order`},
		{"energy upside down", `"cpu": [
     4.5,
     5
    ],
    "dram"`, `"cpu": [
     6,
     5
    ],
    "dram"`, `components[0].energy_ci_j.cpu has its ends in the wrong order`},
		{"energy of another domain", `"energy_ci_j": {
    "cpu"`, `"energy_ci_j": {
    "gpu"`, `components[0].energy_ci_j.gpu is not one of the domains`},
		{"rounds of another domain", `"round_energy_j": {
    "cpu"`, `"round_energy_j": {
    "gpu"`, `tests[0].round_energy_j.gpu is not one of the domains`},
		{"a round is missing", `"round_time_ms": [
    36,`, `"round_time_ms": [`, `components[0].round_time_ms has 1 values, must have one for each of the 2 rounds`},
		{"a round of less than nothing", `"round_time_ms": [
    36,`, `"round_time_ms": [
    -36,`, `components[0].round_time_ms[0] is -36`},
		{"a round of a test is missing", `"round_time_ms": [
    41,`, `"round_time_ms": [`, `tests[0].round_time_ms has 1 values, must have one for each of the 2 rounds`},
		{"cumulative of another domain", `"cum_energy_j":{"cpu"`, `"cum_energy_j":{"gpu"`, `matrix[0].cum_energy_j.gpu is not one of the domains`},
		{"cumulative time negative", `"cum_time_ms":31`, `"cum_time_ms":-31`, `matrix[0].cum_time_ms is -31`},
		{"cumulative energy negative", `"cum_energy_j":{"cpu":4.5`, `"cum_energy_j":{"cpu":-4.5`, `matrix[0].cum_energy_j.cpu is -4.5`},
		{"less energy with callees than without", `"cum_energy_j":{"cpu":4.5`, `"cum_energy_j":{"cpu":3.5`, `matrix[0].cum_energy_j.cpu is 3.5, must be at least the 4 without callees`},
		{"no time with callees", `"cum_time_ms":31,`, ``, `matrix[0].cum_time_ms is 0, must be at least the 30 without callees`},
		{"no energy with callees in one cell", `,"cum_energy_j":{"cpu":0.25,"dram":0}`, ``, `matrix[1].cum_energy_j is missing, which other cells have`},
		{"part of less than no energy", `"energy_j": {
      "cpu": 0.5,
      "dram": 0.5`, `"energy_j": {
      "cpu": -0.5,
      "dram": 0.5`, `tests[0].unattributed.idle machine.energy_j.cpu is -0.5`},
		{"part of another domain", `"energy_j": {
      "cpu": 0.5,
      "dram": 0.5`, `"energy_j": {
      "gpu": 0.5,
      "dram": 0.5`, `tests[0].unattributed.idle machine.energy_j.gpu is not one of the domains`},
		{"callee of an unknown kind", `"kind": "assembly"`, `"kind": "magic"`, `components[0].unmeasured_callees[0].kind is "magic", must be one of assembly, runtime, standard-library, module, no-probe`},
		{"callee without a name", `"name": "runtime.growslice"`, `"name": ""`, `components[0].unmeasured_callees[1].name is empty`},
		{"callee listed twice", `"name": "runtime.growslice"`, `"name": "example.com/park.compare"`, `components[0].unmeasured_callees[1].name is "example.com/park.compare" a second time`},
		{"callee of less than no time", `"time_ms": 9.25`, `"time_ms": -9.25`, `components[0].unmeasured_callees[1].time_ms is -9.25`},
		{"callee of another domain", `"cpu": 1.1875`, `"gpu": 1.1875`, `components[0].unmeasured_callees[1].energy_j.gpu is not one of the domains`},
		{"more time in callees than in all", `"time_ms": 9.25`, `"time_ms": 18.75`, `components[0].unmeasured_callees have 37.25 ms in all, must have at most the component's time_ms, 37`},
		{"line of another function", `"line": 16,`, `"line": 18,`, `components[0].lines[1].line is 18, must be from 14 to 17, where its component is`},
		{"line listed twice", `"line": 16,`, `"line": 15,`, `components[0].lines[1].line is 15 a second time`},
		{"line of less than no time", `"time_ms": 6.5`, `"time_ms": -6.5`, `components[0].lines[1].time_ms is -6.5`},
		{"line without time", `"time_ms": 6.5`, `"time_ms": 0`, `components[0].lines[1].time_ms is 0, must be the time`},
		{"more energy in lines than in all", `"cpu": 0.8125`, `"cpu": 1.625`, `components[0].lines have 4.875 J of cpu in all, must have at most the component's 4.75 J`},
		{"line of another domain", `"cpu": 0.8125`, `"gpu": 0.8125`, `components[0].lines[1].energy_j.gpu is not one of the domains`},
		{"more time in lines than in all", `"time_ms": 6.5`, `"time_ms": 11.5`, `components[0].lines have 37.5 ms in all, must have at most the component's time_ms, 37`},
		{"more time in what a line called than in it", `"time_ms": 13,`, `"time_ms": 26.5,`, `components[0].lines[0].unmeasured_callees have 26.5 ms in all, must have at most the line's time_ms, 26`},
		{"part of less than no time", `"time_ms": 2,`, `"time_ms": -2,`, `tests[0].unattributed.energy sampler.time_ms is -2`},
		{"counter beside the domains twice", `"psys",
   "package-0"`, `"psys",
   "psys"`, `meter.separate[1] is "psys" a second time`},
		{"a domain beside the domains", `"package-0"
  ]`, `"dram"
  ]`, `meter.separate[1] is "dram", which is not the name of a counter beside the domains`},
		{"a counter without a name", `"package-0"
  ]`, `""
  ]`, `meter.separate[1] is ""`},
		{"energy of a counter that is not listed", `"package-0": 3`, `"package-1": 3`, `tests[0].separate_j has "package-1", which is not in meter.separate`},
		{"less than no energy of a counter", `"psys": 17.5`, `"psys": -17.5`, `tests[0].separate_j.psys is -17.5`},
		{"group of functions", `"kind": "label",
   "id": "not sampled"`, `"kind": "function",
   "id": "not sampled"`, `groups[1].kind is "function", must be one of goroutine, label`},
		{"group twice", `"id": "test goroutine"`, `"id": "not sampled"`, `groups[3].id is "not sampled" like groups[0], must be unique`},
		{"group in no line", `"line": 31`, `"line": -31`, `groups[2].line is -31`},
		{"time in no group", `"g": 4,`, `"g": 5,`, `components[0].group_time[2].g is 5, must be the index of one of the 5 groups`},
		{"time in a group in no test", `"t": 0,
     "g": 4,`, `"t": 9,
     "g": 4,`, `components[0].group_time[2].t is 9, must be the index of one of the`},
		{"less than no time in a group", `"time_ms": 24`, `"time_ms": -24`, `components[0].group_time[0].time_ms is -24`},
		{"a function of a group without a name", `"id": "example.com/park.(*Park).Sort",
     "time_ms": 24`, `"id": "",
     "time_ms": 24`, `components[0].functions[0].id is empty, must be a name`},
		{"functions with more than a group's time", `"time_ms": 12.5`, `"time_ms": 13.5`, `components[0].functions`},
		{"size without a name", `"size": "len(cars)"`, `"size": ""`, `components[0].sized_calls[0].size is empty, must be a name`},
		{"sizes that overlap", `"low": 96`, `"low": 10`, `components[0].sized_calls[0].buckets[1].low is 10, must be more than the high of the one before`},
		{"sizes that end before they begin", `"high": 103`, `"high": 95`, `components[0].sized_calls[0].buckets[1].high is 95, must be at least low, 96`},
		{"a mean of no size", `"mean": 100`, `"mean": 104`, `components[0].sized_calls[0].buckets[1].mean is 104, must be from low to high`},
		{"sizes of no calls", `"mean": 100,
       "n": 1`, `"mean": 100,
       "n": 0`, `components[0].sized_calls[0].buckets[1].n is 0, must be the number of calls`},
		{"less time of a size with callees than without", `"cum_time_ms": 40`, `"cum_time_ms": 33`, `components[0].sized_calls[0].buckets[1].cum_time_ms is 33, must be at least time_ms, 34`},
		{"less than no time of a size", `"time_ms": 34`, `"time_ms": -34`, `components[0].sized_calls[0].buckets[1].time_ms is -34`},
		{"energy of a size in another domain", `"cpu": 4.25`, `"gpu": 4.25`, `components[0].sized_calls[0].buckets[1].energy_j.gpu is not one of the domains`},
		{"called by one that is none", `{"p":0,`, `{"p":2,`, `call_tree[1].p is 2, must be the index of a node before it, or -1`},
		{"called by itself", `{"p":0,`, `{"p":1,`, `call_tree[1].p is 1, must be the index of a node before it, or -1`},
		{"called by less than none", `{"p":-1,`, `{"p":-2,`, `call_tree[0].p is -2, must be`},
		{"call of what is no component", `{"p":0,"c":0`, `{"p":0,"c":3`, `call_tree[1].c is 3, must be the index of one of the 3 components`},
		{"call of less than no time", `"time_ms":37,"p`, `"time_ms":-37,"p`, `call_tree[1].time_ms is -37`},
		{"call of endless time", `"time_ms":37,"p`, `"time_ms":1e300,"p`, `call_tree[1].time_ms is 1e+300, must be at most`},
		{"caller is both known and unknown", `"time_ms":37,"p`, `"time_ms":37,"cut":true,"p`, `call_tree[1].cut is true of a node that has a caller`},
		{"power below nothing", `"power":1.25`, `"power":-1.25`, `call_tree[1].power is -1.25`},
		{"interval of a power that ends before it begins", `"power_ci":[1.125,1.375]`, `"power_ci":[1.375,1.125]`, `call_tree[1].power_ci is 1.375 to 1.125, must not end below its start`},
		{"unknown reason for sharing by time", `"power":1.25`, `"by_time":"luck"`, `call_tree[1].by_time is "luck", must be alike, interleaved or few`},
		{"a power, and a reason for none", `"power":1.25`, `"power":1.25,"by_time":"alike"`, `call_tree[1].by_time is "alike" beside a power`},
		{"unknown oracle", `"oracle": "sum-of-products"`, `"oracle": "delphi"`, `analysis.oracle is "delphi", must be one of sum-of-products, product-of-sums`},
		{"unknown rule", `"rule": "pareto"`, `"rule": "best"`, `analysis.zones.rule is "best", must be one of pareto, absolute`},
		{"a correlation above 1", `"localization": {`, `"structure_and_energy": [{"of": "complexity", "components": 42, "spearman": 1.5, "spearman_ci": [0, 1], "pearson": 0}], "localization": {`, `structure_and_energy[0].spearman is 1.5, must be from -1 to 1`},
		{"a negative complexity", `"complexity": 4`, `"complexity": -4`, `complexity is -4`},
		{"density negative", `"density": 0.`, `"density": -0.`, `localization.density is -0.`},
		{"weight negative", `"cpu": 0.34`, `"cpu": -1`, `analysis.weights.cpu is -1`},
		{"energy of a round is text", `"round_energy_j": {
    "cpu": [
     4.5,`, `"round_energy_j": {
    "cpu": [
     "4.5",`, `components[0].round_energy_j.cpu[0] is a JSON string, must be a number`},
	} {
		t.Run(test.name, func(t *testing.T) {
			bad := strings.Replace(good, test.old, test.new, 1)
			if bad == good {
				t.Fatalf("the good record has no %s:\n%s", test.old, good)
			}
			_, err := recordjson.Read(strings.NewReader(bad))
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("got  %v\nwant line ..., %s", err, test.want)
			}
		})
	}
}

// What goes wrong far down in a text must be found in about the time that reading
// takes, or a file of a few hundred KB keeps the command busy for minutes: that
// was so where what no run has is nested deeply.
func TestReadErrorsBelowDeepNesting(t *testing.T) {
	const depth, many = 9000, 100_000
	deep := strings.Repeat(`{"a":[`, depth/2) + strings.Repeat("0,", many) + "0" + strings.Repeat("]}", depth/2)
	good := written(t, recordtest.Unranked())
	for _, test := range []struct{ old, new, want string }{
		{`"mode": "instrument"`, `"mode": "instrument", "x": ` + deep + `, "rounds": -1`, `rounds is -1`},
		{`"mode": "instrument"`, `"mode": "instrument", "x": ` + deep + `, "tests": 3`, `tests is a JSON number, must be a list`},
	} {
		bad := strings.Replace(strings.Replace(good, `"rounds": 10,`, "", 1), test.old, test.new, 1)
		bad = strings.Replace(bad, `"tests": [`, `"x2": [`, 1)
		if _, err := recordjson.Read(strings.NewReader(bad)); err == nil || !strings.HasSuffix(err.Error(), test.want) && !strings.Contains(err.Error(), test.want+", ") {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// A record may say a thing twice within other things, and a name more than once as
// a text: only members of the record itself would be put together.
func TestReadNotTwice(t *testing.T) {
	text := strings.Replace(written(t, recordtest.Unranked()), `"settings": {`, `"\\": ["tests", "tests\"", "\\"], "x": {"tests": 1, "y": 2, "y": [{"tests": 1}]}, "settings": {`, 1)
	if _, err := recordjson.Read(strings.NewReader(text)); err != nil {
		t.Error(err)
	}
}

// Without energy, a time that is 0 is left out of a cell: it must not take those of
// all others with it.
func TestReadCumulativeTimesWithoutEnergy(t *testing.T) {
	r := recordtest.Unranked()
	r.Meter = record.Meter{Name: "none", Source: record.NoEnergy}
	for i := range r.Tests {
		r.Tests[i].EnergyJ, r.Tests[i].UnattributedJ = nil, nil
	}
	r.Matrix = record.MatrixOf(nil,
		record.Cell{T: 0, C: 0, N: 1, TimeMS: 3, CumTimeMS: 5},
		record.Cell{T: 0, C: 1, N: 1})
	again, err := recordjson.Read(strings.NewReader(written(t, r)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{5, 0}, again.Matrix.CumTimeMS); diff != "" {
		t.Errorf("times with callees (-want +got):\n%s", diff)
	}
	unknown := record.MatrixOf(nil, record.Cell{TimeMS: 3}, record.Cell{C: 1})
	if unknown.CumTimeMS != nil {
		t.Errorf("times with callees are %v, want none: no cell has one", unknown.CumTimeMS)
	}
}

func TestReadNoRecord(t *testing.T) {
	good := written(t, recordtest.Unranked())
	for name, test := range map[string]struct{ data, want string }{
		"empty":       {"", "the run record is empty: measure again"},
		"blank":       {" \n", "the run record is empty: measure again"},
		"cut off":     {good[:len(good)/2], "the run record ends too early, it was cut off"},
		"list":        {"[]", "line 1, column 1: schema is missing: not a run record"},
		"null":        {"null", "line 1, column 1: schema is missing: not a run record"},
		"matrix file": {"test,component,n\nt1,c1,1\n", "line 1, column 2: a run record is JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := recordjson.Read(strings.NewReader(test.data))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
	_, err := recordjson.Read(iotest.ErrReader(bytes.ErrTooLarge))
	if err == nil || !strings.Contains(err.Error(), "reading a run record: ") {
		t.Errorf("a reader that fails: %v", err)
	}
}

// Some editors put a byte order mark before UTF-8.
func TestReadByteOrderMark(t *testing.T) {
	if _, err := recordjson.Read(strings.NewReader("\ufeff" + written(t, recordtest.Unranked()))); err != nil {
		t.Error(err)
	}
}

// Whatever Read accepts can be analysed, written and read again, and no number
// in it becomes NaN or infinite.
func FuzzRead(f *testing.F) {
	f.Add([]byte(written(f, recordtest.Unranked())))
	f.Add([]byte(written(f, recordtest.Complete())))
	f.Add([]byte(`{"schema": "spell-lsp/run/v1", "granularity": "function", "meter": {"source": "none"}}`))
	f.Add([]byte(`{"schema": "spell-lsp/run/v1", "tests": [{"name": {"a": [[1]]}}]}`))
	f.Add([]byte(`{"schema": "spell-lsp/run/v1", "matrix": [[1, 2], 3`))
	f.Add([]byte(`{"schema": "spell-lsp/run/v1", "\\": "\\\"", "matrix": [], "Matrix": []}`))
	f.Add([]byte("\ufeff{}\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := recordjson.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, includeFailed := range []bool{false, true} {
			m := r.SpellMatrix(includeFailed)
			if err := m.Validate(); err != nil {
				t.Fatalf("the matrix of an accepted record: %v", err)
			}
			ranking.Analyze(r, spell.Options{}, includeFailed)
		}
		if v := r.Imbalance(); math.IsNaN(v) {
			t.Error("imbalance is NaN")
		}
		for c := range min(3, len(r.Components)) {
			for _, e := range append(calltree.Of(r).Callers(c), calltree.Of(r).Callees(c)...) {
				if math.IsNaN(e.EnergyJ + e.TimeMS) {
					t.Errorf("component %d has the edge %+v", c, e)
				}
			}
		}
		first := written(t, r)
		again, err := recordjson.Read(strings.NewReader(first))
		if err != nil {
			t.Fatalf("reading what was written: %v\n%s", err, first)
		}
		if second := written(t, again); second != first {
			t.Errorf("written differently the second time:\n%s\n%s", first, second)
		}
	})
}
