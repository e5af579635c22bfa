package wording_test

import (
	"strings"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
	"spell-lsp/spell/summary"
	"spell-lsp/spell/wording"
)

func component(i int) string { return []string{"Sort", "Oldest", "Add"}[i] }

// usual is a summary of three functions that hold 4 J, where the first is red.
func usual(changes ...func(*summary.Summary)) *summary.Summary {
	s := &summary.Summary{
		Kind: spell.KindFunction, By: spell.EnergyCriterion, Of: spell.EnergyCriterion, Basis: summary.EstimatedByTime, Meter: "model",
		Tests: 5, Components: 3, Held: 4, Whole: 4, Leading: summary.Leading{Red: true, Count: 1, Share: 0.655},
	}
	for _, change := range changes {
		change(s)
	}
	return s
}

func outside(parts ...summary.Part) func(*summary.Summary) {
	return func(s *summary.Summary) {
		s.Outside = parts
		for _, p := range parts {
			s.Whole += p.Amount
		}
	}
}

// The first sentence says what a reader must know before any function is blamed.
func TestHeadline(t *testing.T) {
	for _, test := range []struct {
		why  string
		s    *summary.Summary
		want string
	}{
		{"one function holds most", usual(), "Sort holds 65.5 % of the 4.00 J that all functions use in a round (estimated from CPU time, not measured)."},
		{"several do, measured", usual(func(s *summary.Summary) {
			s.Leading, s.Basis, s.Meter = summary.Leading{Red: true, Count: 2, Share: 0.87}, summary.Measured, "rapl"
		}), "2 red functions hold 87.0 % of the 4.00 J that all functions use in a round (measured by rapl)."},
		{"counters of a folder that somebody named", usual(func(s *summary.Summary) { s.Basis, s.Meter, s.Root = summary.Measured, "rapl", "/tmp/x" }),
			"Sort holds 65.5 % of the 4.00 J that all functions use in a round (measured by rapl from counters below /tmp/x, not the system's)."},
		{"none is red", usual(func(s *summary.Summary) { s.Leading = summary.Leading{Count: 1, First: 1, Share: 0.03} }),
			"No function is red: Oldest, the first, holds 3.0 % of the 4.00 J that all functions use in a round (estimated from CPU time, not measured)."},
		{"ranked by psi", usual(func(s *summary.Summary) {
			s.By, s.Leading = spell.PsiCriterion, summary.Leading{Red: true, Count: 1, First: 2, Share: 0.057}
		}), "Add comes first by psi; it holds 5.7 % of the 4.00 J that all functions use in a round (estimated from CPU time, not measured)."},
		{"another, in many cheap calls, holds more", usual(func(s *summary.Summary) {
			s.Leading = summary.Leading{Red: true, Count: 1, Share: 0.24, Most: 1, MostShare: 0.613}
		}), "Sort holds 24.0 % of the 4.00 J that all functions use in a round (estimated from CPU time, not measured); Oldest holds most, 61.3 %."},
		{"most is in test code", usual(outside(summary.Part{Place: summary.TestCode, Amount: 12}, summary.Part{Place: summary.IdleMachine, Amount: 100})),
			"75.0 % of the 16.0 J that the program under test uses in a round (estimated from CPU time, not measured) is in test code; functions hold 25.0 %. Sort holds 65.5 % of their 4.00 J."},
		{"most is in goroutines that outlived their tests", usual(outside(summary.Part{Place: summary.EndedTests, Amount: 12})),
			"75.0 % of the 16.0 J that the program under test uses in a round (estimated from CPU time, not measured) goes to goroutines of ended tests; functions hold 25.0 %. Sort holds 65.5 % of their 4.00 J."},
		{"an idle machine is not the program's", usual(outside(summary.Part{Place: summary.IdleMachine, Amount: 100})),
			"Sort holds 65.5 % of the 4.00 J that all functions use in a round (estimated from CPU time, not measured)."},
		{"the tests wait", usual(func(s *summary.Summary) { s.Waiting = summary.Waiting{WallMS: 10_000, RanMS: 412} }),
			"The tests mostly wait, or others kept the processors busy: they take 10.0 s, and the program runs for 412 ms of it. Sort holds 65.5 % of the 4.00 J that all functions use in a round (estimated from CPU time, not measured)."},
		{"interrupted", usual(func(s *summary.Summary) { s.Partial = true }),
			"PARTIAL: the measurement was interrupted, only what was measured until then is here. Sort holds 65.5 % of the 4.00 J that all functions use in a round (estimated from CPU time, not measured)."},
		{"no energy is known", usual(func(s *summary.Summary) {
			s.Of, s.By, s.Basis, s.Held = spell.TimeCriterion, spell.TimeCriterion, summary.NoEnergy, 800
		}),
			"Sort holds 65.5 % of the 800 ms that all functions run in a round (no energy is known)."},
		{"the host's share", usual(func(s *summary.Summary) {
			s.Of, s.By, s.Basis, s.Held = spell.TimeCriterion, spell.TimeCriterion, summary.HostsShare, 800
		}),
			"Sort holds 65.5 % of the 800 ms that all functions run in a round (energy is the host's share, which no function has)."},
		{"a file of another tool", usual(func(s *summary.Summary) { s.File, s.Basis = true, summary.Unstated }),
			"Sort holds 65.5 % of the 4.00 J that all functions use (the file does not say whether it was measured or estimated)."},
		{"a file that says so", usual(func(s *summary.Summary) { s.File, s.Basis = true, summary.Measured }),
			"Sort holds 65.5 % of the 4.00 J that all functions use (measured, as the file says)."},
		{"values overlap", usual(func(s *summary.Summary) { s.Inclusive = true }),
			"Sort, with what it calls, holds 65.5 % of the sum of all functions' energies with what they call, which overlap (estimated from CPU time, not measured)."},
		{"values of several overlap", usual(func(s *summary.Summary) {
			s.Inclusive, s.Of, s.Basis, s.Leading.Count = true, spell.TimeCriterion, summary.NoEnergy, 2
		}), "2 red functions, with what they call, hold 65.5 % of the sum of all functions' running times with what they call, which overlap (no energy is known)."},
		{"nothing ran", &summary.Summary{Kind: spell.KindFunction, Tests: 1}, "Nothing to rank: no function ran in these tests."},
		{"without functions", &summary.Summary{Kind: spell.KindFunction, Tests: 1, Excluded: true}, "Nothing to rank: all functions were excluded from this run (exclude *, as choose does)."},
		{"every test failed", &summary.Summary{Kind: spell.KindFunction, Components: 3}, "Nothing to rank: no test counts."},
		{"no test is there", &summary.Summary{Kind: spell.KindFunction}, "Nothing to rank: no test counts."},
		{"all is test code", &summary.Summary{
			Kind: spell.KindFunction, Of: spell.EnergyCriterion, Basis: summary.Estimated, Tests: 1, Components: 3, Whole: 9, Outside: []summary.Part{{Place: summary.TestCode, Amount: 9}},
		}, "Nothing to rank: no function used anything in these tests. 100.0 % of the 9.00 J that the program under test uses in a round (estimated, not measured) is in test code."},
	} {
		if got := wording.Headline(test.s, component); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.why, got, test.want)
		}
	}
}

