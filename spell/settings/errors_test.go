package settings_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/settings"
)

// Every bad value must be found where it stands, in both forms: %s is the
// place and path of the value, the rest of the message is the same.
func TestBadValues(t *testing.T) {
	for _, test := range []struct {
		key, value string // as JSON, which is also YAML
		want       string
	}{
		{"meter", `"rapll"`, "is \"rapll\", must be one of auto, rapl, perf, gpu, hwmon, battery, model, disk, net, none, or several joined by commas; did you mean rapl?"},
		{"meter", `"rapl,gpuu"`, `is "rapl,gpuu", must be one of auto, rapl, perf, gpu, hwmon, battery, model, disk, net, none, or several joined by commas; did you mean gpu?`},
		{"meter", `"rapl,"`, `is "rapl,", must be one of auto`},
		{"meter", `"rapl, gpu"`, `is "rapl, gpu", must be one of auto`},
		{"meter", `""`, `is "", must be one of auto`},
		{"meter", `true`, `is true, must be one of auto`},
		{"powercapRoot", `"sys"`, `is "sys", must be an absolute path, or empty: it is relative`},
		{"rounds", `0`, `is 0, must be auto, or a whole number from 1 to 1000`},
		{"rounds", `1001`, `is 1001, must be auto, or a whole number from 1 to 1000`},
		{"rounds", `2.5`, `is 2.5, must be auto`},
		{"rounds", `"many"`, `is "many", must be auto`},
		{"rounds", `"5"`, `is "5", must be auto`},
		{"rounds", `1e99`, `is 1e99, must be auto`},
		{"warmup", `-1`, `is -1, must be a whole number from 0 to 100`},
		{"warmup", `101`, `is 101, must be a whole number from 0 to 100`},
		{"drop", `-1`, `is -1, must be a whole number from 0 to 100`},
		{"drop", `101`, `is 101, must be a whole number from 0 to 100`},
		{"drop", `1.5`, `is 1.5, must be a whole number from 0 to 100`},
		{"drop", `"one"`, `is "one", must be a whole number from 0 to 100`},
		{"drop", `12`, `is 12, must be less than the 12 of rounds: no round would be left`},
		{"rounds", `3`, `is 3, must be more than the 3 of drop: no round would be left`},
		{"seed", `-1`, `is -1, must be a whole number from 0 to 4294967295`},
		{"seed", `4294967296`, `is 4294967296, must be a whole number from 0 to 4294967295`},
		{"seed", `0.5`, `is 0.5, must be a whole number from 0 to 4294967295`},
		{"seed", `"dice"`, `is "dice", must be a whole number from 0 to 4294967295`},
		{"timeout", `10`, `is 10, must be a time above 0 with its unit, like 90s, 10m or 1h30m`},
		{"timeout", `"10"`, `is "10", must be a time above 0`},
		{"timeout", `"-1s"`, `is "-1s", must be a time above 0`},
		{"timeout", `"0s"`, `is "0s", must be a time above 0`},
		{"for", `2`, `is 2, must be a time above 0 with its unit, like 90s, 10m or 1h30m, or empty`},
		{"for", `"-2m"`, `is "-2m", must be a time above 0`},
		{"for", `"0s"`, `is "0s", must be a time above 0`},
		{"for", `"soon"`, `is "soon", must be a time above 0`},
		{"exclude", `"*.go"`, `is "*.go", must be a list of globs and IDs`},
		{"exclude[0]", `["[a"]`, `"[a": not a glob: syntax error in pattern`},
		{"exclude[1]", `["a", ""]`, `"": an empty glob matches nothing`},
		{"exclude[0]", `[1]`, `is 1, must be text in quotes`},
		{"tags[0]", `["a,b"]`, `"a,b": ',' cannot be in a build tag; give each tag as an item of its own`},
		{"tags[0]", `[""]`, `"": a build tag is not empty`},
		{"run", `"Test("`, `is "Test(", must be a regular expression: missing closing )`},
		{"run", `["TestA"]`, `is a list, must be a regular expression`},
		{"scenarios", `"./cmd/server"`, `is "./cmd/server", must be a group of scenarios by name, each a group of exec, ready, load, for and stop`},
		{"scenarios", `["./cmd/server"]`, `is a list, must be a group of scenarios by name`},
		{"scenarios.serve", `{"serve": "./cmd/server"}`, `is "./cmd/server", must be a group of exec, ready, load, for and stop`},
		{"scenarios.serve", `{"serve": {}}`, `has no exec: it names the main package and its arguments, such as ./cmd/server -addr :0`},
		{"scenarios.serve", `{"serve": {"exec": ""}}`, `has no exec`},
		{"scenarios.serve", `{"serve": {"ready": "8080"}}`, `has no exec`},
		{"scenarios.all", `{"all": {"exec": "."}}`, `is no name of a scenario: it must have letters, digits, - and _, begin with a letter, and not be all`},
		{"scenarios.2nd", `{"2nd": {"exec": "."}}`, `is no name of a scenario`},
		{`scenarios."my server"`, `{"my server": {"exec": "."}}`, `is no name of a scenario`},
		{"scenarios.serve.exec", `{"serve": {"exec": ["./cmd/server", "-v"]}}`, `is a list, must be a text`},
		{"scenarios.serve.exec", `{"serve": {"exec": 1}}`, `is 1, must be a text`},
		{"scenarios.serve.ready", `{"serve": {"exec": ".", "ready": true}}`, `is true, must be a text`},
		{"scenarios.serve.load", `{"serve": {"exec": ".", "load": null}}`, `is empty, must be a text`},
		{"scenarios.serve.for", `{"serve": {"exec": ".", "for": 30}}`, `is 30, must be a text`},
		{"scenarios.serve.for", `{"serve": {"exec": ".", "for": "30"}}`, `is "30", must be a duration above 0, such as 30s`},
		{"scenarios.serve.for", `{"serve": {"exec": ".", "for": "-1s"}}`, `is "-1s", must be a duration above 0`},
		{"scenarios.serve.stop", `{"serve": {"exec": ".", "stop": 15}}`, `is 15, must be a text`},
		{"scenarios.serve.laod", `{"serve": {"exec": ".", "laod": "x"}}`, `is not a setting; did you mean load? (there are exec, ready, load, for, stop)`},
		{"mode", `"sampled"`, `is "sampled", must be one of instrument, sample, auto; did you mean sample?`},
		{"library", `"callers"`, `is "callers", must be caller, exact, or depth=K with K from 1 to 16`},
		{"library", `"depth=0"`, `is "depth=0", must be caller, exact`},
		{"library", `""`, `is "", must be caller, exact`},
		{"library", `3`, `is 3, must be caller, exact`},
		{"granularity", `"block"`, `is "block", must be one of package, file, type, function`},
		{"granularity", `"files"`, `is "files", must be one of package, file, type, function, goroutine, label; did you mean file?`},
		{"oracle", `"sum"`, `is "sum", must be one of sum-of-products, product-of-sums`},
		{"weights", `[1]`, `is a list, must be a group of the keys cpu, dram, gpu, disk, fans, net`},
		{"weights.cpu", `{"cpu": -1}`, `is -1, must be a number from 0 to 1000000`},
		{"weights.cpu", `{"cpu": "much"}`, `is "much", must be a number`},
		{"weights.cpu", `{"cpu": 1e7}`, `is 1e7, must be a number from 0 to 1000000`},
		{"weights.ram", `{"ram": 1}`, `is not a setting; did you mean dram? (there are cpu, dram, gpu, disk, fans, net)`},
		{"includeFailed", `"yes"`, `is "yes", must be true or false`},
		{"includeFailed", `1`, `is 1, must be true or false`},
		{"top", `-2`, `is -2, must be a whole number from -1 to 1000000`},
		{"zones.red", `{"red": 1.5}`, `is 1.5, must be a number from 0 to 1`},
		{"zones.rd", `{"rd": 0.5}`, `is not a setting; did you mean red? (there are rule, red, yellow, floor, keep, redFrom, yellowFrom)`},
		{"zones", `{"redFrom": 0.1, "yellowFrom": 0.3}`, `has redFrom 0.1 below yellowFrom 0.3, must have redFrom no lower than yellowFrom`},
		{"zones.rule", `{"rule": "parato"}`, `is "parato", must be one of pareto, absolute; did you mean pareto?`},
		{"zones", `{"red": 0.9, "yellow": 0.5}`, `has red 0.9 above yellow 0.5, must have red no higher than yellow`},
		{"severity.red", `{"red": "fatal"}`, `is "fatal", must be one of error, warning, information, hint, off`},
		{"severity.red", `{"red": "Error"}`, `is "Error", must be one of error, warning, information, hint, off; did you mean error?`},
		{"severity.red", `{"red": {}}`, `is a group of keys, must be one of`},
		{"lenses", `"on"`, `is "on", must be true or false`},
		{"footprint.currency", `{"currency": "a b"}`, `is "a b", must be a name of at most 10 letters, or empty: ' ' is neither a letter nor a sign of a currency`},
		{"footprint.currency", `{"currency": "DoubloonsOld"}`, `is "DoubloonsOld", must be a name of at most 10 letters, or empty: it is longer`},
		{"baseline", `"-x"`, `is "-x", must be the name of a run or of a file: a name has only characters that are printed, and does not begin with -`},
		{"baseline", `3`, `is 3, must be the name of a run or of a file`},
		{"footprint.carbon", `{"carbon": -1}`, `is -1, must be a number from 0 to 10000`},
		{"round", `5`, `is not a setting; did you mean rounds? (there are meter, powercapRoot, rounds, for, warmup, drop, seed, timeout, exclude, tags, run, scenarios, mode, library, power, calmness, machine, granularity, order, oracle, weights, baseline, includeFailed, top, zones, footprint, severity, growth, lenses, inlayHints, advice)`},
		{"include-failed", `true`, `is not a setting; did you mean includeFailed?`},
		{"trusted", `true`, `is not a setting (there are meter`},
		{"zones.red", `0.5`, `is not a setting here: put red into the group zones`},
		{`"new\nline"`, `1`, `is not a setting (there are`},
	} {
		t.Run(test.key+" "+test.value, func(t *testing.T) {
			key, _, _ := strings.Cut(test.key, "[")
			if strings.HasPrefix(test.value, "{") {
				key, _, _ = strings.Cut(key, ".")
			}
			document := `{"` + strings.Trim(key, `"`) + `": ` + test.value + `}`
			got, err := settings.ParseJSON([]byte(document), complete)
			if want := "spell." + test.key + " " + test.want; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("JSON: got  %v\nwant %s", err, want)
			}
			if diff := cmp.Diff(complete, got); diff != "" {
				t.Errorf("JSON: the settings are not those below (-want +got):\n%s", diff)
			}
			got, err = settings.ParseYAML([]byte("\n"+document), "dir/f.yaml", complete)
			if err == nil || !strings.HasPrefix(err.Error(), "dir/f.yaml:2:") || !strings.Contains(err.Error(), ": "+test.key+" "+test.want) {
				t.Errorf("YAML: got  %v\nwant dir/f.yaml:2:...: %s %s", err, test.key, test.want)
			}
			if diff := cmp.Diff(complete, got); diff != "" {
				t.Errorf("YAML: the settings are not those below (-want +got):\n%s", diff)
			}
		})
	}
}

