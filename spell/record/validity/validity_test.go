package validity_test

import (
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
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
