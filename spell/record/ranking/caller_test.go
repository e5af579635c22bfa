package ranking_test

import (
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/summary"
)

// Why: a function of a few nanoseconds that is called millions of times is not what should be
// changed. The page must name who calls it, and nobody where no one caller stands out.
func TestMainCaller(t *testing.T) {
	node := func(parent, component int, ms float64) record.CallNode {
		return record.CallNode{Parent: parent, Component: component, TimeMS: ms}
	}
	const often, loop, other = 0, 1, 2
	for _, tt := range []struct {
		why  string
		tree []record.CallNode
		want summary.Caller
	}{
		{"no tree", nil, summary.Caller{}},
		{"one caller", []record.CallNode{node(-1, loop, 100), node(0, often, 600), node(-1, often, 200)}, summary.Caller{Component: loop, Share: 0.75}},
		{"two alike", []record.CallNode{node(-1, loop, 0), node(0, often, 300), node(-1, other, 0), node(2, often, 290), node(-1, often, 110)}, summary.Caller{}},
		{"tests call it", []record.CallNode{node(-1, loop, 0), node(0, often, 300), node(-1, often, 500)}, summary.Caller{}},
		{"it calls itself", []record.CallNode{node(-1, often, 100), node(0, often, 700)}, summary.Caller{}},
	} {
		r := recordtest.Program(
			recordtest.Part{ID: "m.Often", Joules: []float64{8}, N: 1e6}, recordtest.Part{ID: "m.Loop", Joules: []float64{1}, N: 1},
			recordtest.Part{ID: "m.Other", Joules: []float64{1}, N: 1},
		)
		r.CallTree = tt.tree
		r.Mode, r.Granularity = "instrument", spell.KindFunction
		s := ranking.Summarize(r, r.Tallies(), []int{often, loop})
		if got := s.Items[0].Caller; got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.why, got, tt.want)
		}
		if got := s.Items[1].Caller; got != (summary.Caller{}) {
			t.Errorf("%s: a function whose calls are costly has the caller %+v", tt.why, got)
		}
	}
}
