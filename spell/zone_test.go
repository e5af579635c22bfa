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
	hundred, twenty := many(100, 0.01), many(20, 0.05)
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
		{"a hundred alike are all under the floor", hundred, spell.ZoneRule{}, strings.Repeat("y", 95) + strings.Repeat("g", 5)},
		{"the floor stops red before half", []float64{.2, .2, .04, .04, .04, .04, .04, .04, .04, .04, .04, .04, .04, .04, .04, .04, .04}, spell.ZoneRule{}, "rr" + strings.Repeat("y", 14) + "g"},
		{"the floor can be taken away", hundred, spell.ZoneRule{Floor: -1}, strings.Repeat("r", 50) + strings.Repeat("y", 45) + strings.Repeat("g", 5)},
		{"other cuts", []float64{.5, .3, .2}, spell.ZoneRule{Red: .8, Yellow: .9}, "rry"},
		{"a yellow cut under the red one gives no yellow", []float64{.5, .3, .2}, spell.ZoneRule{Red: .8, Yellow: .1}, "rrg"},
		{"under the floor stays yellow whatever the yellow cut", hundred, spell.ZoneRule{Yellow: .1}, strings.Repeat("y", 50) + strings.Repeat("g", 50)},
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

// Absolute thresholds judge a component by its own share of all psi, whatever
// the others have, and whatever the oracle makes of the values.
func TestAbsoluteZones(t *testing.T) {
	tests := []struct {
		name string
		psi  []float64
		rule spell.ZoneRule
		want string
	}{
		{"the defaults are 0.2 and 0.05", []float64{.4, .3, .19, .06, .04, .01}, spell.ZoneRule{}, "rryygg"},
		{"a threshold that is reached counts", []float64{.2, .2, .2, .2, .05, .05, .1}, spell.ZoneRule{}, "rrrryyy"},
		{"what comes before does not matter", []float64{.97, .03}, spell.ZoneRule{}, "rg"},
		{"all alike are one zone", many(20, .05), spell.ZoneRule{}, strings.Repeat("y", 20)},
		{"nobody stands out", []float64{.19, .19, .19, .19, .19, .05}, spell.ZoneRule{}, "yyyyyy"},
		{"many small ones are all green", append([]float64{.05}, many(95, .01)...), spell.ZoneRule{}, "y" + strings.Repeat("g", 95)},
		{"psi is taken for its share", []float64{40, 6, 1, 1, 1, 1}, spell.ZoneRule{}, "rygggg"},
		{"other thresholds", []float64{.5, .3, .15, .05}, spell.ZoneRule{Red: .5, Yellow: .3}, "rygg"},
		{"one given, the other as usual", []float64{.5, .3, .15, .05}, spell.ZoneRule{Red: .4}, "ryyy"},
		{"a yellow threshold over the red one gives no yellow", []float64{.5, .3, .2}, spell.ZoneRule{Red: .25, Yellow: .6}, "rrg"},
		{"the floor has no part in it", []float64{.5, .3, .2}, spell.ZoneRule{Floor: .9}, "rrr"},
		{"below 0 is from nothing on, but not nothing", []float64{.9, .1, 0}, spell.ZoneRule{Red: -1, Yellow: -1}, "rrg"},
		{"a fifth that rounding makes 0.19999999999999996", []float64{.8, .2}, spell.ZoneRule{}, "rr"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.rule.Absolute = true
			for _, oracle := range []spell.Oracle{spell.SumOfProducts, spell.ProductOfSums} {
				got := zones(profile(test.psi...), spell.Options{Oracle: oracle, Zones: test.rule})
				if got != test.want {
					t.Errorf("%s: zones %s, want %s", oracle, got, test.want)
				}
			}
		})
	}
}

// many are n times the same psi.
func many(n int, psi float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = psi
	}
	return all
}

// Without any psi nothing stands out.
func TestZonesWithoutPsi(t *testing.T) {
	for _, rule := range []spell.ZoneRule{{}, {Absolute: true}, {Absolute: true, Red: -1}} {
		if got := zones(matrix([4]float64{}, [4]float64{}), spell.Options{Zones: rule}); got != "gg" {
			t.Errorf("%+v: zones %s, want gg", rule, got)
		}
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

// The same under absolute thresholds: what N and T have a share of decides.
func TestAbsoluteZonesBelowResolution(t *testing.T) {
	first := []bool{true}
	tests := []struct {
		name string
		m    *spell.Matrix
		want string
	}{
		{"red becomes yellow where N and T support it", profile(.9, .1), "yy"},
		{"N and T have a twentieth of theirs", matrix([4]float64{900, 0, 1, 1}, [4]float64{1, 0, 1, 19}), "yg"},
		{"N and T have less", matrix([4]float64{900, 0, 1, 1}, [4]float64{1, 0, 1, 20}), "gg"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := zones(test.m, spell.Options{BelowResolution: first, Zones: spell.ZoneRule{Absolute: true}}); got != test.want {
				t.Errorf("zones %s, want %s", got, test.want)
			}
		})
	}
}
