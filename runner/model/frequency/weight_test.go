package frequency

import (
	"math"
	"testing"
	"testing/quick"
)

// The line between the ends of the published table gives the power of its other entries within 8 %
// (twice the 4 % of the voltage).
func TestWeightIsThatOfThePublishedTable(t *testing.T) {
	r := Range{Lowest: 600e3, Base: 1600e3, Highest: 1600e3}
	for khz, volts := range map[float64]float64{600e3: 0.956, 800e3: 1.036, 1000e3: 1.164, 1200e3: 1.276, 1400e3: 1.420, 1600e3: 1.484} {
		want := khz / 1600e3 * (volts / 1.484) * (volts / 1.484)
		if got := r.Weight(khz); math.Abs(got/want-1) > 0.08 {
			t.Errorf("%v kHz at %v V: weight %v, want %v", khz, volts, got, want)
		}
	}
}

func TestWeight(t *testing.T) {
	server := Range{Lowest: 800e3, Base: 2000e3, Highest: 3200e3}
	for _, tt := range []struct {
		why  string
		r    Range
		khz  float64
		want float64
	}{
		{"the base frequency", server, 2000e3, 1},
		{"half way up in voltage is the base: turbo has all of it", server, 3200e3, 1.6 / (0.8221 * 0.8221)},
		{"the lowest voltage", server, 800e3, 0.4 * (0.6442 * 0.6442) / (0.8221 * 0.8221)},
		{"below the lowest frequency the voltage is the lowest", server, 400e3, 0.2 * (0.6442 * 0.6442) / (0.8221 * 0.8221)},
		{"above the highest frequency it is the highest", server, 3600e3, 1.8 / (0.8221 * 0.8221)},
		{"a single frequency has a single voltage", Range{2e6, 2e6, 2e6}, 1e6, 0.5},
	} {
		if got := tt.r.Weight(tt.khz); math.Abs(got/tt.want-1) > 1e-3 {
			t.Errorf("%s: weight %v, want %v", tt.why, got, tt.want)
		}
	}
}

// An estimate at the base frequency is what it was without weights, and a higher frequency never
// costs less, whatever the range.
func TestWeightIsOneAtTheBaseAndGrows(t *testing.T) {
	property := func(a, b, c, x, y uint16) bool {
		r := Range{Lowest: 1 + float64(a), Base: 1 + float64(a) + float64(b), Highest: 1 + float64(a) + float64(b) + float64(c)}
		low, high := 1+min(float64(x), float64(y)), 1+max(float64(x), float64(y))
		return r.Weight(r.Base) == 1 && r.Weight(low) <= r.Weight(high) && r.Weight(low) > 0
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}
