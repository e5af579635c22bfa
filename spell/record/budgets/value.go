package budgets

import (
	"strings"

	"spell-lsp/spell/budget"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// These are remarks on values.
const (
	belowResolution = "below resolution"
	ownOnly         = "without what it calls"
	oneRound        = "in one round"
)

// OfComponent decides limits of a function. r has the values to show beside psi, as
// [ranking.Counted] makes it, and cells are those of the component. A function that no test
// that counts ran has no results, nor have limits of energy where that is not known.
func OfComponent(r *record.Run, i int, cells []int, limits []budget.Limit) []Result {
	c := &r.Components[i]
	var list []Result
	for _, l := range limits {
		if c.N == 0 && c.TimeMS == 0 {
			break
		}
		one := Result{Subject: c.ID, File: c.File, Hash: c.Hash, Limit: l}
		switch {
		case l.Quantity == budget.Energy && (!r.Meter.KnowsEnergy() || len(r.Matrix.Domains) == 0):
			continue
		case c.N == 0 && (l.Quantity == budget.Calls || l.Per == budget.Call):
			continue // calls were not counted
		case l.Quantity == budget.Calls:
			calls, test := mostCalls(r, cells)
			if test == "" {
				continue
			}
			one.Verdict, one.Measured = l.Decide(budget.Exact(calls)), note.BudgetCalls(calls, test)
		default:
			u := useOf(r, c, l, cells)
			if u.whole == 0 && l.Per == budget.Test {
				continue // only benchmarks ran it
			}
			one.Verdict, one.Measured = decide(r, l, u.value(), u.ownOnly)
		}
		list = append(list, one)
	}
	return list
}

// limited tells whether what a function uses in a test is limited per test: not in benchmarks, whose
// values are those of one operation.
func limited(r *record.Run, test int) bool {
	t := &r.Tests[test]
	return counts(r, test) && !strings.HasPrefix(nameOf(t), "Benchmark")
}

// nameOf is the name of a test in its package.
func nameOf(t *record.Test) string { return strings.TrimPrefix(t.Name, t.Package+".") }

// mostCalls are the most calls in one test, and the name of that test in its package.
func mostCalls(r *record.Run, cells []int) (calls float64, test string) {
	for _, k := range cells {
		cell := &r.Matrix.Cells[k]
		if t := &r.Tests[cell.Test]; limited(r, int(cell.Test)) && cell.N > calls {
			calls, test = cell.N, nameOf(t)
		}
	}
	return calls, test
}

// A use is the energy or time of a function for one execution of it or of a test.
type use struct {
	own, whole           float64 // whole is with what it calls
	ownError, wholeError float64 // relative, half the width of 95 % intervals; wholeError is that of the tests
	unresolved           bool    // own is below resolution
	ownOnly              bool    // whole is not known and the same as own
}

// value has the interval of own and, for what the function calls, that of the tests. Where the
// greater part is what it calls, it does not matter that its own part is below resolution.
func (u use) value() budget.Value {
	half := u.ownError*u.own + u.wholeError*(u.whole-u.own)
	return budget.Value{Mean: u.whole, Low: max(0, u.whole-half), High: u.whole + half, Unresolved: u.unresolved && 2*u.own > u.whole}
}

func useOf(r *record.Run, c *record.Component, l budget.Limit, cells []int) use {
	var u use
	if l.Per == budget.Test {
		for _, k := range cells {
			if own, whole := inTest(r, k, l.Quantity); limited(r, int(r.Matrix.Cells[k].Test)) && max(own, whole) > u.whole {
				u.own, u.whole, u.ownOnly = own, max(own, whole), whole == 0
			}
		}
	} else {
		own, whole := c.TimeMS, c.CumTimeMS
		if l.Quantity == budget.Energy {
			own, whole = c.EnergyJ.Total(), c.CumEnergyJ.Total()
		}
		u.own, u.whole, u.ownOnly = own/c.N, max(own, whole)/c.N, whole == 0 && own > 0
	}
	u.unresolved = c.BelowResolution
	u.ownError, u.wholeError = errorOf(r, c, l.Quantity), errorOfTests(r, cells, l.Quantity)
	return u
}

// inTest is the use of a function in one execution of a test; whole is 0 where it is not known.
func inTest(r *record.Run, cell int, q budget.Quantity) (own, whole float64) {
	m := &r.Matrix
	if q == budget.Energy {
		if own = m.TotalJ(cell); m.CumEnergyJ != nil {
			whole = m.CumTotalJ(cell)
		}
		return own, whole
	}
	if own = m.Cells[cell].TimeMS; m.CumTimeMS != nil {
		whole = m.CumTimeMS[cell]
	}
	return own, whole
}

// errorOf is the relative error of a component's own energy or time.
func errorOf(r *record.Run, c *record.Component, q budget.Quantity) float64 {
	if q == budget.Time {
		return relative(r, c.RoundTimeMS)
	}
	if _, high, ok := c.EnergyInterval(); ok && c.EnergyJ.Total() > 0 {
		return high/c.EnergyJ.Total() - 1
	}
	return relative(r, total(c.RoundEnergyJ, r.Matrix.Domains))
}

// errorOfTests is the relative error of the energy or time of all tests that ran a component.
func errorOfTests(r *record.Run, cells []int, q budget.Quantity) float64 {
	var series [][]float64
	for _, k := range cells {
		if t := &r.Tests[r.Matrix.Cells[k].Test]; counts(r, int(r.Matrix.Cells[k].Test)) {
			series = append(series, rounds(r, t, q))
		}
	}
	return relative(r, record.AddSeries(series))
}

func rounds(r *record.Run, t *record.Test, q budget.Quantity) []float64 {
	if q == budget.Energy {
		return total(t.RoundEnergyJ, r.Meter.Domains)
	}
	return t.RoundTimeMS
}

// relative is half the width of the 95 % interval of the mean of values, relative to the mean; 0
// for fewer than two values.
func relative(r *record.Run, values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	if sum <= 0 {
		return 0
	}
	return record.Normal95 * record.MeanError(values, r.Nodes) * float64(len(values)) / sum
}

// decide compares a value with a limit, and writes it as a fact.
func decide(r *record.Run, l budget.Limit, v budget.Value, own bool) (budget.Verdict, note.Note) {
	var remarks []string
	if own {
		remarks = append(remarks, ownOnly)
	}
	if v.Unresolved {
		remarks = append(remarks, belowResolution)
	}
	if r.Rounds == 1 && v.Low == v.High {
		remarks = append(remarks, oneRound)
	}
	low, high := v.Low, v.High
	if low == high || v.Unresolved {
		low, high = 0, 0
	}
	remark, verdict := strings.Join(remarks, ", "), l.Decide(v)
	if own && verdict == budget.Kept {
		verdict = budget.Undecided // what it calls may use the rest, and more
	}
	if l.Quantity == budget.Energy {
		return verdict, note.BudgetEnergy(v.Mean, low, high, source(r), remark)
	}
	return verdict, note.BudgetTime(v.Mean, low, high, remark)
}
