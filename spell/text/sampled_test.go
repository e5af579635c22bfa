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

// Why: the full page of an attached process said that the scenarios of the settings were what ran.
func TestAttachedProcessIsNoScenario(t *testing.T) {
	r := recordtest.Park()
	r.Settings = map[string]any{
		"attach":    map[string]any{"name": "shop", "package": "example.com/cmd/shop", "for": "30s"},
		"scenarios": map[string]any{"serve": map[string]any{"exec": "./cmd/other"}},
	}
	page := page(t, r, text.Options{Full: true})
	shown := strings.Join(strings.Fields(page), " ")
	if strings.Contains(shown, "./cmd/other") || !strings.Contains(shown, "program example.com/cmd/shop, measured for 30s") {
		t.Errorf("the page of an attached process is\n%s", page)
	}
}
