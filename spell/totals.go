package spell

// totals are the sums of a matrix over its tests, by component, and over
// everything.
type totals struct {
	n, timeMS       []float64 // by component
	joules          []float64 // component j has joules[j*D : (j+1)*D]
	allN, allTimeMS float64
	allJoules       []float64 // by domain
}

func total(m *Matrix) totals {
	// All sums of a component stand together: one cache line in most cases.
	width := len(m.Domains) + 2
	sums := make([]sum, len(m.Components)*width)
	for i, c := range m.Cells {
		of := sums[int(c.Component)*width:][:width]
		of[0].add(c.N)
		of[1].add(c.TimeMS)
		for d, e := range m.Joules(i) {
			of[2+d].add(e)
		}
	}
	t := totals{
		n:         make([]float64, len(m.Components)),
		timeMS:    make([]float64, len(m.Components)),
		joules:    make([]float64, len(m.Components)*len(m.Domains)),
		allJoules: make([]float64, len(m.Domains)),
	}
	t.fill(sums, width)
	return t
}

func (t *totals) fill(sums []sum, width int) {
	all := make([]sum, width)
	for j := range t.n {
		of := sums[j*width:][:width]
		t.n[j], t.timeMS[j] = of[0].value(), of[1].value()
		joules := t.joulesOf(j)
		for d := range joules {
			joules[d] = of[2+d].value()
		}
		for k := range of {
			all[k].add(of[k].value())
		}
	}
	t.allN, t.allTimeMS = all[0].value(), all[1].value()
	for d := range t.allJoules {
		t.allJoules[d] = all[2+d].value()
	}
}

// joulesOf returns the energy of component j by domain.
func (t *totals) joulesOf(j int) []float64 {
	d := len(t.allJoules)
	return t.joules[j*d : (j+1)*d : (j+1)*d]
}

// phi returns the similarities of component j, its shares of the totals. A
// category without any value gives 0.
func (t *totals) phi(j int) Phi {
	p := Phi{Energy: make([]float64, len(t.allJoules)), N: share(t.n[j], t.allN), Time: share(t.timeMS[j], t.allTimeMS)}
	for d, e := range t.joulesOf(j) {
		p.Energy[d] = share(e, t.allJoules[d])
	}
	return p
}

func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
