package budgets

import (
	"strings"
	"sync"

	"spell-lsp/spell"
	"spell-lsp/spell/budget"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// Tests decides the budgets of the tests of a run.
type Tests struct {
	r     *record.Run
	under map[string][]int // the subtests that count, by the name of each test around them
	calls func() []float64 // of all components by test
}

// NewTests returns the tests of a run.
func NewTests(r *record.Run) *Tests {
	t := &Tests{r: r, under: make(map[string][]int), calls: sync.OnceValue(func() []float64 { return callsByTest(r) })}
	for i := range r.Tests {
		if !counts(r, i) {
			continue
		}
		name := r.Tests[i].Name
		local := len(name) - len(nameOf(&r.Tests[i]))
		for at := strings.LastIndexByte(name, '/'); at > local; at = strings.LastIndexByte(name[:at], '/') {
			t.under[name[:at]] = append(t.under[name[:at]], i)
		}
	}
	return t
}

func callsByTest(r *record.Run) []float64 {
	calls := make([]float64, len(r.Tests))
	for _, cell := range r.Matrix.Cells {
		if r.Components[cell.Component].Kind != spell.KindBlock {
			calls[cell.Test] += cell.N
		}
	}
	return calls
}

// Decide decides limits of a test that counts, with its subtests; per call and per test are the same.
func (t *Tests) Decide(i int, limits []budget.Limit) []Result {
	r := t.r
	if !counts(r, i) {
		return nil
	}
	top := &r.Tests[i]
	rows := append([]int{i}, t.under[top.Name]...)
	var list []Result
	for _, l := range limits {
		one := Result{Subject: top.Name, File: top.File, Hash: top.Hash, Limit: l}
		switch {
		case l.Quantity == budget.Energy && !r.Meter.KnowsEnergy():
			continue
		case l.Quantity == budget.Calls && !r.CallsCounted():
			continue
		case l.Quantity == budget.Calls:
			var calls float64
			for _, k := range rows {
				calls += t.calls()[k]
			}
			one.Verdict, one.Measured = l.Decide(budget.Exact(calls)), note.BudgetCalls(calls, "")
		default:
			one.Verdict, one.Measured = decide(r, l, valueOfTests(r, rows, l.Quantity), false)
		}
		list = append(list, one)
	}
	return list
}

// leastProbes is the share of a value from which on the probes count.
const leastProbes = 0.01

// valueOfTests is the energy or time of a test with its subtests. Without the probes it would be
// less, so its interval begins lower by what they took: they alone never break a budget.
func valueOfTests(r *record.Run, rows []int, q budget.Quantity) budget.Value {
	var sum, probes, unresolved float64
	var series [][]float64
	for _, k := range rows {
		t := &r.Tests[k]
		v, ofProbes := t.TimeMS, t.ProbeMS
		if q == budget.Energy {
			v, ofProbes = t.EnergyJ.Total(), t.Unattributed[record.Probes].EnergyJ.Total()
		}
		sum, probes = sum+v, probes+ofProbes
		if t.BelowResolution && q == budget.Energy {
			unresolved += v
		}
		series = append(series, rounds(r, t, q))
	}
	half := sum * relative(r, record.AddSeries(series))
	if probes < leastProbes*sum {
		probes = 0
	}
	return budget.Value{Mean: sum, Low: max(0, sum-half-probes), High: sum + half, Unresolved: unresolved > sum/2}
}