// What the tests took in all adds up: small parts are in one sum.
func TestTotals(t *testing.T) {
	s := usual(outside(summary.Part{Place: summary.IdleMachine, Amount: 4}, summary.Part{Place: summary.TestCode, Amount: 1}, summary.Part{Place: summary.Collector, Amount: 0.2}, summary.Part{Place: summary.Probes, Amount: 0.1}))
	if got, want := wording.Totals(s), "A round of 5 tests takes an estimated 9.30 J: functions 4.00 J, idle machine 4.00 J, test code 1.00 J, all else 300 mJ."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.Basis = summary.Measured
	if got, want := wording.Totals(s), "A round of 5 tests takes 9.30 J: functions 4.00 J, "; !strings.HasPrefix(got, want) {
		t.Errorf("measured:\ngot  %s\nwant %s...", got, want)
	}
	children := &summary.Summary{
		Kind: spell.KindFunction, Of: spell.EnergyCriterion, Basis: summary.Measured, Tests: 1, Whole: 9, Outside: []summary.Part{{Place: summary.ChildProcesses, Amount: 9}},
	}
	if got, want := wording.Totals(children), "A round of 1 test takes 9.00 J: functions 0 J, child processes 9.00 J."; got != want {
		t.Errorf("no function used anything:\ngot  %s\nwant %s", got, want)
	}
	if got := wording.Totals(usual()); got != "" {
		t.Errorf("nothing is outside of the functions, and the totals are %q", got)
	}
}

