package validity_test

import (
	"math"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record/validity"
)

// A matrix with energy of a domain that the meter does not have is refused.
func TestMatrixOfOtherDomains(t *testing.T) {
	r := recordtest.Disk()
	r.Matrix.Domains = []spell.Domain{spell.GPU}
	if _, err := validity.Checked(r); err == nil || !strings.Contains(err.Error(), `matrix has energy of "gpu"`) {
		t.Errorf("error %v", err)
	}
}

// A note with a number that JSON does not have would make a run that cannot be saved.
func TestNotesAreFinite(t *testing.T) {
	for _, value := range []any{math.NaN(), math.Inf(1), 1, true, nil, []any{"a"}} {
		r := recordtest.Unranked()
		r.Meter.Notes = []note.Note{{Code: "a", Args: note.Args{"b": value}}}
		if err := validity.Run(r); err == nil || !strings.HasPrefix(err.Error(), "meter.notes[0].args.b is ") {
			t.Errorf("%v: %v", value, err)
		}
	}
}
