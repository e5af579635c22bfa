package wording

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/note"
)

func TestText(t *testing.T) {
	editor := Editor("the baseline")
	for _, test := range []struct{ got, want string }{
		{Text(note.NoTestCounts()), "no test or program counts: there is nothing to rank"},
		{Text(note.Suspended(2500)), "suspend: the machine slept for 2.50 s"},
		{Text(note.Stolen(0.0213)), "steal: the host took 2.1 % of the processors' time"},
		{Text(note.Costliest(3)), "costliest: --drop 3"},
		{editor.Text(note.Costliest(3)), "costliest: the setting spell.drop at 3"},
		{Text(note.EnergyByTestOnly([]string{"disk", "net"}, "function", "as bytes are not counted by function")),
			"The energy of disk and net is known by test only, as bytes are not counted by function: no function has a share of it, psi leaves it out whatever its weight, and all of it is unattributed."},
		{Text(note.EnergyByTestOnly([]string{"disk"}, "file", "")),
			"The energy of disk is known by test only: no file has a share of it, psi leaves it out whatever its weight, and all of it is unattributed."},
		{Text(note.TooFewRounds(3, 0.25, 0.05, 0, "components", 6)), "too few rounds: 3 pairs cannot give a p below 0.25, and a verdict needs 0.05: measure both with --rounds 6"},
		{editor.Sentence(note.TooFewRounds(1, 1, 0.00417, 12, "components", 9)),
			"Too few rounds: 1 pair cannot give a p below 1, and a verdict on one of 12 components needs 0.0042: measure both with the setting spell.rounds at 9."},
		{editor.Text(note.MachineHides(-0.123)), "the machine may hide a change: the reference workload took 12 % less time in this run"},
		{Text(note.MachinesDiffer([]note.Note{note.CoresDiffer(2, 4), note.OneVirtual()})), "BASE and HEAD were measured on different machines (cores 2 and 4; one of them virtual)"},
		{Text(note.OthersBeyond(1)), "1 other component is beyond the limit, but with changes that are undecided or not significant"},
		{Text(note.OthersBeyond(2)), "2 other components are beyond the limit, but with changes that are undecided or not significant"},
		{Text(note.EnergyBeyond("", 2, "")), "HEAD uses 2.00 J per round."},
		{Text(note.EnergyBeyond("m.F", 2, "estimated")), "m.F uses 2.00 J (estimated) per round."},
		{editor.Text(note.EnergyBeyond("", 2, "")), "this run uses 2.00 J per round."},
		{editor.Text(note.UsesMore(note.Uses("", note.EnergyChange(5, 6, "estimated")), 0.002, []note.Note{note.Uses("m.F", note.EnergyChange(1, 2, "")), note.Uses("m.G", note.TimeChange(0, 2))})),
			"this run uses 20 % more energy (estimated) than the baseline (p 0.002). Significantly: m.F uses 100 % more energy than the baseline; m.G uses some running time, where the baseline uses none."},
		{Text(note.UsesMore(note.Uses("m.F", note.TimeChange(1, 4)), 0.002, []note.Note{})), "m.F uses 4.00 times as much running time as BASE (p 0.002)."},
		{Text(note.MorePsi("m.F", 0.5, 0.25)), "the psi of m.F is 0.2500, 50 % less than in BASE."},
		{Text(note.MoreExecutions("m.F", 0, 3)), "m.F makes 3 executions, where BASE has none."},
		{Text(note.BecameRed("m.F", "", 0, 0.5, note.TimeChange(math.SmallestNonzeroFloat64, 4))), "m.F is red, and was in no zone: it uses out of all proportion more running time than BASE; psi 0.5000, before 0.0000."},
		{Brief.Than(3, 3, "time"), "exactly as much time"},
		{Brief.Than(0, 3, "time"), "some time, where it used none before"},
		{editor.Text(note.CountsAlthough(3, note.Costliest(2), 5)), "round 3 counts although it was disturbed (costliest: the setting spell.drop at 2): 5 rounds before it had to be repeated, so this seems normal here"},
		{Text(note.Note{Code: note.WarmupRepeatedCode, Args: note.Args{"cause": "of an older record"}}), "the warm-up was run again: of an older record"},
		{Text(note.Text("as it [is] {here}")), "as it [is] {here}"},
		{Text(note.Note{Code: "of.tomorrow", Args: note.Args{"b": 1.0, "a": "x"}}), "of.tomorrow map[a:x b:1]"},
	} {
		if test.got != test.want {
			t.Errorf("got  %s\nwant %s", test.got, test.want)
		}
	}
}

// Words that stand for an empty argument may be a run, which each audience calls differently.
func TestRunsStandForEmptyArguments(t *testing.T) {
	var b strings.Builder
	for _, s := range parse("{component|@head} and {component|@base}") {
		s.write(&b, Editor("the baseline"), note.Args{"component": ""})
	}
	if want := "this run and the baseline"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// Several notes with one text are said once.
func TestTexts(t *testing.T) {
	got := Texts([]note.Note{note.EnergyZero(), note.Text("b"), note.EnergyZero()})
	if diff := cmp.Diff([]string{Text(note.EnergyZero()), "b"}, got); diff != "" {
		t.Error(diff)
	}
	if got := Texts(nil); got == nil {
		t.Error("a list that JSON always has is nil")
	}
}

// A note that was written and read again is the same.
func TestNotesComeBackFromJSON(t *testing.T) {
	for _, k := range kinds(t) {
		n := k.sample()
		data, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		var again note.Note
		if err := json.Unmarshal(data, &again); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(n, again); diff != "" {
			t.Errorf("%s (-written +read):\n%s", k.name, diff)
		}
	}
	for _, list := range []any{[]string(nil), []note.Note(nil)} {
		if data, err := json.Marshal(note.Args{"programs": list}); err != nil || string(data) != `{"programs":[]}` {
			t.Errorf("a %T that is nil is written as %s (%v): it could not be read again", list, data, err)
		}
	}
	for _, bad := range []string{`{"a": true}`, `{"a": null}`, `{"a": [1]}`, `{"a": {}}`, `[]`} {
		var args note.Args
		if err := json.Unmarshal([]byte(bad), &args); err == nil {
			t.Errorf("%s was read as %v", bad, args)
		}
	}
}
