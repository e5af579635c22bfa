package comparison_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
)

// A verdict is given where all rules hold, and otherwise the reason why not. F is
// compared beside G, which never changes.
func TestVerdicts(t *testing.T) {
	steady := func(seed uint64, joules float64) []float64 { return recordtest.Around(seed, 10, joules, 0.01) }
	plain := func(*record.Run) {}
	for _, tt := range []struct {
		why        string
		base, head []float64 // of F
		change     func(r *record.Run)
		want       comparison.Verdict
		reason     string
	}{
		{"a third less", steady(1, 9), steady(2, 6), plain, comparison.Better, ""},
		{"a third more", steady(1, 6), steady(2, 8), plain, comparison.Worse, ""},
		{"the same", steady(1, 9), steady(2, 9), plain, comparison.Unchanged, ""},
		{"exactly the same", steady(1, 9), steady(1, 9), plain, comparison.Unchanged, ""},
		{"noise", recordtest.Around(1, 10, 9, 0.4), recordtest.Around(2, 10, 7, 0.4), plain, comparison.Unchanged, "the rounds of a run vary too much"},
		// Every round is dearer, so that p is 0.002, but rounds of one run spread as far.
		{"a run on a slower machine", []float64{10, 10.3, 9.7, 10.2, 9.8, 10, 10.3, 9.7, 10.2, 9.8}, []float64{10.4, 10.7, 10.1, 10.6, 10.2, 10.4, 10.7, 10.1, 10.6, 10.2}, plain, comparison.Unchanged, "two runs of the same code may differ by as much"},
		{"too little to care", recordtest.Around(1, 10, 9, 0), recordtest.Around(2, 10, 9.1, 0), plain, comparison.Unchanged, "two runs of the same code may differ by as much"},
		{"from nothing", make([]float64, 10), steady(2, 6), plain, comparison.Worse, ""},
		{"to nothing", steady(1, 6), make([]float64, 10), plain, comparison.Better, ""},
		{"three rounds", []float64{9, 9.1, 9}, []float64{6, 6.1, 6}, plain, comparison.Undecided, "too few rounds: 3 pairs cannot give a p below 0.25, and a verdict on one of 2 components needs 0.025: measure both with --rounds 7"},
		{"known powers", steady(1, 9), steady(2, 6), func(r *record.Run) { recordtest.Measured(r, 0.1) }, comparison.Better, ""},
		{"powers that are hardly known", steady(1, 9), steady(2, 6), func(r *record.Run) { recordtest.Measured(r, 0.4) }, comparison.Undecided, "the error of the fitted watts explains the change"},
		{"below resolution", steady(1, 9), steady(2, 6), func(r *record.Run) { r.Components[0].BelowResolution = true }, comparison.Undecided, "below resolution"},
		{"a hundredth of the run", steady(1, 0.03), steady(2, 0.02), plain, comparison.Undecided, "it uses less than 0.5 % of either run"},
		{"few samples", recordtest.Around(1, 10, 0.009, 0.01), recordtest.Around(2, 10, 0.006, 0.01), func(r *record.Run) { shrink(r, 1, 1000) }, comparison.Undecided, "it ran for less than 64.0 ms"},
		// 720 ms are 180 samples of 4 ms: two such counts differ by 20 % easily.
		{"samples that all rounds share", recordtest.Around(1, 10, 0.144, 0.01), recordtest.Around(2, 10, 0.120, 0.01), plain, comparison.Unchanged, "two runs of the same code may differ by as much"},
		{"a sixth less", steady(1, 3), steady(2, 2.5), plain, comparison.Better, ""},
		// 15 s are 117 samples of 128 ms.
		{"a sixth less, by samples that are far apart", steady(1, 3), steady(2, 2.5), func(r *record.Run) { r.Mode, r.PeriodMS = "sample", 128 }, comparison.Unchanged, "two runs of the same code may differ by as much"},
		{"no rounds", steady(1, 9), steady(2, 6), func(r *record.Run) { r.Components[0].RoundEnergyJ = nil }, comparison.Undecided, "there are no values by round"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			base := recordtest.Program(recordtest.Part{ID: "m.F", Joules: tt.base}, recordtest.Part{ID: "m.G", Joules: recordtest.Around(3, len(tt.base), 10, 0.01)})
			head := recordtest.Program(recordtest.Part{ID: "m.F", Joules: tt.head}, recordtest.Part{ID: "m.G", Joules: recordtest.Around(4, len(tt.head), 10, 0.01)})
			tt.change(base)
			tt.change(head)
			c := compared(t, base, head, comparison.Options{})
			if got := find(t, c, "m.F").EnergyJ; got.Verdict != tt.want || !strings.HasPrefix(got.Reason, tt.reason) || (tt.reason == "") != (got.Reason == "") {
				t.Errorf("verdict %s, %q, want %s, %q", got.Verdict, got.Reason, tt.want, tt.reason)
			}
			if got := find(t, c, "m.G").EnergyJ.Verdict; got == comparison.Better || got == comparison.Worse {
				t.Errorf("G, which did not change, is %s", got)
			}
		})
	}
}

// shrink divides the amounts of a component.
func shrink(r *record.Run, component int, by float64) {
	c := &r.Components[component]
	for k := range c.RoundTimeMS {
		c.RoundTimeMS[k] /= by
		c.RoundEnergyJ[spell.CPU][k] /= by
	}
	r.Matrix.Cells[component].TimeMS /= by
	r.Matrix.EnergyJ[component] /= by
}

