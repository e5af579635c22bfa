package runner

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/meter"
	"spell-lsp/spell/note"
)

// testsOf returns the test program of a package.
func testsOf(path string) program {
	return program{Program: execution.Program{Package: instrument.Package{Path: path}}}
}

// A package is left out after three faults of the meter, but only if the meter works for another
// package.
func TestPackageIsLeftOutIfTheMeterWorksForOthers(t *testing.T) {
	none, err := execution.OpenMeter("none", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	fault := &MeterError{Err: errors.New("there is none")}
	for name, test := range map[string]struct {
		others []string // packages that were executed without a fault
		faults int
		want   int // remaining programs
	}{
		"a meter that never works": {nil, 5, 2},
		"one fault":                {[]string{"q"}, 1, 2},
		"three faults, but none in another package": {[]string{"q"}, 3, 1},
	} {
		m := &measurement{meter: none, faults: make(map[string]int), programs: []program{testsOf("p"), testsOf("q")}}
		for range test.faults {
			for _, q := range test.others {
				m.blame(testsOf(q), nil)
			}
			m.blame(m.programs[0], fault)
		}
		if len(m.programs) != test.want || (len(m.notes) > 0) != (test.want == 1) {
			t.Errorf("%s: %d programs remain, notes %v", name, len(m.programs), m.notes)
		}
	}
}

// A program that exits with 0 between two tests did not succeed.
func TestExitBetweenTestsIsNoted(t *testing.T) {
	log := &probe.Log{Reached: probe.Running, Windows: []probe.Window{
		{Test: "TestA", Counts: map[int]probe.Count{}}, {Test: "TestB", Counts: map[int]probe.Count{}},
	}, Ends: []probe.End{{Test: "TestA", Outcome: "pass"}, {Test: "TestB", Outcome: "pass"}}}
	notes := func(log *probe.Log) []note.Note {
		r := &round{}
		r.observe(testsOf("p"), &execution.Execution{Output: "bye\n", Log: log, Line: &attribution.Timeline{}}, &attribution.Machine{})
		return r.notes
	}
	want := []note.Note{note.ProgramEndedEarly("p", "exit status 0", 2, []string{"TestA", "TestB"}, "bye")}
	if diff := cmp.Diff(want, notes(log)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	log.Reached = probe.Ran
	if got := notes(log); got != nil {
		t.Errorf("notes of a program that reached its end: %v, want none", got)
	}
}
