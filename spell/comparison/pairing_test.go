package comparison_test

import (
	"slices"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// onNodes is a run of one function with these joules, which nodes of two rounds each drew.
func onNodes(names []string, joules ...float64) *record.Run {
	r := recordtest.Program(recordtest.Part{ID: "m.F", Hash: "h", File: "f.go", Joules: joules})
	for _, name := range names {
		r.Nodes = append(r.Nodes, record.Node{Name: name, Rounds: 2})
	}
	return r
}

// Why: nodes of one kind differ by some percent. A run on the same nodes is compared node by node, so that a
// small change shows through, whatever the order of the nodes; on other nodes, a change must be larger than what
// differs between nodes.
func TestNodesAreComparedWithThemselves(t *testing.T) {
	base := onNodes([]string{"n1", "n2", "n3", "n4"}, 10, 10.1, 11, 11.1, 12, 12.1, 13, 13.1)
	same := onNodes([]string{"n4", "n3", "n2", "n1"}, 6.5, 6.6, 6, 6.1, 5.5, 5.6, 5, 5.1)
	others := onNodes([]string{"m1", "m2", "m3", "m4"}, 9.0, 9.1, 10, 10.1, 11, 11.1, 12, 12.1)
	c, err := comparison.Compare(base, same, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Total.EnergyJ.Verdict; got != comparison.Better {
		t.Errorf("half of the energy on the same nodes: %s, want better", got)
	}
	if slices.ContainsFunc(c.Notes, func(n note.Note) bool { return n.Code == note.NodesDifferCode }) {
		t.Error("the nodes are the same, but a note says that they differ")
	}
	if c, err = comparison.Compare(base, others, comparison.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := c.Total.EnergyJ.Verdict; got != comparison.Unchanged {
		t.Errorf("nine percent less on nodes that differ by as much: %s, want unchanged", got)
	}
	if want := 0.2; *c.Total.EnergyJ.SmallestChange < want {
		t.Errorf("smallest change %.3f, want at least %.1f: that is what differs between nodes", *c.Total.EnergyJ.SmallestChange, want)
	}
	if !slices.ContainsFunc(c.Notes, func(n note.Note) bool { return n.Code == note.NodesDifferCode }) {
		t.Error("no note says that the nodes differ")
	}
}
