package spell

// An Oracle says what the global similarity of a component is measured
// against. Both oracles give the same order and the same zones, since for a
// given matrix their psi differ by one factor; only the values differ.
type Oracle string

// The oracles. The empty one is SumOfProducts.
const (
	// SumOfProducts is the paper's: in test i, the sum of g_ij over the
	// components. The psi of all components add up to 1.
	SumOfProducts Oracle = "sum-of-products"
	// ProductOfSums is that of the thesis' Table 3: in test i, the product of
	// the sums of EF, of N and of T over the components. The psi of all
	// components add up to less than 1 where more than one ran.
	ProductOfSums Oracle = "product-of-sums"
)

// categories says which of energy, N and T make up the product g. One without
// any value in the matrix is left out, as it would make every psi 0.
type categories struct{ energy, n, time bool }

// g is the product of those that count; 0 if none does. Its steps are rounded
// one by one, so that machines with fused multiply-add give the same result.
func (c categories) g(ef, n, timeMS float64) float64 {
	if !c.energy {
		ef = 1
	}
	if c.n {
		ef = float64(ef * n)
	}
	if c.time {
		ef = float64(ef * timeMS)
	}
	if c == (categories{}) {
		return 0
	}
	return ef
}

// A product evaluates g_ij = EF_ij x N_ij x T_ij (paper, eqs. 7 to 17), where
// EF_ij is the sum of weight x energy over the domains.
type product struct {
	m       *Matrix
	weights []float64 // by domain
	use     categories
}

func newProduct(m *Matrix, w Weights, t *totals) product {
	p := product{m: m, weights: w.vector(m.Domains)}
	p.use = categories{energy: p.weighted(t.allJoules) > 0, n: t.allN > 0, time: t.allTimeMS > 0}
	return p
}

// weighted returns EF of the joules of a cell.
func (p *product) weighted(joules []float64) float64 {
	var ef float64
	for d, e := range joules {
		ef += float64(p.weights[d] * e) // rounded here: see categories.g
	}
	return ef
}

// cell returns g of cell i.
func (p *product) cell(i int) float64 {
	c := &p.m.Cells[i]
	return p.use.g(p.weighted(p.m.Joules(i)), c.N, c.TimeMS)
}

// byComponent returns, for each component, the sum of g over the tests.
func (p *product) byComponent() []float64 {
	sums := make([]sum, len(p.m.Components))
	for i := range p.m.Cells {
		sums[p.m.Cells[i].Component].add(p.cell(i))
	}
	return values(sums)
}

// byTest returns the oracle's g_e for each test.
func (p *product) byTest(o Oracle) []float64 {
	if o == ProductOfSums {
		return p.productsOfSums()
	}
	sums := make([]sum, len(p.m.Tests))
	for i := range p.m.Cells {
		sums[p.m.Cells[i].Test].add(p.cell(i))
	}
	return values(sums)
}

func (p *product) productsOfSums() []float64 {
	sums := make([]struct{ ef, n, timeMS sum }, len(p.m.Tests))
	for i := range p.m.Cells {
		c := &p.m.Cells[i]
		s := &sums[c.Test]
		s.ef.add(p.weighted(p.m.Joules(i)))
		s.n.add(c.N)
		s.timeMS.add(c.TimeMS)
	}
	g := make([]float64, len(sums))
	for t := range sums {
		s := &sums[t]
		g[t] = p.use.g(s.ef.value(), s.n.value(), s.timeMS.value())
	}
	return g
}

// psi returns the global similarity by component: the sum of g_ij over the
// tests divided by that of the oracle. All are 0 if the oracle's is.
func (p *product) psi(o Oracle) []float64 {
	psi := p.byComponent()
	all := sumOf(p.byTest(o))
	for j := range psi {
		psi[j] = share(psi[j], all)
	}
	return psi
}

func values(sums []sum) []float64 {
	v := make([]float64, len(sums))
	for i := range sums {
		v[i] = sums[i].value()
	}
	return v
}
