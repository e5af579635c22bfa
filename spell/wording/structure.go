package wording

import (
	"fmt"
	"math"

	"spell-lsp/spell"
)

var structureNames = map[string]string{"complexity": "complexity", "lines_of_code": "lines of code", "fan_in": "fan-in", "fan_out": "fan-out"}

// StructureAndEnergy says how far energy goes with the structure of functions, a line for each figure:
// "correlation of energy with complexity: rho 0.31 (95 % interval 0.01 to 0.56), r 0.12, n = 42".
func StructureAndEnergy(list []spell.StructureCorrelation) []string {
	var lines []string
	for _, c := range list {
		name := structureNames[c.Of]
		if name == "" {
			continue // of a newer version
		}
		lines = append(lines, fmt.Sprintf("correlation of energy with %s: rho %.2f (95 %% interval %.2f to %.2f), r %.2f, n = %d",
			name, hundredths(c.Spearman), hundredths(c.SpearmanCI[0]), hundredths(c.SpearmanCI[1]), hundredths(c.Pearson), c.Components))
	}
	return lines
}

// hundredths rounds v; it is never -0.
func hundredths(v float64) float64 { return math.Round(100*v)/100 + 0 }
