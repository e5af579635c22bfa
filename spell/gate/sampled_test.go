package gate_test

import (
	"strings"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/gate"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// sampled is a run whose stacks were sampled: how often functions ran is not known.
func sampled() *record.Run {
	r := program(10, map[string]float64{"m.Sort": 8})
	r.Mode = "sample"
	r.Components[0].N, r.Matrix.Cells[0].N = 0, 0
	ranking.Analyze(r, spell.Options{}, false)
	return r
}

// A rule about calls is no rule that holds where calls were not counted: it is an error. Neither do
// calls pass for fewer than in a run that counted them.
func TestRulesOfCallsThatWereNotCounted(t *testing.T) {
	counted := program(10, map[string]float64{"m.Sort": 8})
	counted.Mode = "instrument"
	for _, c := range []struct {
		rules      string
		base, head *record.Run
		want       string
	}{
		{"n>5", nil, sampled(), "the rule n>5: the calls of HEAD were not counted, as its stacks were sampled: measure with --mode instrument"},
		{"n(*)>5", nil, sampled(), "the calls of HEAD were not counted"},
		{"n(Sort)>+5%", counted, sampled(), "the calls of HEAD were not counted"},
		{"n>+5%", sampled(), counted, "the calls of BASE were not counted"},
		{"n(*)>+5%", sampled(), counted, "the calls of BASE were not counted"},
		{"time>+5%, energy>+5%", sampled(), counted, ""},
		{"time>5s, energy>10J", nil, sampled(), ""},
	} {
		rules, err := gate.ParseAll(c.rules)
		if err != nil {
			t.Fatal(err)
		}
		var compared *comparison.Comparison
		if c.base != nil {
			if compared, err = comparison.Compare(c.base, c.head, comparison.Options{}); err != nil {
				t.Fatal(err)
			}
			if n := compared.Components[0].N; !n.None() {
				t.Errorf("%s: calls are compared: %+v", c.rules, n)
			}
		}
		switch _, err := gate.Check(rules, c.base, c.head, compared); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.rules, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: the error is %v, want one with %q", c.rules, err, c.want)
		}
	}
}
