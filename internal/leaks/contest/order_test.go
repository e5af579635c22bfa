package contest

import (
	"math"
	"testing"
)

// Why: functions of equal score have no order. Whoever inspects them finds the leak, on
// average, in the middle of them.
func TestFind(t *testing.T) {
	order := Order{{"a", 9, false}, {"b", 5, false}, {"c", 5, true}, {"d", 5, true}, {"e", 0, true}}
	for _, tt := range []struct {
		why   string
		leak  []string
		rank  float64
		green bool
	}{
		{"first", []string{"a"}, 1, false},
		{"one of three that are tied", []string{"b"}, 3, false}, // 2, 3 or 4
		{"two of three that are tied", []string{"c", "d"}, 1 + 4./3, true},
		{"several: the first that is found", []string{"e", "a"}, 1, false},
		{"several: one that is not green is enough", []string{"c", "b"}, 1 + 4./3, false},
		{"last", []string{"e"}, 5, true},
		{"not in the order", []string{"f"}, 5, true},
	} {
		got := order.Find(tt.leak)
		if math.Abs(got.Rank-tt.rank) > 1e-12 || got.Functions != 5 || got.Green != tt.green {
			t.Errorf("%s: %+v, want rank %v of 5, green %t", tt.why, got, tt.rank, tt.green)
		}
	}
}

// Why: green means that the functions above hold 95 % of the scores. What has no score, or
// one below 0 as a function that got cheaper, is green whatever stands above.
func TestCut(t *testing.T) {
	for _, tt := range []struct {
		scores []float64
		green  []bool
	}{
		{[]float64{94, 5, 1}, []bool{false, false, true}},
		{[]float64{95, 4, 1}, []bool{false, true, true}},
		{[]float64{10, 0, -90}, []bool{false, true, true}},
		{[]float64{0, 0}, []bool{true, true}},
	} {
		var o Order
		for _, s := range tt.scores {
			o = append(o, Entry{Score: s})
		}
		o.cut(0.95)
		for i := range o {
			if o[i].Green != tt.green[i] {
				t.Errorf("%v: entry %d green %t, want %t", tt.scores, i, o[i].Green, tt.green[i])
			}
		}
	}
}
