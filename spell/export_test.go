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
