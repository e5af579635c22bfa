package ranking_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/summary"
	"spell-lsp/spell/wording"
)

// program is a run of two functions of 3 J and 1 J, ranked by energy.
func program(changes ...func(*record.Run)) *record.Run {
	r := recordtest.Program(recordtest.Part{ID: "m.Sort", Joules: []float64{3}}, recordtest.Part{ID: "m.Add", Joules: []float64{1}})
	r.Tests[0].EnergyJ = record.Energy{spell.CPU: 4}
	for _, change := range changes {
		change(r)
	}
	ranking.Analyze(r, spell.Options{Order: spell.ByEnergy}, false)
	return r
}

func summarize(r *record.Run) *summary.Summary { return ranking.Summarize(r, r.Tallies(), []int{0}) }

// left is energy and CPU time of the test that belong to no function.
func left(part record.Part, joules, ms float64) func(*record.Run) {
	return func(r *record.Run) {
		t := &r.Tests[0]
		if t.Unattributed == nil {
			t.UnattributedJ, t.Unattributed = record.Energy{}, map[record.Part]record.Unattributed{}
		}
		t.EnergyJ[spell.CPU] += joules
		t.UnattributedJ[spell.CPU] += joules
		t.Unattributed[part] = record.Unattributed{TimeMS: ms, EnergyJ: record.Energy{spell.CPU: joules}}
	}
}

func TestSummarize(t *testing.T) {
	s := summarize(program(left(record.TestCode, 1, 500), left(record.Idle, 5, 0)))
	if s.Held != 4 || s.Whole != 10 || s.Program() != 5 || s.Tests != 1 || s.Basis != summary.Estimated {
		t.Errorf("the summary is %+v", s)
	}
	if want := (summary.Leading{Red: true, Count: 1, First: 0, Share: 0.75}); s.Leading != want {
		t.Errorf("first is %+v, want %+v", s.Leading, want)
	}
	if i := s.Items[0]; i.Amount != 3 || i.Share != 0.75 || i.Why.By != spell.EnergyCriterion || i.Why.Reason == explanation.NotRun {
		t.Errorf("the item is %+v", i)
	}
	if want := []summary.Part{{Place: summary.IdleMachine, Amount: 5}, {Place: summary.TestCode, Amount: 1}}; !slices.Equal(s.Outside, want) {
		t.Errorf("outside is %+v, want %+v", s.Outside, want)
	}
	if part, ok := s.Mostly(); ok {
		t.Errorf("functions hold 4 J of 5 J of the program, and mostly it is %+v", part)
	}
}

// Where the program uses most outside of its functions, that must be said first; an idle
// machine, however much it draws, says nothing about the program.
func TestSummarizeMostly(t *testing.T) {
	for part, want := range map[record.Part]bool{record.TestCode: true, record.Collector: true, record.Children: true, record.Strays: true, record.Idle: false, record.Others: false} {
		if got, ok := summarize(program(left(part, 9, 0))).Mostly(); ok != want {
			t.Errorf("9 J of %s beside 4 J in functions: mostly it is %+v (%t)", part, got, ok)
		}
	}
}

// Whatever part a measurement knows has a name on the first screen, in a list and, where it is most
// of the program's, in the headline.
func TestSummarizeNamesAllParts(t *testing.T) {
	name := func(int) string { return "Sort" }
	for part := range parts(t) {
		s := summarize(program(left(part, 9, 0)))
		if len(s.Outside) != 1 || s.Outside[0].Place == summary.Elsewhere {
			t.Errorf("%s has no place: %+v", part, s.Outside)
		}
		if totals := wording.Totals(s); strings.HasSuffix(totals, ",  9.00 J.") {
			t.Errorf("%s has no name: %s", part, totals)
		}
		if headline := wording.Headline(s, name); strings.Contains(headline, ") ;") {
			t.Errorf("%s has no predicate: %s", part, headline)
		}
	}
}

// parts are the constants of type record.Part, by value.
func parts(t *testing.T) map[record.Part]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../record.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[record.Part]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); !ok || of.Name != "Part" {
			return true
		}
		text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		list[record.Part(text)] = true
		return true
	})
	if !list[record.Strays] || !list[record.Idle] {
		t.Fatalf("found the parts %v", list)
	}
	return list
}

// A reader must not take the first share for the largest one.
func TestSummarizeNamesWhoHoldsMost(t *testing.T) {
	for order, want := range map[spell.Order]summary.Leading{
		spell.ByWeightedEnergy: {Red: true, Count: 1, First: 0, Share: 0.25, Most: 1, MostShare: 0.75},
		spell.ByEnergy:         {Red: true, Count: 1, First: 0, Share: 0.75},
	} {
		r := recordtest.Program(recordtest.Part{ID: "m.Leak", Joules: []float64{1}, N: 1}, recordtest.Part{ID: "m.Busy", Joules: []float64{3}, N: 1e9})
		ranking.Analyze(r, spell.Options{Order: order}, false)
		if got := summarize(r).Leading; got != want {
			t.Errorf("by %s: %+v, want %+v", order, got, want)
		}
	}
}

