package harness

import "testing"

// Why: the median of an even number of values is between two of them; one disturbed
// value must not change it.
func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{4, 1, 3}, 3}, {[]float64{9, 1, 2, 4}, 3}, {[]float64{9, 1, 1000, 3, 2}, 3}} {
		if got := Median(tt.values); got != tt.want {
			t.Errorf("%v: median %g, want %g", tt.values, got, tt.want)
		}
	}
}

// Why: of 300 values the 99th percentile is the 297th, not the 296th.
func TestQuantile(t *testing.T) {
	var values []int
	for i := range 300 {
		values = append(values, 300-i)
	}
	for q, want := range map[float64]int{0.5: 150, 0.99: 297, 1: 300} {
		if got := Quantile(values, q); got != want {
			t.Errorf("quantile %g is %d, want %d", q, got, want)
		}
	}
	if got := Quantile([]int(nil), 0.5); got != 0 {
		t.Errorf("of nothing: %d", got)
	}
}
