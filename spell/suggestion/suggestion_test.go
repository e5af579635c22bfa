package suggestion

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"rounds", "warmup", "includeFailed", "round", "top", "tip"}
	for _, test := range []struct {
		why, word string
		most      int
		want      []string
	}{
		{"what is nearest comes first", "roundz", 5, []string{"rounds", "round"}},
		{"at equal distance the order stays", "tap", 5, []string{"top", "tip"}},
		{"no more than was asked for", "rounds", 1, []string{"rounds"}},
		{"naming conventions make no difference", "INCLUDE-failed", 5, []string{"includeFailed"}},
		{"nothing is like it", "trusted", 5, nil},
		{"an empty word is like nothing long", "", 5, nil},
	} {
		var got []string
		for _, i := range Nearest(test.word, known, test.most) {
			got = append(got, known[i])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q is near %q, want %q", test.why, test.word, got, test.want)
		}
	}
}
