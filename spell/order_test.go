package spell_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"spell-lsp/spell"
)

// ranked writes the components of a matrix, named a, b, c ..., from the first rank to the
// last, each with the initial of its zone.
func ranked(m *spell.Matrix, o spell.Options) string {
	var list []string
	for _, row := range spell.Rank(m, o).Rows {
		list = append(list, string(rune('a'+row.Component))+":"+string(row.Zone[0]))
	}
	return strings.Join(list, " ")
}

// psi is a product, so one that is called most often stands above one that costs most. The
// energy order points at what costs most, the weighted one at what costs much in few calls.
func TestOrders(t *testing.T) {
	tests := []struct {
		name                  string
		m                     *spell.Matrix // cells of cpu J, dram J, executions, ms
		psi, energy, weighted string
	}{
		// The parking example: a is Sort, b Oldest, c Add, d validGroup.
		{
			"many cheap calls beside few dear ones",
			matrix([4]float64{4.56, 0, 55, 1190}, [4]float64{2.24, 0, 80, 583}, [4]float64{.395, 0, 7800, 103}, [4]float64{.008, 0, 23400, 2}),
			"c:r a:r b:y d:g", "a:r b:y c:y d:g", "a:r b:y c:g d:g",
		},
		{
			"the same after a was repaired: c did not change, and does not turn red",
			matrix([4]float64{.22, 0, 55, 57}, [4]float64{2.24, 0, 80, 583}, [4]float64{.395, 0, 7800, 103}, [4]float64{.008, 0, 23400, 2}),
			"c:r b:y a:g d:g", "b:r c:y a:y d:g", "b:r a:y c:y d:g",
		},
		{
			"joules of all domains count alike",
			matrix([4]float64{1, 0, 1, 1}, [4]float64{0, 1.1, 1, 1}),
			"a:r b:g", "b:r a:y", "b:r a:y",
		},
		{
			"equal joules: psi decides",
			matrix([4]float64{1, 0, 1, 1}, [4]float64{1, 0, 2, 1}),
			"b:r a:y", "b:r a:y", "a:r b:y",
		},
		{
			"half the energy in a sixteenth of the calls is as much",
			matrix([4]float64{1, 0, 1600, 1}, [4]float64{.501, 0, 50, 1}),
			"a:r b:g", "a:r b:y", "b:r a:y",
		},
		{
			"no executions: energy alone",
			matrix([4]float64{1, 0, 0, 1}, [4]float64{4, 0, 0, 1}),
			"b:r a:y", "b:r a:y", "b:r a:y",
		},
		{
			"executions of b are not known: it counts as executed once",
			matrix([4]float64{1, 0, 1, 1}, [4]float64{.9, 0, 0, 1}),
			"a:r b:g", "a:r b:y", "a:r b:y",
		},
		{
			"no joules: time",
			matrix([4]float64{0, 0, 100, 2}, [4]float64{0, 0, 1, 30}, [4]float64{0, 0, 1, 20}),
			"a:r b:y c:y", "b:r c:y a:g", "b:r c:y a:g",
		},
		{
			"no joules and no time: executions",
			matrix([4]float64{0, 0, 1, 0}, [4]float64{0, 0, 3, 0}),
			"b:r a:y", "b:r a:y", "b:r a:y",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for order, want := range map[spell.Order]string{"": test.psi, spell.ByPsi: test.psi, spell.ByEnergy: test.energy, spell.ByWeightedEnergy: test.weighted} {
				if got := ranked(test.m, spell.Options{Order: order}); got != want {
					t.Errorf("order %q: %s, want %s", order, got, want)
				}
			}
		})
	}
}

// A function that holds a tenth of the energy deserves a look, however the rest is spread and
// wherever the user cuts. Energy that is not resolved is held only where the time says so too.
func TestNothingThatHoldsATenthIsGreen(t *testing.T) {
	for _, order := range []spell.Order{spell.ByEnergy, spell.ByWeightedEnergy} {
		rng, tenths := rand.New(rand.NewPCG(1, 2)), 0
		for range 3000 {
			m, o := anyMatrix(rng), spell.Options{Order: order, Zones: anyZones(rng), BelowResolution: anyMarks(rng, 8)}
			held := shares(m)
			for _, row := range spell.Rank(m, o).Rows {
				unresolved := row.Component < 8 && o.BelowResolution[row.Component]
				if held[row.Component] < 0.1 || unresolved && row.Phi.Time < 0.1 {
					continue
				}
				tenths++
				if row.Zone == spell.Green || unresolved && row.Zone == spell.Red {
					t.Fatalf("order %s: a component with %v of the whole is %s under %+v; below resolution: %t; matrix %+v", order, held[row.Component], row.Zone, o.Zones, unresolved, m)
				}
			}
		}
		if tenths < 1000 {
			t.Errorf("order %s: only %d components hold a tenth: the matrices prove nothing", order, tenths)
		}
	}
}

