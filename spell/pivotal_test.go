package spell_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spell-lsp/spell"
)

// rowsOf are rounds of one test with the given joules, by round and component.
func rowsOf(rounds ...[]float64) []*spell.Matrix {
	list := make([]*spell.Matrix, len(rounds))
	for i, joules := range rounds {
		m := &spell.Matrix{Domains: []spell.Domain{spell.CPU}, Tests: []string{"T"}}
		for j, e := range joules {
			m.Components = append(m.Components, spell.Component{ID: string(rune('a' + j))})
			m.Add(spell.Cell{Component: int32(j), N: 1, TimeMS: 1}, e)
		}
		list[i] = m
	}
	return list
}

// A round is pivotal if without it the reader would see another order of the first five, or
// another colour. What concerns less than a hundredth of everything is not seen.
func TestPivotal(t *testing.T) {
	for _, test := range []struct {
		name   string
		rounds []*spell.Matrix
		order  spell.Order
		below  []bool
		want   int
	}{
		{"rounds are alike", rowsOf([]float64{60, 30, 10}, []float64{61, 29, 10}, []float64{59, 31, 10}), spell.ByEnergy, nil, 0},
		{"the only round", rowsOf([]float64{60, 30, 10}), spell.ByEnergy, nil, 1},
		{"one round puts b above c", rowsOf([]float64{60, 18, 22}, []float64{60, 18, 22}, []float64{60, 35, 5}), spell.ByEnergy, nil, 1},
		{"either of two rounds decides who leads", rowsOf([]float64{10, 90}, []float64{10, 90}, []float64{90, 10}, []float64{90, 10}, []float64{45, 55}, []float64{45, 55}), spell.ByEnergy, nil, 2},
		{"the swapped hold nearly the same", rowsOf([]float64{60, 20.2, 19.8}, []float64{60, 20.2, 19.8}, []float64{60, 19.7, 20.3}), spell.ByEnergy, nil, 0},
		{"without one round b is not red", rowsOf([]float64{50.5, 30, 19.5}, []float64{50.5, 30, 19.5}, []float64{48, 31, 21}), spell.ByEnergy, nil, 1},
		{"the same, but below resolution", rowsOf([]float64{50.5, 30, 19.5}, []float64{50.5, 30, 19.5}, []float64{48, 31, 21}), spell.ByEnergy, []bool{true, true, true}, 0},
		{"without one of two rounds the sixth row is the fourth", rowsOf(
			[]float64{40, 20, 12, 10, 9, 3}, []float64{40, 20, 12, 10, 9, 3}, []float64{40, 20, 12, 10, 9, 18}), spell.ByEnergy, nil, 2},
		{"what the sixth and seventh row do is not seen", rowsOf(
			[]float64{40, 20, 12, 10, 9, 5, 3}, []float64{40, 20, 12, 10, 9, 5, 3}, []float64{40, 20, 12, 10, 9, 3, 8}), spell.ByEnergy, nil, 0},
		{"by psi", rowsOf([]float64{60, 18, 22}, []float64{60, 18, 22}, []float64{60, 35, 5}), spell.ByPsi, nil, 1},
	} {
		o := spell.Options{Order: test.order, BelowResolution: test.below}
		if len(test.rounds[0].Components) > 3 { // their zones are all the same
			o.Zones = spell.ZoneRule{Absolute: true, Red: 1, Yellow: 0.001}
		}
		r := spell.Rank(mean(test.rounds), o)
		if got := r.Pivotal(test.rounds, o); got != test.want {
			t.Errorf("%s: %d rounds are pivotal, want %d", test.name, got, test.want)
		}
	}
}

// Pivotal ranks means of matrices like Rank, whatever is in them: it leaves out each round and
// looks at the ranking of the others.
func TestPivotalLeavesOutEachRound(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 7))
	seen := 0
	for range 300 {
		rounds := noisyRounds(rng, 2+rng.IntN(4))
		for _, o := range []spell.Options{{Order: spell.ByEnergy}, {Order: spell.ByWeightedEnergy}, {}, {Oracle: spell.ProductOfSums}} {
			r := spell.Rank(mean(rounds), o)
			want := 0
			for i := range rounds {
				if differ(r, spell.Rank(mean(slices.Delete(slices.Clone(rounds), i, i+1)), o)) {
					want++
				}
			}
			if got := r.Pivotal(rounds, o); got != want {
				t.Fatalf("%+v: %d of %d rounds are pivotal, want %d", o, got, len(rounds), want)
			}
			seen += want
		}
	}
	if seen == 0 {
		t.Error("no round was pivotal in any case")
	}
}

// differ says whether the first five rows or the zones of two rankings differ by what matters.
func differ(a, b spell.Ranking) bool {
	shares := func(r spell.Ranking) ([]float64, []spell.Zone) {
		score, zones, all := make([]float64, len(r.Rows)), make([]spell.Zone, len(r.Rows)), 0.0
		for _, row := range r.Rows {
			all += row.Score
		}
		for _, row := range r.Rows {
			zones[row.Component] = row.Zone
			if all > 0 {
				score[row.Component] = row.Score / all
			}
		}
		return score, zones
	}
	x, xz := shares(a)
	y, yz := shares(b)
	for i := range a.Rows {
		if j := a.Rows[i].Component; xz[j] != yz[j] && math.Max(x[j], y[j]) >= 0.01 {
			return true
		}
		for k := range min(i, 5) {
			lower, upper := a.Rows[i].Component, a.Rows[k].Component
			if adjacent := k == i-1 || i > 4 && k == 4; adjacent && y[lower]-y[upper] > 0.01 {
				return true
			}
		}
	}
	return false
}
