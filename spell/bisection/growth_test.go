package bisection

import "testing"

// Values that were taken in turns show a growth that a drifting machine would hide, and none where
// there is only chance, or too little.
func TestGrown(t *testing.T) {
	for _, c := range []struct {
		name       string
		base, head []float64
		tested     int
		want       bool
	}{
		{"a third more on a machine that gets slower", []float64{9, 12, 15, 18, 21}, []float64{12, 16, 20, 24, 28}, 1, true},
		{"clearly more", []float64{10, 10.1, 9.9, 10, 10.2}, []float64{13, 13.2, 13.1, 12.9, 13}, 20, true},
		{"the same of so many that chance may show it", []float64{10, 11, 9, 10, 10}, []float64{13, 12, 13.1, 11, 13}, 1000, false},
		{"less", []float64{13, 13, 13.1, 12.9, 13}, []float64{10, 10.1, 9.9, 10, 10.2}, 1, false},
		{"below the smallest change", []float64{100, 100, 100, 100, 100}, []float64{101, 101, 101, 101, 101}, 1, false},
		{"chance", []float64{10, 12, 9, 11, 10}, []float64{11, 10, 12, 9, 11}, 1, false},
		{"it did not run before", []float64{0, 0, 0, 0, 0}, []float64{3, 3.1, 2.9, 3, 3}, 5, true},
		{"one turn", []float64{1}, []float64{2}, 1, false},
	} {
		g, sure := Grown(c.base, c.head, c.tested)
		if sure != c.want {
			t.Errorf("%s: %t, %+v", c.name, sure, g)
		}
		if known := c.base[0] > 0 && len(c.base) > 1; known != (g.Change != nil) || known && (g.CI[0] > *g.Change || g.CI[1] < *g.Change) {
			t.Errorf("%s: %+v", c.name, g)
		}
	}
}