// Forty components of ten rounds cannot pass Holm's correction, and the message says
// how many rounds would; with these they do.
func TestRoundsForAFamily(t *testing.T) {
	many := func(seed uint64, rounds int, first float64) *record.Run {
		var parts []recordtest.Part
		for i := range 40 {
			joules := 10.0
			if i == 0 {
				joules = first
			}
			parts = append(parts, recordtest.Part{ID: fmt.Sprintf("m.F%02d", i), Joules: recordtest.Around(seed+uint64(i), rounds, joules, 0.01)})
		}
		return recordtest.Program(parts...)
	}
	c := compared(t, many(100, 10, 10), many(200, 10, 20), comparison.Options{})
	want := "too few rounds: 10 pairs cannot give a p below 0.002, and a verdict on one of 40 components needs 0.0013: measure both with --rounds 11"
	if got := find(t, c, "m.F00").EnergyJ; got.Verdict != comparison.Undecided || got.Reason != want {
		t.Errorf("verdict %s, %q, want %q", got.Verdict, got.Reason, want)
	}
	// A question that was asked before the measurement needs no correction.
	c = compared(t, many(100, 10, 10), many(200, 10, 20), comparison.Options{Component: "m.F00"})
	if got := find(t, c, "m.F00").EnergyJ; got.Verdict != comparison.Worse {
		t.Errorf("of the component in question the verdict is %s, %q", got.Verdict, got.Reason)
	}
	c = compared(t, many(100, 11, 10), many(200, 11, 20), comparison.Options{})
	for _, k := range c.Components {
		if want := map[bool]comparison.Verdict{true: comparison.Worse, false: comparison.Unchanged}[k.ID == "m.F00"]; k.EnergyJ.Verdict != want {
			t.Errorf("%s is %s, want %s", k.ID, k.EnergyJ.Verdict, want)
		}
	}
}

// Two runs of the same code differ by more than their rounds tell. Rank tests
// alone call most such pairs different, the comparison hardly any; a real change
// of 10 % it finds.
func TestRunsOfTheSameCode(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const pairs, rounds, spread = 200, 12, 0.015
	run := func(joules float64) *record.Run {
		drawn := joules * (1 + 0.7*spread*rng.NormFloat64())
		return recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(rng.Uint64(), rounds, drawn, spread)})
	}
	flagged := func(factor float64) (verdicts, significant int) {
		for range pairs {
			q := compared(t, run(10), run(10*factor), comparison.Options{}).Total.EnergyJ
			if q.Verdict == comparison.Better || q.Verdict == comparison.Worse {
				verdicts++
			}
			if *q.PCorrected <= 0.05 {
				significant++
			}
		}
		return verdicts, significant
	}
	if verdicts, significant := flagged(1); verdicts > pairs*5/100 || significant < pairs/5 {
		t.Errorf("of %d pairs without a difference, %d have a verdict, %d are significant", pairs, verdicts, significant)
	}
	if verdicts, _ := flagged(1.1); verdicts < pairs*95/100 {
		t.Errorf("of %d pairs that differ by 10 %%, only %d have a verdict", pairs, verdicts)
	}
}

// The parts of several domains may err together: their errors are added.
func TestErrorsOfDomainsAdd(t *testing.T) {
	make2 := func(cpu, dram, off float64) *record.Run {
		r := recordtest.Measured(recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(1, 10, cpu, 0.001)}), off)
		r.Meter.Domains = append(r.Meter.Domains, spell.DRAM)
		c := &r.Components[0]
		c.RoundEnergyJ[spell.DRAM] = recordtest.Around(2, 10, dram, 0.001)
		c.EnergyJ[spell.DRAM] = dram
		c.EnergyCI[spell.DRAM] = [2]float64{dram * (1 - off), dram * (1 + off)}
		r.Matrix = record.MatrixOf(r.Meter.Domains, record.Cell{N: 1, TimeMS: c.TimeMS, EnergyJ: c.EnergyJ})
		return r
	}
	for _, tt := range []struct {
		off  float64
		want comparison.Verdict
	}{{0.05, comparison.Better}, {0.3, comparison.Undecided}} {
		// 4 J less of 20; the errors are 5 or 30 % of either domain.
		c := compared(t, make2(10, 10, tt.off), make2(8, 8, tt.off), comparison.Options{})
		if got := c.Components[0].EnergyJ.Verdict; got != tt.want {
			t.Errorf("errors of %v: %s, want %s", tt.off, got, tt.want)
		}
		if got := c.Components[0].ByDomain[spell.DRAM]; got.Base != 10 || got.Head != 8 {
			t.Errorf("dram is %+v", got)
		}
	}
}

// An error of the idle machine's power moves the energy of all components in all
// rounds. The counter, which gives that of the tests, does not show it.
func TestCounterMustAgree(t *testing.T) {
	for _, tt := range []struct {
		why    string
		joules float64 // of the tests in HEAD; 30 in BASE
		want   comparison.Verdict
	}{
		{"less by the counter too", 29, comparison.Better},
		{"the same by the counter", 30, comparison.Undecided},
		{"more by the counter", 31, comparison.Undecided},
	} {
		base, head := recordtest.Measured(recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(1, 10, 10, 0.002)}), 0.01), recordtest.Measured(recordtest.Program(recordtest.Part{ID: "m.F", Joules: recordtest.Around(2, 10, 9, 0.002)}), 0.01)
		base.Tests[0].RoundEnergyJ, head.Tests[0].RoundEnergyJ = recordtest.ByRound(recordtest.Around(3, 10, 30, 0.001)), recordtest.ByRound(recordtest.Around(4, 10, tt.joules, 0.001))
		if got := compared(t, base, head, comparison.Options{}).Total.EnergyJ; got.Verdict != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.why, got.Verdict, got.Reason, tt.want)
		}
	}
}
