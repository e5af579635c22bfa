package runner

import (
	"fmt"
	"testing"

	"spell-lsp/spell"
)

func TestCorrelated(t *testing.T) {
	run := func(values ...float64) *psi {
		p := &psi{}
		for i, v := range values {
			p.units = append(p.units, spell.Component{ID: fmt.Sprint(i)})
			p.ranking.Rows = append(p.ranking.Rows, spell.Row{Component: i, Psi: v})
		}
		return p
	}
	for _, test := range []struct {
		name string
		a, b *psi
		want bool
	}{
		{"the same", run(0.6, 0.3, 0.1), run(0.6, 0.3, 0.1), true},
		{"nearly the same", run(0.6, 0.3, 0.1), run(0.61, 0.29, 0.1), true},
		{"another order", run(0.6, 0.3, 0.1), run(0.1, 0.3, 0.6), false},
		{"a component more", run(0.9, 0.1), run(0.5, 0.1, 0.4), false},
		{"one component", run(1), run(1), true},
		{"none", run(), run(), true},
	} {
		if got := correlated(test.a, test.b); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
