package alternatives

import (
	"slices"
	"testing"
)

// Why: each of three alternatives can be worse than another, as in a circle. Some of them must have rank 1, or a reader finds none that
// is best.
func TestBestOfACircle(t *testing.T) {
	s := Size{Alternatives: []Alternative{
		{Name: "a", Rank: 2, Bytes: Amount{CI: &[2]float64{0, 0}}},
		{Name: "b", Rank: 2, Bytes: Amount{CI: &[2]float64{8, 9}}},
		{Name: "c", Rank: 3},
	}}
	s.setBest()
	if !slices.Equal(s.Best, []string{"a", "b"}) || s.Alternatives[0].Rank != 1 || s.Alternatives[1].Rank != 1 || s.Alternatives[2].Rank != 3 || s.LeastBytes != "a" {
		t.Errorf("best are %v, %q allocates least, and the alternatives are %+v", s.Best, s.LeastBytes, s.Alternatives)
	}
}
