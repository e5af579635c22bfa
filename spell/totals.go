package spell

// totals are the sums of a matrix over its tests, by component, and over
// everything.
type totals struct {
	n, timeMS, g    []float64 // by component
	joules          []float64 // component j has joules[j*D : (j+1)*D]
	allN, allTimeMS float64
	allJoules       []float64 // by domain
	allG            float64
}

// totals goes through the cells once, each worker through a part of them, and
// once more where a sum must be settled.
func (p *product) totals(workers int) *totals {
	d, components := len(p.m.Domains), len(p.m.Components)
	width := d + 3
	sums := (&tally{
		cells: len(p.m.Cells), rows: components, width: width, addends: len(p.m.Tests),
		add: p.addToComponents, row: p.componentOf, values: p.values,
	}).sums(workers)
	t := &totals{
		n: make([]float64, components), timeMS: make([]float64, components), g: make([]float64, components),
		joules: make([]float64, components*d), allJoules: make([]float64, d),
	}
	for j := range components {
		of := sums[j*width:][:width]
		t.n[j], t.timeMS[j], t.g[j] = of[0], of[1], of[2]
		copy(t.joulesOf(j), of[3:])
	}
	t.allN, t.allTimeMS, t.allG = sumOf(t.n), sumOf(t.timeMS), sumOf(t.g)
	ofDomain := make([]float64, components)
	for k := range t.allJoules {
		for j := range ofDomain {
			ofDomain[j] = t.joules[j*d+k]
		}
		t.allJoules[k] = sumOf(ofDomain)
	}
	return t
}

// joulesOf returns the energy of component j by domain.
func (t *totals) joulesOf(j int) []float64 {
	d := len(t.allJoules)
	return t.joules[j*d : (j+1)*d : (j+1)*d]
}

// phi returns the similarities of component j, its shares of the totals. A
// category without any value gives 0. Those of the domains are put into energy.
func (t *totals) phi(j int, energy []float64) Phi {
	for d, e := range t.joulesOf(j) {
		energy[d] = share(e, t.allJoules[d])
	}
	return Phi{Energy: energy, N: share(t.n[j], t.allN), Time: share(t.timeMS[j], t.allTimeMS)}
}

func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