// shares are those of the energy, else of the time, else of the executions, by component.
func shares(m *spell.Matrix) []float64 {
	held := make([]float64, len(m.Components))
	for _, row := range spell.Rank(m, spell.Options{Order: spell.ByEnergy}).Rows {
		held[row.Component] = row.Score
	}
	return held
}

// anyMatrix is of two domains, up to 5 tests and up to 40 components, a few of which have most
// of the energy; in some, no energy, or neither energy nor time, is known.
func anyMatrix(rng *rand.Rand) *spell.Matrix {
	m := &spell.Matrix{Domains: []spell.Domain{spell.CPU, spell.DRAM}}
	energy, time := float64(min(1, rng.IntN(4))), float64(min(1, rng.IntN(8)))
	for range 1 + rng.IntN(5) {
		m.Tests = append(m.Tests, fmt.Sprintf("t%d", len(m.Tests)))
	}
	for j := range 1 + rng.IntN(40) {
		m.Components = append(m.Components, spell.Component{ID: fmt.Sprintf("c%03d", j)})
		size := math.Pow(rng.Float64(), 6)
		for i := range m.Tests {
			if rng.IntN(3) > 0 {
				m.Add(spell.Cell{Test: int32(i), Component: int32(j), N: float64(rng.IntN(1000)), TimeMS: time * size * rng.Float64()}, energy*size*rng.Float64(), energy*size*rng.Float64())
			}
		}
	}
	return m
}

// anyZones is the usual rule, or one with other thresholds.
func anyZones(rng *rand.Rand) spell.ZoneRule {
	if rng.IntN(2) == 0 {
		return spell.ZoneRule{}
	}
	return spell.ZoneRule{Absolute: rng.IntN(2) == 0, Red: rng.Float64(), Yellow: rng.Float64(), Floor: rng.Float64()}
}

func anyMarks(rng *rand.Rand, n int) []bool {
	marks := make([]bool, n)
	for i := range marks {
		marks[i] = rng.IntN(3) == 0
	}
	return marks
}

// Thresholds that the user sets count, but for a tenth of the energy. psi's order has the
// papers' zones.
func TestTenthUnderOtherThresholds(t *testing.T) {
	m := matrix([4]float64{.6, 0, 1, .6}, [4]float64{.2, 0, 1, .2}, [4]float64{.1, 0, 1, .1}, [4]float64{.06, 0, 1, .06}, [4]float64{.04, 0, 1, .04})
	for _, test := range []struct {
		name        string
		rule        spell.ZoneRule
		energy, psi string
	}{
		{"pareto", spell.ZoneRule{Red: .5, Yellow: .6}, "a:r b:y c:y d:g e:g", "a:r b:g c:g d:g e:g"},
		{"absolute", spell.ZoneRule{Absolute: true, Red: .9, Yellow: .5}, "a:y b:y c:y d:g e:g", "a:y b:g c:g d:g e:g"},
	} {
		for order, want := range map[spell.Order]string{spell.ByEnergy: test.energy, spell.ByPsi: test.psi} {
			if got := ranked(m, spell.Options{Order: order, Zones: test.rule}); got != want {
				t.Errorf("%s, order %s: %s, want %s", test.name, order, got, want)
			}
		}
	}
}

// What a repair saves is missing from the sum, so others hold more of the rest: the first of
// them turns red although it did not change. No rule on one matrix can know better.
func TestRepairOfTheLeader(t *testing.T) {
	before := matrix([4]float64{60, 0, 1, 1}, [4]float64{30, 0, 1, 1}, [4]float64{6, 0, 1, 1}, [4]float64{4, 0, 1, 1})
	after := matrix([4]float64{1, 0, 1, 1}, [4]float64{30, 0, 1, 1}, [4]float64{6, 0, 1, 1}, [4]float64{4, 0, 1, 1})
	o := spell.Options{Order: spell.ByEnergy}
	if got, want := ranked(before, o), "a:r b:y c:y d:g"; got != want {
		t.Errorf("before: %s, want %s", got, want)
	}
	if got, want := ranked(after, o), "b:r c:y d:y a:g"; got != want {
		t.Errorf("after: %s, want %s", got, want)
	}
}

// Energy that the meter could not resolve makes nobody red; time that was measured may.
func TestEnergyOrderHoldsBackWhatIsBelowResolution(t *testing.T) {
	m := matrix([4]float64{9, 0, 1, 10}, [4]float64{4, 0, 1, 80}, [4]float64{1, 0, 1, 10})
	o := spell.Options{Order: spell.ByEnergy}
	if got, want := ranked(m, o), "a:r b:y c:y"; got != want {
		t.Errorf("all resolved: %s, want %s", got, want)
	}
	o.BelowResolution = []bool{true, true, false}
	if got, want := ranked(m, o), "a:y b:y c:y"; got != want {
		t.Errorf("two below resolution: %s, want %s", got, want)
	}
}
