package record_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Samples tell shares; the component's time and energy are known better. A list is for a
// reader: what is less than a hundredth of the time is left out, and so is a sixth callee.
func TestCalleesAreSharesOfTheComponent(t *testing.T) {
	for _, test := range []struct {
		name  string
		seen  map[string]float64
		whole float64
		want  map[string]float64 // ms of 50
	}{
		{"half", map[string]float64{"a": 10}, 20, map[string]float64{"a": 25}},
		{"all", map[string]float64{"a": 20}, 20, map[string]float64{"a": 50}},
		{"more than all, as sums of floating-point numbers may be", map[string]float64{"a": 20.000001}, 20, map[string]float64{"a": 50}},
		{"little", map[string]float64{"a": 10, "b": 0.19}, 20, map[string]float64{"a": 25}},
		{"many", map[string]float64{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 5}, 20, map[string]float64{"b": 5, "c": 7.5, "d": 10, "e": 12.5, "f": 12.5}},
		{"nothing seen", map[string]float64{"a": 0}, 0, nil},
		{"none", nil, 20, nil},
	} {
		c := record.Component{TimeMS: 50, EnergyJ: record.Energy{spell.CPU: 100}}
		var seen []record.Callee
		for name, ms := range test.seen {
			seen = append(seen, record.Callee{Name: name, TimeMS: ms})
		}
		c.SetCallees(seen, test.whole)
		got, before := map[string]float64{}, c.TimeMS
		for _, callee := range c.Callees {
			got[callee.Name] = callee.TimeMS
			if callee.TimeMS > before {
				t.Errorf("%s: %s stands behind one with less time", test.name, callee.Name)
			}
			if before = callee.TimeMS; callee.EnergyJ[spell.CPU] != 2*callee.TimeMS {
				t.Errorf("%s: %s has %v J in %v ms, want 2 a ms", test.name, callee.Name, callee.EnergyJ, callee.TimeMS)
			}
		}
		if diff := cmp.Diff(fmt.Sprint(test.want), fmt.Sprint(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
