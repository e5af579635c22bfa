package ranking_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// town is a run of n functions: function i has i+1 J, the complexity n-i, i+1 lines but for the first two,
// which have each other's, a fan-in of 3 each, and a fan-out that nothing orders.
func town(n int) *record.Run {
	r := recordtest.Park()
	r.Tests, r.Components, r.CallTree = r.Tests[:1], nil, nil
	r.Matrix = record.Matrix{Domains: r.Meter.Domains}
	for i := range n {
		lines := i + 1
		if i < 2 {
			lines = 2 - i
		}
		c := record.Component{ID: fmt.Sprintf("m.F%d", i), Kind: spell.KindFunction, Package: "m"}
		c.Structure = spell.Structure{Complexity: n - i, LinesOfCode: lines, FanIn: 3, FanOut: i % 2}
		r.Components = append(r.Components, c)
		r.Matrix.Add(record.Cell{T: 0, C: i, N: 1, TimeMS: 1, EnergyJ: recordtest.Joules(float64(i+1), 0)})
	}
	return recordtest.Analyzed(r)
}

// By hand, of ten: complexity falls as energy rises; of lines, one step back gives 1 - 6 x 2 / (10 x 99); the
// fan-in is the same for all, so that nothing can be said of it.
func TestStructureAndEnergy(t *testing.T) {
	got := ranking.StructureAndEnergy(town(10))
	var names []string
	for _, c := range got {
		names = append(names, c.Of)
		if c.Components != 10 {
			t.Errorf("%s is of %d functions, want 10", c.Of, c.Components)
		}
	}
	if diff := cmp.Diff([]string{"complexity", "lines_of_code", "fan_out"}, names); diff != "" {
		t.Fatalf("correlations (-want +got):\n%s", diff)
	}
	if math.Abs(got[0].Spearman+1) > 1e-12 || math.Abs(got[0].Pearson+1) > 1e-12 {
		t.Errorf("the correlation with complexity is %+v, want -1", got[0])
	}
	if want := 1 - 12./990; math.Abs(got[1].Spearman-want) > 1e-12 {
		t.Errorf("the correlation with lines is %+v, want %v", got[1], want)
	}
	if ci := got[1].SpearmanCI; !(ci[0] < got[1].Spearman && got[1].Spearman < ci[1] && ci[1] < 1) {
		t.Errorf("the interval of %v is %v", got[1].Spearman, ci)
	}
}

// Too few functions, energy that is not known, and runs without structures have no correlation.
func TestNoStructureAndEnergy(t *testing.T) {
	unknown, none, idle, inclusive := town(12), town(12), town(10), town(12)
	for i := range unknown.Components {
		unknown.Components[i].Structure = spell.Structure{}
	}
	none.Meter.Source = record.NoEnergy
	idle.Matrix.Cells[3].N = 0 // it did not run
	inclusive.Analysis.Inclusive = true
	for why, r := range map[string]*record.Run{"nine functions": town(9), "no structures": unknown, "no energy": none, "nine that ran": idle, "values with callees": inclusive} {
		if got := ranking.StructureAndEnergy(r); got != nil {
			t.Errorf("%s: %+v", why, got)
		}
	}
}
