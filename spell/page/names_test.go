package page

import (
	"slices"
	"testing"
)

// A short name must still tell which function it is.
func TestShorten(t *testing.T) {
	for _, test := range []struct {
		name, module string
		full, want   []string
	}{
		{"root and below", "m.org/x", []string{"m.org/x.(*T).M", "m.org/x/sub.F", "other.F"}, []string{"(*T).M", "sub.F", "other.F"}},
		{"no module", "", []string{"a.F", "b.F"}, []string{"a.F", "b.F"}},
		{"another module with the same beginning", "m.org/x", []string{"m.org/xy.F", "m.org/x2/sub.F"}, []string{"m.org/xy.F", "m.org/x2/sub.F"}},
		{"full name of another", "m.org/x", []string{"m.org/x/sub.F", "sub.F"}, []string{"m.org/x/sub.F", "sub.F"}},
		{"short name of another", "m", []string{"m.a.F", "m/a.F", "m.G"}, []string{"m.a.F", "m/a.F", "G"}},
		{"files are called like the module", "p", []string{"p.go", "p/sub.go", "p.F"}, []string{"p.go", "p/sub.go", "F"}},
		{"name of the module", "m", []string{"m", "m."}, []string{"m", "m."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Shorten(test.full, test.module); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
