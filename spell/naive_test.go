package spell_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"spell-lsp/spell"
)

// dense is a matrix written out: a value for every test and component. All that
// follows from it is computed with plain loops, and with nothing of what it is
// compared with.
type dense struct {
	energy  [][][]float64 // test, component, domain
	n, time [][]float64   // test, component
}

func spread(m *spell.Matrix) dense {
	var d dense
	for range m.Tests {
		d.n = append(d.n, make([]float64, len(m.Components)))
		d.time = append(d.time, make([]float64, len(m.Components)))
		row := make([][]float64, len(m.Components))
		for j := range row {
			row[j] = make([]float64, len(m.Domains))
		}
		d.energy = append(d.energy, row)
	}
	for i, c := range m.Cells {
		d.n[c.Test][c.Component] = c.N
		d.time[c.Test][c.Component] = c.TimeMS
		copy(d.energy[c.Test][c.Component], m.Energy[i*len(m.Domains):])
	}
	return d
}

// sum adds up a value over everything; of one component only if that is not
// below 0.
func (d dense) sum(component int, value func(i, j int) float64) float64 {
	var s float64
	for i := range d.n {
		for j := range d.n[i] {
			if component < 0 || j == component {
				s += value(i, j)
			}
		}
	}
	return s
}

// ratio is the share of component j in the sum of a value over everything.
func (d dense) ratio(j int, value func(i, j int) float64) float64 {
	all := d.sum(-1, value)
	if all == 0 {
		return 0
	}
	return d.sum(j, value) / all
}

// An equation is psi of a matrix as the definition has it.
type equation struct {
	dense
	weights []float64 // by domain
	oracle  spell.Oracle
	// What is left out, because it is 0 everywhere or may not count.
	noEnergy, noN, noTime bool
}

func equationOf(d dense, domains []spell.Domain, w spell.Weights, oracle spell.Oracle) equation {
	e := equation{dense: d, oracle: oracle}
	for _, domain := range domains {
		e.weights = append(e.weights, w[domain])
	}
	e.noEnergy = d.sum(-1, e.ef) == 0
	e.noN = d.sum(-1, func(i, j int) float64 { return d.n[i][j] }) == 0
	e.noTime = d.sum(-1, func(i, j int) float64 { return d.time[i][j] }) == 0
	return e
}

func (e equation) ef(i, j int) float64 {
	var ef float64
	for k, w := range e.weights {
		ef += w * e.energy[i][j][k]
	}
	return ef
}

func (e equation) product(ef, n, time float64) float64 {
	if e.noEnergy && e.noN && e.noTime {
		return 0
	}
	if e.noEnergy {
		ef = 1
	}
	if e.noN {
		n = 1
	}
	if e.noTime {
		time = 1
	}
	return ef * n * time
}

func (e equation) g(i, j int) float64 { return e.product(e.ef(i, j), e.n[i][j], e.time[i][j]) }

// psi is that of every component.
func (e equation) psi(components int) []float64 {
	psi := make([]float64, components)
	var all float64
	for i := range e.n {
		var products, ef, n, time float64
		for j := range psi {
			psi[j] += e.g(i, j)
			products += e.g(i, j)
			ef, n, time = ef+e.ef(i, j), n+e.n[i][j], time+e.time[i][j]
		}
		if e.oracle == spell.ProductOfSums {
			all += e.product(ef, n, time)
		} else {
			all += products
		}
	}
	for j := range psi {
		if all > 0 {
			psi[j] /= all
		}
	}
	return psi
}

// zonesBy are the zones by component that a rule gives psi: each component is
// compared with all that come before it.
func zonesBy(psi []float64, components []spell.Component, rule spell.ZoneRule) []spell.Zone {
	const rounding = 1e-9
	zones := make([]spell.Zone, len(psi))
	var all float64
	for _, p := range psi {
		all += p
	}
	for j, p := range psi {
		above := 0.0
		for k, q := range psi {
			if q > p || q == p && (components[k].Package < components[j].Package || components[k].Package == components[j].Package && components[k].ID < components[j].ID) {
				above += q / all
			}
		}
		own := p / all
		red, yellow := above < cmp.Or(rule.Red, 0.5)-rounding, above < max(cmp.Or(rule.Red, 0.5), cmp.Or(rule.Yellow, 0.95))-rounding
		if floor := cmp.Or(rule.Floor, 0.05); own < floor-rounding {
			red = false
		}
		if rule.Absolute {
			red, yellow = own >= cmp.Or(rule.Red, 0.2)-rounding, own >= cmp.Or(rule.Yellow, 0.05)-rounding
		}
		switch {
		case p == 0:
			zones[j] = spell.Green
		case red:
			zones[j] = spell.Red
		case yellow:
			zones[j] = spell.Yellow
		default:
			zones[j] = spell.Green
		}
	}
	return zones
}

// zonesOf are the zones that options give: where energy is below resolution,
// not above yellow, and not above what the zone is without energy.
func (e equation) zonesOf(m *spell.Matrix, o spell.Options) []spell.Zone {
	zones := zonesBy(e.psi(len(m.Components)), m.Components, o.Zones)
	exact := e
	exact.noEnergy, exact.oracle = true, spell.SumOfProducts
	supported := zonesBy(exact.psi(len(m.Components)), m.Components, o.Zones)
	for j, below := range o.BelowResolution {
		if below && zones[j] == spell.Red {
			zones[j] = spell.Yellow
		}
		if below && supported[j] == spell.Green {
			zones[j] = spell.Green
		}
	}
	return zones
}

