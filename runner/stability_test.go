package runner

import (
	"fmt"
	"testing"

	"spell-lsp/spell/record"
)

func TestCorrelated(t *testing.T) {
	run := func(psi ...float64) *record.Run {
		r := &record.Run{}
		for i, p := range psi {
			r.Components = append(r.Components, record.Component{ID: fmt.Sprint(i), Psi: p})
		}
		return r
	}
	for _, test := range []struct {
		name string
		a, b *record.Run
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