// A file with five mistakes is mended once, not five times.
func TestAllProblemsAtOnce(t *testing.T) {
	_, err := settings.ParseYAML([]byte(`meter: model
roundz: 3
zones:
  red: 2
  rot: 1
tags: [fine, not fine]
top: 5
top: 6
`), ".spell-lsp.yaml", settings.Default())
	want := `.spell-lsp.yaml:2:1: roundz is not a setting; did you mean rounds? (there are meter, powercapRoot, rounds, for, warmup, drop, seed, timeout, exclude, tags, run, scenarios, mode, library, power, calmness, machine, granularity, order, oracle, weights, baseline, includeFailed, top, zones, footprint, severity, growth, lenses, inlayHints, advice)
.spell-lsp.yaml:4:8: zones.red is 2, must be a number from 0 to 1
.spell-lsp.yaml:5:3: zones.rot is not a setting; did you mean red? (there are rule, red, yellow, floor, keep, redFrom, yellowFrom)
.spell-lsp.yaml:6:14: tags[1] "not fine": ' ' cannot be in a build tag; give each tag as an item of its own
.spell-lsp.yaml:8:1: top is there twice, remove one`
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	_, err = settings.ParseJSON([]byte(`{"top": "x", "roundz": 3, "weights": {"cpu": -1}}`), settings.Default())
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("JSON: want three lines, got %v", err)
	}
}

