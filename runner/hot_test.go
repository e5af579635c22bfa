package runner

import (
	"testing"

	"spell-lsp/instrument/probe"
)

// Functions become hot if they have many short calls, their own or those of their literals, so that
// probes take much of the time.
func TestHotFunctions(t *testing.T) {
	log := &probe.Log{InnerNS: 20, OuterNS: 20, Hot: make([]probe.Hot, 4), Windows: []probe.Window{{Counts: map[int]probe.Count{
		1:                   {N: 1e6, Timed: 1e6, SelfNS: 5e7},              // 50 ns a call
		2:                   {N: 1e6, Timed: 1e6, SelfNS: 5e9},              // 5 us a call
		3:                   {N: 10, Timed: 10, Literals: 1e6, SelfNS: 5e7}, // a literal with many short calls, such as a comparison
		4:                   {N: 1000, Timed: 1000, SelfNS: 5e4},            // few calls
		probe.RuntimeRow(4): {SelfNS: 1e9},
	}}}}
	m := &measurement{subject: subject{setUp: probe.Setup{Hot: make([]probe.Hot, 4)}}}
	m.learn(log, 5e8)
	want := []probe.Hot{probe.HotCalls, 0, probe.HotLiterals, 0}
	for i, hot := range m.setUp.Hot {
		if hot != want[i] {
			t.Errorf("component %d: Hot is %d, want %d", i, hot, want[i])
		}
	}
}
