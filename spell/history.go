package spell

import "slices"

// A history is the cells of several rounds side by side.
type history struct {
	components, tests, rounds int
	energies                  int // rows of energy that each cell has
	use                       categories
	keys                      []uint64 // component << 32 | test of every cell that any round has, ascending
	cells                     []series // in the order of keys
}

// A series is a cell in each round: the rounds of its weighted energy, which is
// EF or one row for each domain, then those of N, then those of T.
type series []float64

func key(c Cell) uint64 { return uint64(uint32(c.Component))<<32 | uint64(uint32(c.Test)) }

// newHistory keeps EF, or if byDomain is set its parts, the weighted energies.
func newHistory(rounds []*Matrix, w Weights, byDomain bool) *history {
	h := &history{components: len(rounds[0].Components), tests: len(rounds[0].Tests), rounds: len(rounds), energies: 1}
	if byDomain {
		h.energies = len(rounds[0].Domains)
	}
	for _, m := range rounds {
		for _, c := range m.Cells {
			h.keys = append(h.keys, key(c))
		}
	}
	slices.Sort(h.keys)
	h.keys = slices.Compact(h.keys)
	h.cells = h.newSeries(len(h.keys))
	for r, m := range rounds {
		h.add(r, m, w, byDomain)
	}
	return h
}

func (h *history) add(r int, m *Matrix, w Weights, byDomain bool) {
	p := newProduct(m, w)
	h.use.energy = h.use.energy || p.use.energy
	h.use.n = h.use.n || p.use.n
	h.use.time = h.use.time || p.use.time
	for i, c := range m.Cells {
		k, _ := slices.BinarySearch(h.keys, key(c))
		s := h.cells[k]
		s[h.energies*h.rounds+r], s[(h.energies+1)*h.rounds+r] = c.N, c.TimeMS
		if !byDomain {
			s[r] = p.weighted(m.Joules(i))
			continue
		}
		for d, e := range m.Joules(i) {
			s[d*h.rounds+r] = p.weights[d] * e
		}
	}
}

func (h *history) newSeries(count int) []series {
	width := (h.energies + 2) * h.rounds
	all := make([]float64, count*width)
	list := make([]series, count)
	for k := range list {
		list[k] = all[k*width:][:width]
	}
	return list
}

// mean returns the means of EF, N and T over the rounds as draw weighs them,
// each row of energy multiplied by its factor, if there are any.
func (h *history) mean(s series, draw, factors []float64) (ef, n, timeMS float64) {
	r, rest := len(draw), s[h.energies*h.rounds:]
	e, ns, times := s[:r], rest[:r], rest[r:][:r]
	for k, w := range draw {
		ef += float64(w * e[k])
		n += float64(w * ns[k])
		timeMS += float64(w * times[k])
	}
	for d, f := range factors {
		if d == 0 {
			ef *= f
			continue
		}
		var more float64
		for k, w := range draw {
			more += float64(w * s[d*r+k])
		}
		ef += float64(f * more)
	}
	return ef, n, timeMS
}

// psi returns, by component, its psi in each draw; nil for one that has no
// cell.
func (h *history) psi(o Oracle, draws [][]float64, f *factors) [][]float64 {
	psi := make([][]float64, h.components)
	all := make([]float64, len(draws))
	var tests [][]float64 // EF of each test in each draw
	if o == ProductOfSums {
		tests = make([][]float64, h.tests)
	}
	var scale []float64 // of the component, by draw and row of energy
	for k, s := range h.cells {
		j := h.keys[k] >> 32
		if psi[j] == nil {
			psi[j] = make([]float64, len(draws))
			scale = f.draw(int(j), h.energies)
		}
		var of []float64
		if tests != nil {
			of = rowOf(tests, uint32(h.keys[k]), len(draws))
		}
		h.addProducts(psi[j], of, s, draws, scale)
	}
	if o == ProductOfSums {
		h.addTests(all, tests, draws)
	} else {
		addRows(all, psi)
	}
	for j := range psi {
		for b := range psi[j] {
			psi[j][b] = share(psi[j][b], all[b])
		}
	}
	return psi
}

// addProducts adds g of the mean of s under each draw, and to efs, unless it is
// nil, its EF.
func (h *history) addProducts(to, efs []float64, s series, draws [][]float64, scale []float64) {
	var factors []float64
	for b, draw := range draws {
		if scale != nil {
			factors = scale[b*h.energies:][:h.energies]
		}
		ef, n, timeMS := h.mean(s, draw, factors)
		if efs != nil {
			efs[b] += ef
		}
		to[b] += h.use.g(ef, n, timeMS)
	}
}

// addTests adds the products of each test's sums under each draw.
func (h *history) addTests(to []float64, efs, draws [][]float64) {
	for i, s := range h.byTest() {
		if efs[i] == nil {
			continue // no component ran in it
		}
		for b, draw := range draws {
			_, n, timeMS := h.mean(s, draw, nil)
			to[b] += h.use.g(efs[i][b], n, timeMS)
		}
	}
}

func rowOf(rows [][]float64, i uint32, length int) []float64 {
	if rows[i] == nil {
		rows[i] = make([]float64, length)
	}
	return rows[i]
}

func addRows(to []float64, rows [][]float64) {
	for _, row := range rows {
		for b, v := range row {
			to[b] += v
		}
	}
}

// byTest returns, for each test, the sums of its cells.
func (h *history) byTest() []series {
	tests := h.newSeries(h.tests)
	for k, s := range h.cells {
		of := tests[uint32(h.keys[k])]
		for i, v := range s {
			of[i] += v
		}
	}
	return tests
}