// Where no function used anything, what the tests used elsewhere is still added up.
func TestSummarizeWithoutFunctions(t *testing.T) {
	r := recordtest.Program(recordtest.Part{ID: "m.Sort", Joules: []float64{3}})
	r.Components, r.Matrix = nil, record.MatrixOf(r.Meter.Domains)
	r.Tests[0].EnergyJ = record.Energy{}
	left(record.Children, 9, 400)(r)
	ranking.Analyze(r, spell.Options{Order: spell.ByEnergy}, false)
	s := ranking.Summarize(r, r.Tallies(), nil)
	if part, ok := s.Mostly(); s.Of != spell.EnergyCriterion || s.Whole != 9 || !ok || part.Place != summary.ChildProcesses {
		t.Errorf("the summary is %+v", s)
	}
}

// Goroutines that outlived their tests keep the program running.
func TestSummarizeWaitingCountsStrays(t *testing.T) {
	r := program(left(record.Strays, 0.1, 5000), func(r *record.Run) { r.Tests[0].TimeMS = 22_000 })
	if s := summarize(r); (s.Waiting != summary.Waiting{}) {
		t.Errorf("functions and goroutines ran for 7 s of 22 s: %+v", s.Waiting)
	}
}

// Functions ran for 2 s. Tests wait if what they start runs for less than a tenth of their time;
// on a busy machine a program may run for half of it or less.
func TestSummarizeWaiting(t *testing.T) {
	for wallMS, waits := range map[float64]bool{2000: false, 6000: false, 19_000: false, 22_000: true} {
		r := program(left(record.TestCode, 0.1, 50), func(r *record.Run) { r.Tests[0].TimeMS = wallMS })
		if s := summarize(r); (s.Waiting != summary.Waiting{}) != waits {
			t.Errorf("%v ms: %+v", wallMS, s.Waiting)
		}
	}
}

// A kind of note that nobody thought of is shown with the figures, not hidden.
func TestSummarizeDoubts(t *testing.T) {
	s := summarize(program(func(r *record.Run) {
		r.Meter.Notes = []note.Note{note.EnergyFollowsTime()}
		r.Notes = []note.Note{note.NotMeasured("m.asm", "assembly"), note.Drift(0.2, 0.9), {Code: "new.kind", Args: note.Args{}}}
	}))
	var doubts []note.Code
	for _, n := range s.Doubts {
		doubts = append(doubts, n.Code)
	}
	if want := []note.Code{note.DriftCode, "new.kind", note.NotMeasuredCode}; !slices.Equal(doubts, want) {
		t.Errorf("doubts are %v, want %v", doubts, want)
	}
	if s.Basis != summary.EstimatedByTime || len(s.Notes) != 1 {
		t.Errorf("the basis is %s, and notes are %v", s.Basis, s.Notes)
	}
	weighed := summarize(program(func(r *record.Run) { r.Meter.Notes = []note.Note{note.FollowsFrequency("f")} }))
	if weighed.Basis != summary.EstimatedByTime || len(weighed.Doubts) != 0 {
		t.Errorf("CPU time that is weighed by the frequency: the basis is %s, doubts are %v", weighed.Basis, weighed.Doubts)
	}
}

// Why: a laptop whose psys shows nothing had a first screen that warned of its figures. Counters beside the domains are in none of them.
func TestSummarizeCountersBesideTheDomains(t *testing.T) {
	s := summarize(program(func(r *record.Run) {
		r.Meter.Notes = []note.Note{
			note.SeparateFrozen("psys"), note.SeparateUnread("psys-1", "input/output error"), note.SeparateMissed("psys", 1, 3), note.CounterLeftOut("perf", "cpu", "rapl"),
		}
	}))
	if len(s.Doubts) > 0 {
		t.Errorf("doubts are %v, want none", s.Doubts)
	}
}

// What may outweigh all functions comes first. Time that was up makes no figure doubtful, nor do
// rounds left out that would have changed nothing.
func TestSummarizeOrderOfDoubts(t *testing.T) {
	s := summarize(program(func(r *record.Run) {
		r.Notes = []note.Note{
			note.PatternUseless("./none"), note.NoSubtestMatches("x"), note.TimeUp("1m", 3), note.RoundsTooLong(3, 9000, 0), note.RoundsTooLong(3, 9000, 2),
			note.GoroutinesOutlive("m.TestServe", 1, "serve", "serve.go", 7, 0.4, 0.5),
		}
	}))
	var doubts []note.Code
	for _, n := range s.Doubts {
		doubts = append(doubts, n.Code)
	}
	if want := []note.Code{note.GoroutinesOutliveCode, note.RoundsTooLongCode, note.PatternUselessCode, note.NoSubtestMatchesCode}; !slices.Equal(doubts, want) {
		t.Errorf("doubts are %v, want %v", doubts, want)
	}
}
