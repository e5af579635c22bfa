package report

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// The page says of each frame how its energy is known; a run that knows nothing of that has no list.
func TestTreeSaysHowEnergyIsKnown(t *testing.T) {
	r := recordtest.Park()
	r.CallTree = []record.CallNode{
		{Parent: -1, Component: 0, TimeMS: 1}, {Parent: 0, Component: 1, TimeMS: 1, Power: 1.5}, {Parent: -1, Component: 1, TimeMS: 1, ByTime: record.Interleaved},
		{Parent: -1, Component: 2, TimeMS: 1, ByTime: record.Alike}, {Parent: -1, Component: 3, TimeMS: 1, ByTime: record.Few},
	}
	tree := newTree(r)
	if diff := cmp.Diff([]int{0, 1, 3, 2, 4}, tree.How[:5]); diff != "" {
		t.Errorf("how (-want +got):\n%s", diff)
	}
	if a, b := float64(tree.EnergyJ[1]), float64(tree.EnergyJ[2]); a <= 1.49*b || a >= 1.51*b {
		t.Errorf("the same time has %g and %g J, want the first 1.5 times the second", a, b)
	}
	if tree := newTree(recordtest.Park()); tree.How != nil {
		t.Errorf("how is %v where nothing is known", tree.How)
	}
}

// The page has these words of its own; they are those of hovers and the terminal, in the order of the numbers.
func TestPageSaysHowEnergyIsKnown(t *testing.T) {
	names := make([]string, 2+len(howNames))
	names[fitted] = "fitted"
	for reason, number := range howNames {
		names[number] = wording.ByTime(string(reason))
	}
	script, err := os.ReadFile("../../vscode-client/report/flame.ts")
	if want := "['" + strings.Join(names, "', '") + "']"; err != nil || !strings.Contains(string(script), want) {
		t.Errorf("flame.ts has no list %s: %v", want, err)
	}
}
