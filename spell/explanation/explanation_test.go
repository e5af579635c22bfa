package explanation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
)

// The facts of a rank; package wording tests them as texts.
func TestOf(t *testing.T) {
	domains := []spell.Domain{spell.CPU, spell.DRAM}
	row := spell.Row{
		N: 10, TimeMS: 200, Joules: []float64{2, 5}, EPI: .7,
		Phi: spell.Phi{Energy: []float64{.2, .5}, N: .2, Time: .2}, Zone: spell.Red,
	}
	cost := explanation.Cost{NShare: .2, TimeShare: .2, Domain: spell.DRAM, EnergyShare: .5, Estimated: true, EachJ: .7, EachMS: 20}
	for _, test := range []struct {
		why    string
		wallMS float64
		want   explanation.Explanation
	}{
		{"the memory is driven into a dearer state", 0, explanation.Explanation{By: spell.EnergyCriterion, Reason: explanation.CostlyEach, Cost: cost, Dear: explanation.DearState{Domain: spell.DRAM, Ratio: 2.5}}},
		{"waiting goes before that", 600, explanation.Explanation{By: spell.EnergyCriterion, Reason: explanation.CostlyEach, Cost: cost, Waiting: explanation.Waiting{RanMS: 200, WallMS: 600}}},
	} {
		if diff := cmp.Diff(test.want, explanation.Of(row, spell.EnergyCriterion, domains, test.wallMS, true)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.why, diff)
		}
	}
}

// Why: a call of 40 ns is not costly, however large the share of all its calls is: no better
// algorithm makes it much shorter.
func TestShortExecutionsAreNotCostly(t *testing.T) {
	for _, test := range []struct {
		n      float64
		timeMS float64
		want   explanation.Reason
	}{
		{1e6, 40, explanation.NoneStandsOut}, // 40 ns each
		{1e6, 400, explanation.CostlyEach},
		{1e6, 0, explanation.CostlyEach}, // the time is not known
	} {
		row := spell.Row{N: test.n, TimeMS: test.timeMS, Joules: []float64{1}, EPI: 1e-6, Phi: spell.Phi{Energy: []float64{.4}, N: .1}, Zone: spell.Red}
		if got := explanation.Of(row, spell.EnergyCriterion, []spell.Domain{spell.CPU}, 0, false).Reason; got != test.want {
			t.Errorf("%g executions in %g ms: %s, want %s", test.n, test.timeMS, got, test.want)
		}
	}
}
