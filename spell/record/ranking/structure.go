package ranking

import (
	"spell-lsp/spell"
	"spell-lsp/spell/correlation"
	"spell-lsp/spell/record"
)

// leastCorrelated is from how many functions on a correlation says anything: of ten, Spearman's is
// above 0.63 or below -0.63 by chance in one of twenty.
const leastCorrelated = 10

// StructureAndEnergy correlates the own energy of functions in the tests of the analysis with their
// structure. A figure that is the same for all functions has no correlation.
func StructureAndEnergy(r *record.Run) []spell.StructureCorrelation {
	known := 0
	for i := range r.Components {
		if r.Components[i].Known() {
			known++
		}
	}
	if known < leastCorrelated || !r.Meter.KnowsEnergy() || analysisOf(r).Inclusive {
		return nil
	}
	tallies := r.Tallies()
	var joules []float64
	var of []spell.Structure
	for i := range r.Components {
		if s := r.Components[i].Structure; s.Known() && tallies[i].N > 0 {
			joules, of = append(joules, tallies[i].TotalJ()), append(of, s)
		}
	}
	if len(of) < leastCorrelated {
		return nil
	}
	var list []spell.StructureCorrelation
	for _, figure := range figures {
		values := make([]float64, len(of))
		for i := range of {
			values[i] = float64(figure.of(of[i]))
		}
		pearson, ok := correlation.Pearson(joules, values)
		spearman, okSpearman := correlation.Spearman(joules, values)
		if ok && okSpearman {
			low, high := correlation.SpearmanInterval(spearman, len(of))
			list = append(list, spell.StructureCorrelation{Of: figure.name, Components: len(of), Spearman: spearman, SpearmanCI: [2]float64{low, high}, Pearson: pearson})
		}
	}
	return list
}

var figures = []struct {
	name string
	of   func(spell.Structure) int
}{
	{"complexity", func(s spell.Structure) int { return s.Complexity }},
	{"lines_of_code", func(s spell.Structure) int { return s.LinesOfCode }},
	{"fan_in", func(s spell.Structure) int { return s.FanIn }},
	{"fan_out", func(s spell.Structure) int { return s.FanOut }},
}
