package spell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"spell-lsp/spell"
)

// dense is a matrix written out: a value for every test and component.
type dense struct {
	weights []float64
	energy  [][][]float64 // test, component, domain
	n, time [][]float64   // test, component
}

func spread(m *spell.Matrix, w spell.Weights) dense {
	var d dense
	for _, domain := range m.Domains {
		d.weights = append(d.weights, w[domain])
	}
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
		copy(d.energy[c.Test][c.Component], m.Joules(i))
	}
	return d
}

func (d dense) ef(i, j int) float64 {
	var ef float64
	for k, w := range d.weights {
		ef += w * d.energy[i][j][k]
	}
	return ef
}

// psi is the definition with every sum written out.
func (d dense) psi(j int, oracle spell.Oracle) float64 {
	var own, all float64
	for i := range d.n {
		own += d.ef(i, j) * d.n[i][j] * d.time[i][j]
		var products, efs, ns, times float64
		for k := range d.n[i] {
			products += d.ef(i, k) * d.n[i][k] * d.time[i][k]
			efs += d.ef(i, k)
			ns += d.n[i][k]
			times += d.time[i][k]
		}
		if oracle == spell.ProductOfSums {
			all += efs * ns * times
		} else {
			all += products
		}
	}
	return own / all
}

// ratio is the share of component j in the sum of a value over everything.
func (d dense) ratio(j int, value func(i, j int) float64) float64 {
	var own, all float64
	for i := range d.n {
		for k := range d.n[i] {
			all += value(i, k)
			if k == j {
				own += value(i, k)
			}
		}
	}
	return own / all
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

// What Rank computes in a few sparse passes is what the equations say when
// they are written out with plain loops.
func TestRankIsTheEquations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	weights := spell.DefaultWeights()
	for range 1000 {
		m := randomMatrix(rng)
		d := spread(m, weights)
		for _, oracle := range []spell.Oracle{spell.SumOfProducts, spell.ProductOfSums} {
			ranking := spell.Rank(m, spell.Options{Oracle: oracle})
			for rank, row := range ranking.Rows {
				j := row.Component
				near(t, "psi", row.Psi, d.psi(j, oracle), 1e-12)
				near(t, "phi n", row.Phi.N, d.ratio(j, func(i, j int) float64 { return d.n[i][j] }), 1e-12)
				near(t, "phi time", row.Phi.Time, d.ratio(j, func(i, j int) float64 { return d.time[i][j] }), 1e-12)
				for k := range m.Domains {
					near(t, "phi energy", row.Phi.Energy[k], d.ratio(j, func(i, j int) float64 { return d.energy[i][j][k] }), 1e-12)
				}
				if row.Rank != rank+1 || rank > 0 && row.Psi > ranking.Rows[rank-1].Psi {
					t.Fatalf("row %d has rank %d and psi %v, after psi %v", rank, row.Rank, row.Psi, ranking.Rows[rank-1].Psi)
				}
			}
		}
		if t.Failed() {
			t.Fatalf("for %+v", m)
		}
	}
}