// reasonOf is the reason of a component that no one component calls.
func reasonOf(e explanation.Explanation) string {
	return wording.Reason(&summary.Item{Why: e}, nil)
}

// Why: who should call a function less often is not the function. The caller is where the work is.
func TestReasonNamesTheCaller(t *testing.T) {
	item := &summary.Item{
		Why:    explanation.Explanation{Reason: explanation.RunsOften, Cost: explanation.Cost{EachJ: 3e-9, Domain: spell.CPU}},
		Caller: summary.Caller{Component: 7, Share: 0.832},
	}
	names := func(i int) string { return map[int]string{7: "(*BitSet).IsSuperSet"}[i] }
	if got, want := wording.Reason(item, names), "It runs very often, 3.00 nJ each: batch the calls, cache the result, exit loops early. Calls from (*BitSet).IsSuperSet cause 83.2 % of its cost."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestReason(t *testing.T) {
	cost := explanation.Cost{Domain: spell.CPU, EachJ: 0.0577, Estimated: true}
	functions := []explanation.Function{{Name: "example.com/shop.Sell", Share: 0.769}, {Name: "example.com/park.(*Park).Add", Share: 0.231}}
	for reason, want := range map[explanation.Reason]string{
		explanation.CostlyEach:    "Each execution is costly, 57.7 mJ estimated: a better algorithm or data structure usually helps.",
		explanation.RunsOften:     "It runs very often, 57.7 mJ estimated each: batch the calls, cache the result, exit loops early.",
		explanation.NoneStandsOut: "57.7 mJ estimated each: run it less often and do less each time.",
		explanation.LittleToGain:  "There is little to gain here.",
		explanation.NotRun:        "It was not seen to run.",
		explanation.OfFunctions:   "Mostly in shop.Sell 76.9 %, park.(*Park).Add 23.1 %.",
	} {
		if got := reasonOf(explanation.Explanation{Reason: reason, Cost: cost, Functions: functions}); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", reason, got, want)
		}
	}
	unknown := explanation.Explanation{Reason: explanation.RunsOften}
	if got, want := reasonOf(unknown), "It runs very often: batch the calls, cache the result, exit loops early."; got != want {
		t.Errorf("nothing but executions is known:\ngot  %s\nwant %s", got, want)
	}
	assembly := explanation.Explanation{Reason: explanation.CostlyEach, Cost: cost, Callee: explanation.Callee{Name: "m/simd.Search", Kind: spell.AssemblyCallee, Share: 0.81}}
	if got, want := reasonOf(assembly), "Each execution is costly, 57.7 mJ estimated: a better algorithm or data structure usually helps. 81.0 % of the self time is in simd.Search (assembly)."; got != want {
		t.Errorf("most of its time is in assembly:\ngot  %s\nwant %s", got, want)
	}
	waits := explanation.Explanation{Reason: explanation.LittleToGain, Waiting: explanation.Waiting{RanMS: 20, WallMS: 3000}}
	if got, want := reasonOf(waits), "There is little to gain here. It mostly waits, or others kept the processors busy: it ran for 20.0 ms of 3.00 s."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
