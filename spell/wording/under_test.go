package wording

import "testing"

func TestByTime(t *testing.T) {
	for reason, want := range map[string]string{
		"alike":       "by time: no difference shown",
		"interleaved": "by time: callers change too fast to tell",
		"few":         "by time: too few samples",
		"":            "by time",
	} {
		if got := ByTime(reason); got != want {
			t.Errorf("reason %q: got %q, want %q", reason, got, want)
		}
	}
}
