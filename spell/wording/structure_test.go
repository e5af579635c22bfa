package wording_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/wording"
)

// Each figure has a line with both correlations, the interval and the number of functions; one of a newer version has none.
func TestStructureAndEnergy(t *testing.T) {
	got := wording.StructureAndEnergy([]spell.StructureCorrelation{
		{Of: "complexity", Components: 42, Spearman: 0.314, SpearmanCI: [2]float64{0.008, 0.561}, Pearson: -0.001},
		{Of: "cohesion", Components: 42},
		{Of: "fan_in", Components: 42, Spearman: -1, SpearmanCI: [2]float64{-1, -1}, Pearson: -0.5},
	})
	want := []string{
		"correlation of energy with complexity: rho 0.31 (95 % interval 0.01 to 0.56), r 0.00, n = 42",
		"correlation of energy with fan-in: rho -1.00 (95 % interval -1.00 to -1.00), r -0.50, n = 42",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the lines (-want +got):\n%s", diff)
	}
}
