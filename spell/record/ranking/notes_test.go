package ranking

import (
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// Each remark of a ranking becomes a note of its own: none is lost on the way.
func TestEveryRemarkBecomesANote(t *testing.T) {
	kinds := []spell.RemarkKind{spell.NoTestCounts, spell.NothingRan, spell.EnergyUnknown, spell.EnergyZero, spell.EnergyUnweighted,
		spell.ExecutionsUnknown, spell.TimeUnknown, spell.AllPsiZero, spell.OracleUnknown, spell.WeightInvalid, spell.DomainUnweighted}
	seen := make(map[note.Code]bool)
	for _, kind := range kinds {
		list := notesOf([]spell.Remark{{Kind: kind, Domain: spell.DRAM, Oracle: "delphi"}}, spell.KindFunction)
		if len(list) != 1 || seen[list[0].Code] {
			t.Errorf("%q becomes %v, want one note of a code that no other has", kind, list)
			continue
		}
		seen[list[0].Code] = true
	}
}
