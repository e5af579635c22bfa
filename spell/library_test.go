package spell

import "testing"

// What ParseLibrary takes is what String writes; everything else is refused, as a misspelt word must
// not charge the callers in silence.
func TestParseLibrary(t *testing.T) {
	for text, want := range map[string]Library{
		"caller": {}, "exact": {Own: true}, "depth=1": {Own: true, Callers: 1}, "depth=16": {Own: true, Callers: 16},
	} {
		if got, err := ParseLibrary(text); got != want || err != nil || got.String() != text {
			t.Errorf("%q is %+v (%v), written as %q, want %+v", text, got, err, got, want)
		}
	}
	if got, err := ParseLibrary(""); got != (Library{}) || err != nil {
		t.Errorf("nothing is %+v (%v), want callers", got, err)
	}
	for _, text := range []string{"callers", "depth", "depth=", "depth=0", "depth=17", "depth=-1", "depth=x", "exact=1", "16"} {
		if got, err := ParseLibrary(text); err == nil {
			t.Errorf("%q is %+v, want an error", text, got)
		}
	}
}
