package spell

import "slices"

// A history is the cells of several rounds side by side.
type history struct {
	components, tests int
	use               categories
	keys              []uint64 // component << 32 | test of every cell that any round has, ascending
	cells             []series // in the order of keys
}

// A series is EF, N and T of one cell in each round, the rounds of EF first,
// then those of N, then those of T.
type series []float64

// mean returns the means of EF, N and T over the rounds as draw weighs them.
func (s series) mean(draw []float64) (ef, n, timeMS float64) {
	r := len(draw)
	a, b, c := s[:r], s[r:][:r], s[2*r:][:r]
	for k, w := range draw {
		ef += float64(w * a[k])
		n += float64(w * b[k])
		timeMS += float64(w * c[k])
	}
	return ef, n, timeMS
}

func key(c Cell) uint64 { return uint64(uint32(c.Component))<<32 | uint64(uint32(c.Test)) }

func newHistory(rounds []*Matrix, w Weights) *history {
	h := &history{components: len(rounds[0].Components), tests: len(rounds[0].Tests)}
	for _, m := range rounds {
		for _, c := range m.Cells {
			h.keys = append(h.keys, key(c))
		}
	}
	slices.Sort(h.keys)
	h.keys = slices.Compact(h.keys)
	h.cells = newSeries(len(h.keys), len(rounds))
	for r, m := range rounds {
		t := total(m)
		p := newProduct(m, w, &t)
		h.use.energy = h.use.energy || p.use.energy
		h.use.n = h.use.n || p.use.n
		h.use.time = h.use.time || p.use.time
		for i, c := range m.Cells {
			k, _ := slices.BinarySearch(h.keys, key(c))
			s := h.cells[k]
			s[r], s[len(rounds)+r], s[2*len(rounds)+r] = p.weighted(m.Joules(i)), c.N, c.TimeMS
		}
	}
	return h
}

func newSeries(count, rounds int) []series {
	all := make([]float64, count*3*rounds)
	list := make([]series, count)
	for k := range list {
		list[k] = all[k*3*rounds:][:3*rounds]
	}
	return list
}

// psi returns, by component, its psi in each draw; nil for one that has no
// cell.
func (h *history) psi(o Oracle, draws [][]float64) [][]float64 {
	psi := make([][]float64, h.components)
	all := make([]float64, len(draws))
	for k, s := range h.cells {
		j := h.keys[k] >> 32
		if psi[j] == nil {
			psi[j] = make([]float64, len(draws))
		}
		h.addProducts(psi[j], s, draws)
	}
	if o == ProductOfSums {
		for _, s := range h.byTest(len(draws[0])) {
			h.addProducts(all, s, draws)
		}
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

// addProducts adds g of the mean of s under each draw.
func (h *history) addProducts(to []float64, s series, draws [][]float64) {
	for b, draw := range draws {
		to[b] += h.use.g(s.mean(draw))
	}
}

func addRows(to []float64, rows [][]float64) {
	for _, row := range rows {
		for b, v := range row {
			to[b] += v
		}
	}
}

// byTest returns, for each test, the sums of its cells.
func (h *history) byTest(rounds int) []series {
	tests := newSeries(h.tests, rounds)
	for k, s := range h.cells {
		of := tests[uint32(h.keys[k])]
		for i, v := range s {
			of[i] += v
		}
	}
	return tests
}
