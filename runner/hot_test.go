package runner

import (
	"slices"
	"testing"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
)

// What was found hot stays hot. Short calls of the function whose blocks are ranked stay timed, and where its
// blocks are too short for that, a note says so.
func TestLearn(t *testing.T) {
	short := map[int]probe.Count{1: {N: 1e6, Timed: 1e6, SelfNS: 5e7}, 2: {N: 1e6, Timed: 1e6, SelfNS: 5e7}}
	log := &probe.Log{InnerNS: 20, OuterNS: 20, Hot: []probe.Hot{0, 0, probe.HotBlocks}, Windows: []probe.Window{{Counts: short}}}
	m := &measurement{subject: subject{setUp: probe.Setup{Hot: make([]probe.Hot, 3), Owner: 1, FirstBlock: 2, LastBlock: 2}}}
	m.build = &instrument.Build{Components: make([]spell.Component, 3)}
	m.learn(log, 5e8)
	m.learn(&probe.Log{Hot: make([]probe.Hot, 3)}, 5e8)
	if want := []probe.Hot{probe.HotCalls, 0, probe.HotBlocks}; !slices.Equal(m.setUp.Hot, want) || len(m.notes) != 1 {
		t.Errorf("hot are %d with %d notes, want %d and one note", m.setUp.Hot, len(m.notes), want)
	}
	m.setUp.Hot, m.setUp.LastBlock = make([]probe.Hot, 3), 0
	m.learn(log, 5e8)
	if m.setUp.Hot[1] != probe.HotCalls {
		t.Error("without blocks, component 1 stays timed")
	}
}
