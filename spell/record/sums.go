package record

import "sync"

// The cells of a large matrix are added up in so many parts at the same time. The number is
// fixed, because the rounding of sums must not depend on the number of processors.
const (
	parts     = 8
	partCells = 1 << 17 // fewer are added up in one
)

// SumEnergy adds up the energies of cells by group, as by test or by component. of gives the
// group of a cell; cells with a negative group are left out. values are EnergyJ or
// CumEnergyJ. The result has one value for each group and domain, in joules.
func (m *Matrix) SumEnergy(values []float64, groups int, of func(cell int) int) []float64 {
	width := len(m.Domains)
	return m.sums(groups, width, func(from, to int, sums []float64) {
		for i := from; i < to; i++ {
			g := of(i)
			if g < 0 {
				continue
			}
			for d, e := range values[i*width : (i+1)*width] {
				sums[g*width+d] += e
			}
		}
	})
}

// A Tally is what a component used in the tests of the analysis, per round.
type Tally struct {
	N, TimeMS float64
	EnergyJ   []float64 // by domain of the matrix
}

// TotalJ is the energy of all domains together, in joules.
func (t *Tally) TotalJ() float64 {
	var sum float64
	for _, joules := range t.EnergyJ {
		sum += joules
	}
	return sum
}

// Tallies sums up, by component, the cells that the analysis counts: their cumulative values
// if the analysis is inclusive.
func (r *Run) Tallies() []Tally {
	var a Analysis
	if r.Analysis != nil {
		a = *r.Analysis
	}
	return r.TalliesOf(a.IncludeFailed, a.Inclusive)
}

// TalliesOf sums up cells by component, with or without those of failed tests, and their
// self or their cumulative values.
func (r *Run) TalliesOf(includeFailed, inclusive bool) []Tally {
	m, width := &r.Matrix, len(r.Matrix.Domains)
	counts := make([]bool, len(r.Tests))
	for i := range counts {
		counts[i] = r.Tests[i].InAnalysis(includeFailed)
	}
	energyJ, timeMS := m.EnergyJ, func(i int) float64 { return m.Cells[i].TimeMS }
	if inclusive {
		energyJ, timeMS = m.CumEnergyJ, func(i int) float64 { return m.CumTimeMS[i] }
	}
	joules := m.SumEnergy(energyJ, len(r.Components), func(i int) int {
		if !counts[m.Cells[i].Test] {
			return -1
		}
		return int(m.Cells[i].Component)
	})
	rest := m.sums(len(r.Components), 2, func(from, to int, sums []float64) {
		for i, c := range m.Cells[from:to] {
			if counts[c.Test] {
				sums[2*c.Component] += c.N
				sums[2*c.Component+1] += timeMS(from + i)
			}
		}
	})
	list := make([]Tally, len(r.Components))
	for i := range list {
		list[i] = Tally{rest[2*i], rest[2*i+1], joules[i*width : (i+1)*width : (i+1)*width]}
	}
	return list
}

// Unattributed returns the unattributed energy of the tests of the analysis (leftJ), by part
// and in all, and the whole energy of these tests (allJ), per round in joules. Parts add up
// to less than leftJ where a test does not name them.
func (r *Run) Unattributed() (parts map[Part]float64, leftJ, allJ float64) {
	parts = make(map[Part]float64)
	for i := range r.Tests {
		t := &r.Tests[i]
		if t.LeftOut(r.Analysis != nil && r.Analysis.IncludeFailed) {
			continue
		}
		leftJ += t.UnattributedJ.Total()
		allJ += t.EnergyJ.Total()
		for name, part := range t.Unattributed {
			parts[name] += part.EnergyJ.Total()
		}
	}
	return parts, leftJ, allJ
}

// sums calls add for each part of the cells with sums of its own, and adds these up.
func (m *Matrix) sums(groups, width int, add func(from, to int, sums []float64)) []float64 {
	n := len(m.Cells)
	if n < partCells {
		all := make([]float64, groups*width)
		add(0, n, all)
		return all
	}
	var each [parts][]float64
	var running sync.WaitGroup
	for p := range each {
		each[p] = make([]float64, groups*width)
		running.Go(func() { add(p*n/parts, (p+1)*n/parts, each[p]) })
	}
	running.Wait()
	for _, sums := range each[1:] {
		for k, v := range sums {
			each[0][k] += v
		}
	}
	return each[0]
}
