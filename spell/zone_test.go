package spell_test

import (
	"strings"
	"testing"

	"spell-lsp/spell"
)

// profile is a matrix whose components have the given psi, in this order.
func profile(psi ...float64) *spell.Matrix {
	var cells [][4]float64
	for _, p := range psi {
		cells = append(cells, [4]float64{p, 0, 1, 1})
	}
	return matrix(cells...)
}

// zones writes the zones of the components as letters: r, y, g.
func zones(m *spell.Matrix, o spell.Options) string {
	letters := make([]string, len(m.Components))
	for _, row := range spell.Rank(m, o).Rows {
		letters[row.Component] = string(row.Zone[0])
	}
	return strings.Join(letters, "")
}

func TestZones(t *testing.T) {
	many := make([]float64, 100)
	for i := range many {
		many[i] = 0.01
	}
	twenty := make([]float64, 20)
	for i := range twenty {
		twenty[i] = 0.05
	}
	tests := []struct {
		name string
		psi  []float64
		rule spell.ZoneRule
		want string
	}{
		{"the one that crosses half is red", []float64{.4956, .4073, .0596, .0375}, spell.ZoneRule{}, "rryg"},
		{"half reached exactly stops red", []float64{.5, .3, .15, .05}, spell.ZoneRule{}, "ryyg"},
		{"0.95 reached exactly stops yellow", []float64{.6, .35, .05}, spell.ZoneRule{}, "ryg"},
		{"one component has it all", []float64{1, 0, 0}, spell.ZoneRule{}, "rgg"},
		{"one over half leaves no other red", []float64{.9, .06, .04}, spell.ZoneRule{}, "ryg"},
		{"ten alike: five are half", []float64{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1}, spell.ZoneRule{}, "rrrrryyyyy"},
		{"twenty alike stand just at the floor", twenty, spell.ZoneRule{}, strings.Repeat("r", 10) + strings.Repeat("y", 9) + "g"},
		{"a hundred alike are all under the floor", many, spell.ZoneRule{}, strings.Repeat("y", 95) + strings.Repeat("g", 5)},
		{"the floor stops red before half", []float64{.2, .2, .04, .04, .04, .04, .04, .04, .04, .04, .04, .04, .04, .04, .04, .04, .04}, spell.ZoneRule{}, "rr" + strings.Repeat("y", 14) + "g"},
		{"the floor can be taken away", many, spell.ZoneRule{Floor: -1}, strings.Repeat("r", 50) + strings.Repeat("y", 45) + strings.Repeat("g", 5)},
		{"other cuts", []float64{.5, .3, .2}, spell.ZoneRule{Red: .8, Yellow: .9}, "rry"},
		{"a yellow cut under the red one gives no yellow", []float64{.5, .3, .2}, spell.ZoneRule{Red: .8, Yellow: .1}, "rrg"},
		{"under the floor stays yellow whatever the yellow cut", many, spell.ZoneRule{Yellow: .1}, strings.Repeat("y", 50) + strings.Repeat("g", 50)},
		{"a tenth that rounding makes 0.09999999999999998", []float64{.9, .1}, spell.ZoneRule{Red: 1, Floor: .1}, "rr"},
		{"a cut at 1 takes all that have psi", []float64{.3, .3, .4, 0}, spell.ZoneRule{Red: 1}, "rrrg"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, oracle := range []spell.Oracle{spell.SumOfProducts, spell.ProductOfSums} {
				got := zones(profile(test.psi...), spell.Options{Oracle: oracle, Zones: test.rule})
				if got != test.want {
					t.Errorf("%s: zones %s, want %s", oracle, got, test.want)
				}
			}
		})
	}
}

// Without any psi nothing stands out.
func TestZonesWithoutPsi(t *testing.T) {
	if got := zones(matrix([4]float64{}, [4]float64{}), spell.Options{}); got != "gg" {
		t.Errorf("zones %s, want gg", got)
	}
}

// The zones that the paper's Table 2 must have.
func TestZonesOfTheParkingExample(t *testing.T) {
	m, _ := readTable(t, "spell-table2-parking")
	rows := byName(m, spell.Rank(m, spell.Options{}))
	for name, want := range map[string]spell.Zone{"addCar": spell.Red, "sort": spell.Red, "oldestCar": spell.Yellow, "addCars": spell.Green} {
		if got := rows[name].Zone; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// Energy that the meter could not resolve must not colour a component by
// itself; what is exact, N and T, may, up to yellow.
func TestZonesBelowResolution(t *testing.T) {
	first := []bool{true}
	tests := []struct {
		name  string
		m     *spell.Matrix
		below []bool
		want  string
	}{
		{"red becomes yellow where N and T support it", profile(.9, .06, .04), first, "yyg"},
		{"nothing but its energy speaks for it", matrix([4]float64{900, 0, 1, 1}, [4]float64{1, 0, 10, 10}), first, "gy"},
		{"its N and T speak for it, its energy does not", matrix([4]float64{.001, 0, 9, 9}, [4]float64{1, 0, 9, 9}), first, "gr"},
		{"green stays green", profile(.01, .99), first, "gr"},
		{"the others keep their zones", profile(.3, .3, .2, .15, .05), first, "yryyg"},
		{"all of them", profile(.6, .4), []bool{true, true}, "yy"},
		{"none of them", profile(.6, .4), []bool{false, false}, "ry"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := zones(test.m, spell.Options{BelowResolution: test.below}); got != test.want {
				t.Errorf("zones %s, want %s", got, test.want)
			}
		})
	}
}
