package spell

// Globals returns g of each cell and the oracle's g_e of each test, the
// intermediate values that the published tables print.
func Globals(m *Matrix, o Options) (cells, tests []float64) {
	oracle, weights := o.defaults()
	t := total(m)
	p := newProduct(m, weights, &t)
	for i := range m.Cells {
		cells = append(cells, p.cell(i))
	}
	return cells, p.byTest(oracle)
}

// DrawFactors returns what the bootstrap multiplies energies by; it is called
// once for each component that ran, in their order.
func DrawFactors(b Bootstrap) func(component, domains int) []float64 {
	return newFactors(b, b.Resamples).draw
}
