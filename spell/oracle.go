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

// newProduct looks for values of each category no further than to the first.
func newProduct(m *Matrix, w Weights) *product {
	p := &product{m: m, weights: w.vector(m.Domains)}
	for i := range m.Cells {
		p.use.energy = p.use.energy || p.weighted(m.Joules(i)) > 0
		p.use.n = p.use.n || m.Cells[i].N > 0
		p.use.time = p.use.time || m.Cells[i].TimeMS > 0
		if p.use == (categories{true, true, true}) {
			break
		}
	}
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

// addToComponents adds N, T, g and the joules of cells to the sums of their
// components.
func (p *product) addToComponents(sums []sum, from, to int) {
	d := len(p.m.Domains)
	for i := from; i < to; i++ {
		c := &p.m.Cells[i]
		of := sums[int(c.Component)*(d+3):][:d+3]
		var ef float64
		for k, e := range p.m.Energy[i*d:][:d] {
			ef += float64(p.weights[k] * e)
			of[3+k].add(e)
		}
		of[0].add(c.N)
		of[1].add(c.TimeMS)
		of[2].add(p.use.g(ef, c.N, c.TimeMS))
	}
}

// values are what addToComponents adds of one cell.
func (p *product) values(of []float64, i int) {
	c, joules := &p.m.Cells[i], p.m.Joules(i)
	of[0], of[1], of[2] = c.N, c.TimeMS, p.use.g(p.weighted(joules), c.N, c.TimeMS)
	copy(of[3:], joules)
}

func (p *product) componentOf(i int) int { return int(p.m.Cells[i].Component) }

// productsOfSums returns, for each test, the product of its EF, N and T.
func (p *product) productsOfSums(workers int) []float64 {
	sums := (&tally{
		cells: len(p.m.Cells), rows: len(p.m.Tests), width: 3, addends: len(p.m.Components),
		add: p.addToTests, row: p.testOf, values: p.factors,
	}).sums(workers)
	g := make([]float64, len(p.m.Tests))
	for t := range g {
		g[t] = p.use.g(sums[3*t], sums[3*t+1], sums[3*t+2])
	}
	return g
}

// addToTests adds EF, N and T of cells to the sums of their tests.
func (p *product) addToTests(sums []sum, from, to int) {
	for i := from; i < to; i++ {
		c := &p.m.Cells[i]
		of := sums[3*int(c.Test):][:3]
		of[0].add(p.weighted(p.m.Joules(i)))
		of[1].add(c.N)
		of[2].add(c.TimeMS)
	}
}

// factors are what addToTests adds of one cell.
func (p *product) factors(of []float64, i int) {
	c := &p.m.Cells[i]
	of[0], of[1], of[2] = p.weighted(p.m.Joules(i)), c.N, c.TimeMS
}

func (p *product) testOf(i int) int { return int(p.m.Cells[i].Test) }

// psi returns the global similarity by component: the sum of g_ij over the
// tests divided by that of the oracle. All are 0 if the oracle's is. The sum of
// SumOfProducts over the tests is that of t.g over the components.
func (p *product) psi(t *totals, o Oracle, workers int) []float64 {
	all := t.allG
	if o == ProductOfSums {
		all = sumOf(p.productsOfSums(workers))
	}
	psi := make([]float64, len(t.g))
	for j, g := range t.g {
		psi[j] = share(g, all)
	}
	return psi
}
