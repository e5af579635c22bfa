package spell_test

import (
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
// energy order points at what costs most.
func TestOrders(t *testing.T) {
	tests := []struct {
		name        string
		m           *spell.Matrix // cells of cpu J, dram J, executions, ms
		psi, energy string
	}{
		// The parking example: a is Sort, b Oldest, c Add, d validGroup.
		{
			"many cheap calls beside few dear ones",
			matrix([4]float64{4.56, 0, 55, 1190}, [4]float64{2.24, 0, 80, 583}, [4]float64{.395, 0, 7800, 103}, [4]float64{.008, 0, 23400, 2}),
			"c:r a:r b:y d:g", "a:r b:y c:y d:g",
		},
		{
			"the same after a was repaired: c did not change, and does not turn red",
			matrix([4]float64{.22, 0, 55, 57}, [4]float64{2.24, 0, 80, 583}, [4]float64{.395, 0, 7800, 103}, [4]float64{.008, 0, 23400, 2}),
			"c:r b:y a:g d:g", "b:r c:y a:y d:g",
		},
		{
			"joules of all domains count alike",
			matrix([4]float64{1, 0, 1, 1}, [4]float64{0, 1.1, 1, 1}),
			"a:r b:g", "b:r a:y",
		},
		{
			"equal joules: psi decides",
			matrix([4]float64{1, 0, 1, 1}, [4]float64{1, 0, 2, 1}),
			"b:r a:y", "b:r a:y",
		},
		{
			"no joules: time",
			matrix([4]float64{0, 0, 100, 2}, [4]float64{0, 0, 1, 30}, [4]float64{0, 0, 1, 20}),
			"a:r b:y c:y", "b:r c:y a:g",
		},
		{
			"no joules and no time: executions",
			matrix([4]float64{0, 0, 1, 0}, [4]float64{0, 0, 3, 0}),
			"b:r a:y", "b:r a:y",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for order, want := range map[spell.Order]string{"": test.psi, spell.ByPsi: test.psi, spell.ByEnergy: test.energy} {
				if got := ranked(test.m, spell.Options{Order: order}); got != want {
					t.Errorf("order %q: %s, want %s", order, got, want)
				}
			}
		})
	}
}

// A function that holds a tenth of the energy deserves a look, however the rest is spread.
func TestNothingThatHoldsATenthIsGreen(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		cells := make([][4]float64, 1+rng.IntN(40))
		for i := range cells {
			x := rng.Float64()
			cells[i] = [4]float64{x * x * x * x * x * x, 0, float64(1 + rng.IntN(1000)), rng.Float64()}
		}
		for _, row := range spell.Rank(matrix(cells...), spell.Options{Order: spell.ByEnergy}).Rows {
			if row.Score >= 0.1 && row.Zone == spell.Green {
				t.Fatalf("a component with %v of the energy is green; cells %v", row.Score, cells)
			}
		}
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

// The default depends on what is ranked: the papers' analysis is for any matrix.
func TestOrderFor(t *testing.T) {
	tests := []struct {
		order           spell.Order
		program, matrix spell.Order
	}{
		{"", spell.ByPsi, spell.ByPsi},
		{spell.OrderAuto, spell.ByEnergy, spell.ByPsi},
		{spell.ByPsi, spell.ByPsi, spell.ByPsi},
		{spell.ByEnergy, spell.ByEnergy, spell.ByEnergy},
	}
	for _, test := range tests {
		if got := test.order.For(true); got != test.program {
			t.Errorf("%q of a program is %q, want %q", test.order, got, test.program)
		}
		if got := test.order.For(false); got != test.matrix {
			t.Errorf("%q of a matrix is %q, want %q", test.order, got, test.matrix)
		}
	}
}