// randomMatrix has at least one cell; values span eight orders of magnitude.
func randomMatrix(rng *rand.Rand) *spell.Matrix {
	m := &spell.Matrix{Domains: spell.Domains()[:1+rng.IntN(6)]}
	for i := range 1 + rng.IntN(8) {
		m.Tests = append(m.Tests, fmt.Sprintf("t%d", i))
	}
	for j := range 1 + rng.IntN(12) {
		m.Components = append(m.Components, spell.Component{ID: fmt.Sprintf("c%d", j), Package: fmt.Sprintf("p%d", rng.IntN(3))})
	}
	value := func() float64 { return math.Pow(10, 8*rng.Float64()-4) }
	for i := range m.Tests {
		for j := range m.Components {
			if i+j > 0 && rng.IntN(3) == 0 {
				continue
			}
			joules := make([]float64, len(m.Domains))
			for d := range joules {
				joules[d] = value()
			}
			m.Add(spell.Cell{Test: int32(i), Component: int32(j), N: math.Ceil(value()), TimeMS: value()}, joules...)
		}
	}
	return m
}

// withGaps sets some of the values of m, or all of a category, to 0, and may
// leave m without domains or cells.
func withGaps(m *spell.Matrix, rng *rand.Rand) *spell.Matrix {
	some := func(all *bool) bool { return *all || rng.IntN(8) == 0 }
	var none [3]bool // energy, n, time
	for k := range none {
		none[k] = rng.IntN(6) == 0
	}
	for i := range m.Cells {
		if some(&none[1]) {
			m.Cells[i].N = 0
		}
		if some(&none[2]) {
			m.Cells[i].TimeMS = 0
		}
	}
	for i := range m.Energy {
		if some(&none[0]) {
			m.Energy[i] = 0
		}
	}
	switch rng.IntN(12) {
	case 0:
		m.Domains, m.Energy = nil, nil
	case 1:
		m.Cells, m.Energy = nil, nil
	}
	return m
}

// randomOptions cover every option, with weights that are 0 or left out.
func randomOptions(m *spell.Matrix, rng *rand.Rand) spell.Options {
	o := spell.Options{Oracle: []spell.Oracle{"", spell.SumOfProducts, spell.ProductOfSums}[rng.IntN(3)]}
	if rng.IntN(2) == 0 {
		o.Weights = spell.Weights{}
		for _, d := range m.Domains {
			if rng.IntN(4) > 0 {
				o.Weights[d] = 3 * rng.Float64() * float64(rng.IntN(4))
			}
		}
	}
	o.Zones.Absolute = rng.IntN(2) == 0
	for _, cut := range []*float64{&o.Zones.Red, &o.Zones.Yellow, &o.Zones.Floor} {
		if rng.IntN(2) == 0 {
			*cut = 1.2*rng.Float64() - 0.1
		}
	}
	if rng.IntN(2) == 0 {
		for range m.Components {
			o.BelowResolution = append(o.BelowResolution, rng.IntN(3) == 0)
		}
	}
	return o
}

// What Rank computes in one sparse pass is what the equations say when they
// are written out.
func TestRankIsTheEquations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[spell.Zone]int{}
	for range 3000 {
		m := withGaps(randomMatrix(rng), rng)
		d, o := spread(m), randomOptions(m, rng)
		weights := o.Weights
		if weights == nil {
			weights = spell.Weights{spell.CPU: 0.34, spell.DRAM: 0.01, spell.GPU: 0.62, spell.Disk: 0.02, spell.Fans: 0.01, spell.Net: 0.01}
		}
		e := equationOf(d, m.Domains, weights, o.Oracle)
		psi, zones := e.psi(len(m.Components)), e.zonesOf(m, o)
		ranking := spell.Rank(m, o)
		for rank, row := range ranking.Rows {
			j := row.Component
			sameRow(t, d, row)
			near(t, "psi", row.Psi, psi[j], 1e-12)
			if row.Zone != zones[j] {
				t.Errorf("component %d is %s, want %s", j, row.Zone, zones[j])
			}
			if row.Rank != rank+1 || rank > 0 && row.Psi > ranking.Rows[rank-1].Psi {
				t.Errorf("row %d has rank %d and psi %v, after psi %v", rank, row.Rank, row.Psi, ranking.Rows[max(0, rank-1)].Psi)
			}
			seen[row.Zone]++
		}
		if len(ranking.Rows) != len(m.Components) {
			t.Errorf("%d rows for %d components", len(ranking.Rows), len(m.Components))
		}
		if t.Failed() {
			t.Fatalf("for %+v\nof %+v", o, m)
		}
	}
	if seen[spell.Red] < 1000 || seen[spell.Yellow] < 1000 || seen[spell.Green] < 1000 {
		t.Errorf("zones %v: the test sees one side only", seen)
	}
}

// sameRow compares the totals of a row and its phi.
func sameRow(t *testing.T, d dense, row spell.Row) {
	t.Helper()
	j := row.Component
	n, time := func(i, j int) float64 { return d.n[i][j] }, func(i, j int) float64 { return d.time[i][j] }
	about := func(what string, got, want float64) { t.Helper(); near(t, what, got, want, 1e-12*want) }
	about("n", row.N, d.sum(j, n))
	about("time", row.TimeMS, d.sum(j, time))
	near(t, "phi n", row.Phi.N, d.ratio(j, n), 1e-12)
	near(t, "phi time", row.Phi.Time, d.ratio(j, time), 1e-12)
	var joules float64
	for k := range row.Joules {
		energy := func(i, j int) float64 { return d.energy[i][j][k] }
		joules += d.sum(j, energy)
		about("joules", row.Joules[k], d.sum(j, energy))
		near(t, "phi energy", row.Phi.Energy[k], d.ratio(j, energy), 1e-12)
	}
	if row.N > 0 {
		about("epi", row.EPI, joules/row.N)
	} else if row.EPI != 0 {
		t.Errorf("epi is %v without executions", row.EPI)
	}
}
