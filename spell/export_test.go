package spell

// Globals returns g of each cell and the oracle's g_e of each test, the
// intermediate values that the published tables print.
func Globals(m *Matrix, o Options) (cells, tests []float64) {
	oracle, weights := o.WithDefaults()
	p := newProduct(m, weights)
	tests = make([]float64, len(m.Tests))
	of := make([]float64, len(m.Domains)+3)
	for i, c := range m.Cells {
		p.values(of, i)
		cells = append(cells, of[2])
		tests[c.Test] += of[2]
	}
	if oracle == ProductOfSums {
		tests = p.productsOfSums(1)
	}
	return cells, tests
}

// DrawFactors returns what the bootstrap multiplies energies by; it is called
// once for each component that ran, in their order.
func DrawFactors(b Bootstrap) func(component, domains int) []float64 {
	return newFactors(b, b.Resamples).draw
}

// RankIn is Rank with a number of workers, however small the matrix is.
func RankIn(m *Matrix, o Options, workers int) Ranking { return rank(m, o, workers) }

// ValidateIn is Validate with a number of workers.
func (m *Matrix) ValidateIn(workers int) error { return m.validate(workers) }

// Sum is sumOf.
func Sum(xs []float64) float64 { return sumOf(xs) }

// SumOf is the sum of numbers as the analysis adds them; certain is false if it
// was left to Exactly.
func SumOf(parts ...[]float64) (v float64, certain bool) {
	var s sum
	addends := 0
	for _, part := range parts {
		var p sum
		for _, x := range part {
			p.add(x)
		}
		s.merge(p)
		addends += len(part) + 2
	}
	return s.rounded(addends)
}

// Exactly is the slow sum.
func Exactly(xs []float64) float64 {
	var e exact
	for _, x := range xs {
		e.add(x)
	}
	return e.value()
}