func TestNotYAML(t *testing.T) {
	for name, test := range map[string]struct{ yaml, want string }{
		"syntax":                 {"top: 1\nzones: {red: 1\n", "f:2: not YAML: did not find expected ',' or '}'"},
		"not closed before more": {"tags: [a,\n b]\nzones: {red: 1\n\ntop: 1\n", "f:3: not YAML: "},
		"indentation":            {"top: 1\nzones:\n  red: 1\n yellow: 1\n", "f:4: not YAML: "},
		"first line":             {"top: [\n", "f:1: not YAML: "},
		"far up":                 {"top: [\n" + strings.Repeat("#\n", 2000), "f:1: not YAML: "},
		"tab":                    {"zones:\n\tred: 1\n", "f:2: not YAML: "},
		"not UTF-8":              {"meter: \xff\n", "f:1: not YAML: "},
		"list":                   {"- meter\n", "f:1:1: the file is a list, must be a group of the keys meter, powercapRoot"},
		"text":                   {"meter\n", `f:1:1: the file is "meter", must be a group`},
		"two documents":          {"top: 1\n---\ntop: 2\n", "f:2:1: a second document begins, must be one"},
		"bad second one":         {"top: 1\n---\n{\n", "f:3: not YAML: "},
		"alias":                  {"tags: &t [a]\nexclude: *t\n", `f:2:10: exclude is an alias "*t", must be a list`},
		"merge":                  {"<<: {top: 1}\n", `f:1:1: "<<" is not a setting`},
		"tag":                    {"top: !big 1\n", `f:1:6: top is a value with the tag "!big", must be a whole number`},
		"key that is none":       {"[a]: 1\n", `f:1:1: "?" is not a setting`},
		"infinite":               {"weights: {cpu: .inf}\n", "f:1:16: weights.cpu is .inf, must be a number"},
		"not a number":           {"weights: {cpu: .nan}\n", "f:1:16: weights.cpu is .nan, must be a number"},
		"deep":                   {"zones: " + strings.Repeat("[", 50) + strings.Repeat("]", 50), "f:1:8: zones is a list, must be a group"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := settings.ParseYAML([]byte(test.yaml), "f", settings.Default())
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestNotJSON(t *testing.T) {
	for name, test := range map[string]struct{ json, want string }{
		"syntax":  {`{"top": 01}`, "the settings spell are not JSON: "},
		"cut off": {`{"top": 1`, "the settings spell are not JSON: unexpected EOF"},
		"more":    {`{} {}`, "the settings spell are not JSON: there is more after their end at byte "},
		"list":    {`["top"]`, "spell is a list, must be a group of the keys meter, "},
		"text":    {`"top"`, `spell is "top", must be a group`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := settings.ParseJSON([]byte(test.json), settings.Default())
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// A mistake must be found without reading the file once for each of its lines:
// whoever opens a folder must not wait for seconds.
func TestMistakeInLongFile(t *testing.T) {
	item := "  - some/folder\n"
	open := "exclude:\n" + strings.Repeat(item, 99) + "tags: [\n" + strings.Repeat("a,\n", 3000)
	if _, err := settings.ParseYAML([]byte(open), "f", settings.Default()); err == nil || !strings.HasPrefix(err.Error(), "f:101: not YAML: ") {
		t.Errorf("a list that is never closed: %v", err)
	}
	parse := func(text string) func() {
		return func() { _, _ = settings.ParseYAML([]byte(text), "f", settings.Default()) }
	}
	good, bad := testing.AllocsPerRun(1, parse(open+"]\n")), testing.AllocsPerRun(1, parse(open))
	if bad > 50*good {
		t.Errorf("reading it allocates %v times, with the mistake mended %v", bad, good)
	}
	huge := "tags: [\n" + strings.Repeat("a,\n", 100_000)
	if _, err := settings.ParseYAML([]byte(huge), "f", settings.Default()); err == nil || !strings.HasPrefix(err.Error(), "f: not YAML: ") {
		t.Errorf("in a file that is too long: %v", err)
	}
}
