package record

import "sync"

// parts is into how many parts the cells of a large matrix are divided to be added
// up at the same time. It is fixed: sums must not depend on the processors.
const (
	parts     = 8
	partCells = 1 << 17 // fewer are not worth it
)

// SumEnergy adds up the energies by test or component, of which there are so
// many: of gives that of a cell, below 0 for none. values are EnergyJ or
// CumEnergyJ. The result has one value for each domain, in joules.
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

// sums calls add for parts of the cells, each with sums of its own, and adds
// these up.
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
