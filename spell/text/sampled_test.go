package text_test

import (
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/text"
)

// A run without probes shows no calls, and no energy of a call: both would be 0, and wrong.
func TestCallsThatWereNotCountedAreNotShown(t *testing.T) {
	for _, counted := range []bool{true, false} {
		r := recordtest.Park()
		if !counted {
			r.Mode = "sample"
			for i := range r.Components {
				r.Components[i].N = 0
			}
			for i := range r.Matrix.Cells {
				r.Matrix.Cells[i].N = 0
			}
		}
		page := page(t, r, text.Options{})
		for _, words := range []string{"N %", "EPI"} {
			if strings.Contains(page, words) != counted {
				t.Errorf("calls counted: %v; the page has %q: %v\n%s", counted, words, !counted, page)
			}
		}
		if strings.Contains(page, "Calls were not counted.") == counted {
			t.Errorf("calls counted: %v\n%s", counted, page)
		}
	}
}
