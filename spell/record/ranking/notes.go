package ranking

import (
	"fmt"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// notesOf gives the remarks of a ranking as notes of the run. Executions of goroutines and labels
// are never counted, which a note of the run says already.
func notesOf(remarks []spell.Remark, kind spell.Kind) []note.Note {
	var list []note.Note
	for _, r := range remarks {
		if r.Kind == spell.ExecutionsUnknown && kind.AcrossFunctions() {
			continue
		}
		switch r.Kind {
		case spell.NoTestCounts:
			list = append(list, note.NoTestCounts())
		case spell.NothingRan:
			list = append(list, note.NothingRan())
		case spell.EnergyUnknown:
			list = append(list, note.EnergyUnknown())
		case spell.EnergyZero:
			list = append(list, note.EnergyZero())
		case spell.EnergyUnweighted:
			list = append(list, note.EnergyUnweighted())
		case spell.ExecutionsUnknown:
			list = append(list, note.ExecutionsUnknown())
		case spell.TimeUnknown:
			list = append(list, note.TimeUnknown())
		case spell.AllPsiZero:
			list = append(list, note.AllPsiZero())
		case spell.OracleUnknown:
			list = append(list, note.OracleUnknown(string(r.Oracle), string(spell.SumOfProducts)))
		case spell.WeightInvalid:
			list = append(list, note.WeightInvalid(string(r.Domain), fmt.Sprint(r.Weight)))
		case spell.DomainUnweighted:
			list = append(list, note.DomainUnweighted(string(r.Domain)))
		}
	}
	return list
}

// unusedWeights name the domains whose weight was chosen and does not count, as their
// energy is not known by component.
func unusedWeights(r *record.Run, weights spell.Weights) []note.Note {
	var list []note.Note
	for _, d := range r.TestOnly() {
		if w := weights[d]; weights != nil && w > 0 && w != spell.DefaultWeights()[d] {
			list = append(list, note.WeightUnused(string(d), w, r.Unit()))
		}
	}
	return list
}
