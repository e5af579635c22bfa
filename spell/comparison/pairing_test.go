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
	for _, c := range []struct {
		what  string
		nodes []string
		less  float64
		want  comparison.Verdict
		notes bool
	}{
		{"5 % less on the same nodes", []string{"n4", "n3", "n2", "n1"}, 0.05, comparison.Better, false},
		{"as much on the same nodes", []string{"n4", "n3", "n2", "n1"}, 0, comparison.Unchanged, false},
		{"9 % less on nodes that differ by as much", []string{"m4", "m3", "m2", "m1"}, 0.09, comparison.Unchanged, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			var joules []float64
			for _, j := range []float64{13, 13.1, 12, 12.1, 11, 11.1, 10, 10.1} {
				joules = append(joules, j*(1-c.less))
			}
			got, err := comparison.Compare(base, onNodes(c.nodes, joules...), comparison.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if v := got.Total.EnergyJ.Verdict; v != c.want {
				t.Errorf("total: %s, want %s", v, c.want)
			}
			if v := got.Components[0].EnergyJ.Verdict; v != c.want {
				t.Errorf("function: %s, want %s", v, c.want)
			}
			if says := slices.ContainsFunc(got.Notes, func(n note.Note) bool { return n.Code == note.NodesDifferCode }); says != c.notes {
				t.Errorf("a note says that nodes differ: %v", says)
			}
		})
	}
}

// Why: a node may have run five rounds in one run and one in the other. Its rounds then weigh otherwise in the mean,
// which must not look like a change of the code.
func TestNodesWithOtherNumbersOfRounds(t *testing.T) {
	of := func(a, b int) *record.Run {
		var joules []float64
		joules = append(joules, slices.Repeat([]float64{10}, a)...)
		joules = append(joules, slices.Repeat([]float64{12}, b)...)
		r := onNodes(nil, joules...)
		r.Nodes = []record.Node{{Name: "n1", Rounds: a}, {Name: "n2", Rounds: b}}
		return r
	}
	c, err := comparison.Compare(of(1, 5), of(5, 1), comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := c.Total.EnergyJ.Verdict; v == comparison.Better || v == comparison.Worse {
		t.Errorf("the same code on the same nodes is %s", v)
	}
}
