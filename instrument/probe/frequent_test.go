package probe

import (
	"slices"
	"testing"
)

// Functions are only counted if they have many short calls, their own or those of their literals, so
// that probes take much of the time.
func TestFrequent(t *testing.T) {
	log := &Log{InnerNS: 20, OuterNS: 20, Hot: make([]Hot, 5), Windows: []Window{{Counts: map[int]Count{
		1:             {N: 1e6, Timed: 1e6, SelfNS: 5e7},              // 50 ns a call
		2:             {N: 1e6, Timed: 1e6, SelfNS: 5e9},              // 5 us a call
		3:             {N: 10, Timed: 10, Literals: 1e6, SelfNS: 5e7}, // a literal with many short calls, such as a comparison
		4:             {N: 1000, Timed: 1000, SelfNS: 5e4},            // few calls
		5:             {N: 1e6, Timed: 1e6, SelfNS: 5e7},              // has blocks
		RuntimeRow(5): {SelfNS: 1e9},
	}}}}
	want := []Hot{HotCalls, 0, HotLiterals, 0, 0}
	if got := log.Frequent(5e8, 4); !slices.Equal(got, want) {
		t.Errorf("frequent are %d, want %d", got, want)
	}
	if got := log.Frequent(1e12, 4); !slices.Equal(got, make([]Hot, 5)) {
		t.Errorf("where probes take little of the time, frequent are %d, want none", got)
	}
}
