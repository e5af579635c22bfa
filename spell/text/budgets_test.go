package text_test

import (
	"bytes"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/footprint"
	"spell-lsp/spell/record"
	"spell-lsp/spell/text"
)

// Each page says in a few lines which budgets are not kept.
func TestBudgets(t *testing.T) {
	for _, c := range []struct{ why, budget, want, facts string }{
		{
			"one broken", "1mJ/call, 10 calls/test, 1 h/call",
			"", "", // h is no unit: nothing was checked
		},
		{
			"broken and kept", "1mJ/call, 10 calls/test",
			"Budgets:\n - (*Park).Sort: budget of 1 mJ per call is broken: 180 mJ, without what it calls\n - 1 other kept\n",
			"(*Park).Sort: budget of 1 mJ per call is broken: 180 mJ, without what it calls; 1 other kept",
		},
		{"all kept", "12 calls/test, 10 calls/test", "Budgets: all 2 that were checked are kept.\n", "all 2 that were checked are kept."},
		{"one kept", "10 calls/test", "Budgets: the one that was checked is kept.\n", "the one that was checked is kept."},
	} {
		r := recordtest.Park()
		for i := range r.Components {
			if c2 := &r.Components[i]; c2.ID == recordtest.Module+".(*Park).Sort" {
				c2.Budgets = []record.Budget{{Text: c.budget, Line: 57}}
			}
		}
		pages := map[string]func(*bytes.Buffer) error{
			"first":    func(b *bytes.Buffer) error { return text.Write(b, r, text.Options{}) },
			"full":     func(b *bytes.Buffer) error { return text.Write(b, r, text.Options{Full: true}) },
			"markdown": func(b *bytes.Buffer) error { return text.Markdown(b, r, nil, text.Options{}) },
		}
		for name, write := range pages {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			got := strings.NewReplacer("\n\n- ", "\n - ", "\n- ", "\n - ", "  - ", " - ", "&#42;", "*").Replace(b.String())
			if has := strings.Contains(got, "Budgets:"); has != (c.want != "") || !strings.Contains(got, c.want) {
				t.Errorf("%s: the page %s does not say %q:\n%s", c.why, name, c.want, got)
			}
		}
		var facts string
		for _, f := range text.WordsOf(r, footprint.Rates{}, nil).Facts {
			if f.Label == "budgets" {
				facts = f.Text
			}
		}
		if facts != c.facts {
			t.Errorf("%s: the words are %q, want %q", c.why, facts, c.facts)
		}
	}
}
