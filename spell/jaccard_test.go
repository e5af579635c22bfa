package spell_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"spell-lsp/spell"
)

func TestMinMaxJaccard(t *testing.T) {
	tests := []struct {
		name string
		a, b []float64
		want float64
	}{
		{"the same", []float64{1, 2, 3}, []float64{1, 2, 3}, 1},
		{"nothing in common", []float64{1, 0}, []float64{0, 5}, 0},
		{"both are zero", []float64{0, 0}, []float64{0, 0}, 0},
		{"no values", nil, nil, 0},
		{"minima 1 + 2, maxima 4 + 6", []float64{1, 6}, []float64{4, 2}, 0.3},
		{"a shorter one has zeros", []float64{1}, []float64{2, 3}, 0.2},
		{"a shorter second one too", []float64{2, 3}, []float64{1}, 0.2},
		{"sets", []float64{1, 1, 0, 0}, []float64{1, 0, 1, 0}, 1. / 3},
	}
	for _, test := range tests {
		if got := spell.MinMaxJaccard(test.a, test.b); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// The thesis defines the similarity by this coefficient, the paper by a ratio
// of sums. Against the totals they are one, so Phi serves both.
func TestPhiIsMinMaxJaccardAgainstTheTotals(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 1000 {
		m := randomMatrix(rng)
		d := spread(m)
		for _, row := range spell.Rank(m, spell.Options{}).Rows {
			j := row.Component
			against := func(value func(i, j int) float64) float64 {
				own, all := make([]float64, len(m.Tests)), make([]float64, len(m.Tests))
				for i := range m.Tests {
					own[i] = value(i, j)
					for k := range m.Components {
						all[i] += value(i, k)
					}
				}
				return spell.MinMaxJaccard(own, all)
			}
			near(t, "phi n", row.Phi.N, against(func(i, j int) float64 { return d.n[i][j] }), 1e-12)
			near(t, "phi time", row.Phi.Time, against(func(i, j int) float64 { return d.time[i][j] }), 1e-12)
			for k := range m.Domains {
				near(t, fmt.Sprint("phi of domain ", k), row.Phi.Energy[k], against(func(i, j int) float64 { return d.energy[i][j][k] }), 1e-12)
			}
		}
		if t.Failed() {
			t.Fatalf("for %+v", m)
		}
	}
}

// Against anything but totals it is not a ratio of sums: here two components
// have 0.6 and 0.4 of the executions, and 1 of 9 in common.
func TestMinMaxJaccardOfTwoComponentsIsNoShare(t *testing.T) {
	a, b := []float64{3, 0}, []float64{0.5, 1.5}
	m := matrix([4]float64{0, 0, a[0], 1}, [4]float64{0, 0, b[0], 1})
	m.Tests = append(m.Tests, "u")
	m.Add(spell.Cell{Test: 1, Component: 1, N: b[1]}, 0, 0)
	phi := spell.Rank(m, spell.Options{}).Rows[0].Phi.N
	near(t, "phi n", phi, 0.6, 1e-15)
	near(t, "against the other", spell.MinMaxJaccard(a, b), 1./9, 1e-15)
	near(t, "against the totals", spell.MinMaxJaccard(a, []float64{a[0] + b[0], a[1] + b[1]}), phi, 1e-15)
}
