package pooling_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/pooling"
	"spell-lsp/spell/record/validity"
)

func options() pooling.Options {
	return pooling.Options{Analysis: spell.Options{Order: spell.ByWeightedEnergy}, Seed: 1}
}

func pool(t *testing.T, parts ...pooling.Part) *record.Run {
	t.Helper()
	r, err := pooling.Pool(parts, options())
	if err != nil {
		t.Fatal(err)
	}
	if err := validity.Run(r); err != nil {
		t.Fatalf("the pooled run is not valid: %v", err)
	}
	return r
}

// part is a run of two functions with these joules by round.
func part(node string, sort, add []float64) pooling.Part {
	r := recordtest.Program(recordtest.Part{ID: "m.Sort", Joules: sort}, recordtest.Part{ID: "m.Add", Joules: add})
	for i := range r.Components {
		c := &r.Components[i]
		c.EnergyCI = map[spell.Domain][2]float64{spell.CPU: record.EnergyInterval(c.EnergyJ[spell.CPU], 0.01, c.RoundEnergyJ[spell.CPU], nil)}
	}
	return pooling.Part{Node: node, Run: r}
}

var near = cmpopts.EquateApprox(1e-12, 1e-12)

// Why: rounds are spread over nodes to have them sooner, not to have other figures. The run of all parts must have
// the means that one machine would have had with the same rounds, also where nodes ran different numbers of them.
func TestPartsAddUpToTheWhole(t *testing.T) {
	whole := part("", []float64{4, 5, 6, 7, 8, 9}, []float64{1, 1, 2, 2, 3, 3}).Run
	got := pool(t,
		part("node10", []float64{7, 8, 9}, []float64{2, 3, 3}),
		part("node2", []float64{4, 5}, []float64{1, 1}),
		part("node9", []float64{6}, []float64{2}))
	if diff := cmp.Diff([]record.Node{{Name: "node2", Rounds: 2}, {Name: "node9", Rounds: 1}, {Name: "node10", Rounds: 3}}, got.Nodes, cmpopts.IgnoreFields(record.Node{}, "Deviation")); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	if got.Rounds != 6 {
		t.Errorf("%d rounds, want 6", got.Rounds)
	}
	values := func(r *record.Run) map[string]any {
		all := map[string]any{}
		for _, c := range r.Components {
			all[c.ID] = []any{c.EnergyJ, c.TimeMS, c.N, c.RoundEnergyJ, c.RoundTimeMS}
		}
		for _, test := range r.Tests {
			all[test.Name] = []any{test.EnergyJ, test.TimeMS, test.Rounds, test.RoundEnergyJ, test.RoundTimeMS}
		}
		for i := range r.Matrix.Cells {
			c := r.Matrix.Cell(i)
			all[r.Tests[c.T].Name+" "+r.Components[c.C].ID] = []any{c.N, c.TimeMS, c.EnergyJ}
		}
		return all
	}
	if diff := cmp.Diff(values(whole), values(got), near); diff != "" {
		t.Errorf("values (-one machine +pooled):\n%s", diff)
	}
}

// Why: a record has three dozen fields by component, and one that is forgotten would be lost without a word. Two
// parts that are the same run must give that run, but for what says how many rounds there were.
func TestNothingOfARunIsLost(t *testing.T) {
	one := recordtest.Complete()
	one.Nodes, one.Calmness = nil, nil
	for i := range one.Tests { // Complete has fewer rounds than its tests
		one.Tests[i].Rounds = one.Rounds
	}
	got := pool(t, pooling.Part{Node: "a", Run: one}, pooling.Part{Node: "b", Run: one})
	for _, r := range []*record.Run{one, got} {
		for i := range r.Tests {
			r.Tests[i].RoundEnergyJ, r.Tests[i].RoundTimeMS, r.Tests[i].Rounds = nil, nil, 0
		}
	}
	byID := func(r *record.Run) map[string]record.Component {
		of := map[string]record.Component{}
		for _, c := range r.Components {
			of[c.ID] = c
		}
		return of
	}
	ranked := cmpopts.IgnoreFields(record.Component{}, "Phi", "Psi", "PsiCI", "EPIJ", "Rank", "RankCI", "Zone", "ZoneByRule", "KeptZone", "KeptEnergyJ", "KeptTimeMS", "KeptN",
		"Tied", "BelowResolution", "Explanation", "RoundEnergyJ", "RoundTimeMS", "EnergyCI", "GroupTime")
	// The complete record has totals beyond those of its cells.
	summed := cmpopts.IgnoreFields(record.Component{}, "N", "TimeMS", "EnergyJ", "CumTimeMS", "CumEnergyJ", "Lines", "Callees")
	want, have := byID(one), byID(got)
	if diff := cmp.Diff(want, have, near, ranked, summed, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("components (-one +pooled):\n%s", diff)
	}
	inGroups := func(r *record.Run) map[string]float64 {
		of := map[string]float64{}
		for _, c := range r.Components {
			for _, g := range c.GroupTime {
				of[c.ID+" in "+r.Groups[g.Group].ID+" in "+r.Tests[g.Test].Name] += g.TimeMS
			}
		}
		return of
	}
	if diff := cmp.Diff(inGroups(one), inGroups(got), near); diff != "" {
		t.Errorf("time in groups (-one +pooled):\n%s", diff)
	}
	for id, c := range want {
		if len(c.Lines) != len(have[id].Lines) || len(c.Callees) != len(have[id].Callees) {
			t.Errorf("%s has %d lines and %d callees, want %d and %d", id, len(have[id].Lines), len(have[id].Callees), len(c.Lines), len(c.Callees))
		}
	}
	if diff := cmp.Diff(one.Tests, got.Tests, near, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("tests (-one +pooled):\n%s", diff)
	}
	if len(got.CallTree) != len(one.CallTree) || len(got.Groups) != len(one.Groups) {
		t.Errorf("%d nodes of the call tree and %d groups, want %d and %d", len(got.CallTree), len(got.Groups), len(one.CallTree), len(one.Groups))
	}
	if got.DroppedRounds != 2*one.DroppedRounds || len(got.Dropped) != 2*len(one.Dropped) {
		t.Errorf("%d dropped rounds (%d causes), want twice %d", got.DroppedRounds, len(got.Dropped), one.DroppedRounds)
	}
}

// Why: a node with a bad fan or another firmware spoils the mean of all without anybody knowing. It must be named,
// with what it costs more, however the other nodes vary by some percent.
func TestNodeThatDrawsMoreIsNamed(t *testing.T) {
	r := pool(t,
		part("n1", []float64{10, 10.1, 9.9}, []float64{1, 1, 1}), part("n2", []float64{10.2, 10.1, 10.3}, []float64{1, 1, 1}),
		part("n3", []float64{12, 12.1, 11.9}, []float64{1.2, 1.2, 1.2}), part("n4", []float64{9.8, 9.9, 9.9}, []float64{1, 1, 1}))
	var named []string
	for _, n := range r.Nodes {
		if n.Deviation != 0 {
			named = append(named, fmt.Sprintf("%s %+.0f %%", n.Name, 100*n.Deviation))
		}
	}
	if want := []string{"n3 +20 %"}; !slices.Equal(named, want) {
		t.Errorf("named: %v, want %v", named, want)
	}
	i := slices.IndexFunc(r.Notes, func(n note.Note) bool { return n.Code == note.NodeDiffersCode })
	if i < 0 || r.Notes[i].Args["node"] != "n3" {
		t.Errorf("no note says so: %v", r.Notes)
	}
}

// Why: a node that is named for nothing sends somebody to look for a fault that is not there. Among equal nodes,
// whose rounds vary by 4 %, one may be named in 1 of 100 runs.
func TestEqualNodesAreNotNamed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	named := 0
	for range 300 {
		var parts []pooling.Part
		for node := range 4 {
			var joules []float64
			for range 3 {
				joules = append(joules, 10*(1+0.04*random.NormFloat64()))
			}
			parts = append(parts, part(fmt.Sprint("n", node), joules, []float64{0, 0, 0}))
		}
		if slices.ContainsFunc(pool(t, parts...).Nodes, func(n record.Node) bool { return n.Deviation != 0 }) {
			named++
		}
	}
	if named > 9 {
		t.Errorf("in %d of 300 runs a node of equal ones is named", named)
	}
}

// Why: an interval that takes rounds of one node for independent is too narrow as soon as nodes differ, and calls
// noise a finding. With nodes that differ by 5 % and rounds by 2 %, 95 % intervals must cover the truth in 90 of
// 100 runs at least; those that know nothing of nodes do so in half.
func TestIntervalsCountDifferencesBetweenNodes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const runs, truth = 300, 10.0
	covered, naive := 0, 0
	for range runs {
		var parts []pooling.Part
		for node := range 4 {
			of := truth * (1 + 0.05*random.NormFloat64())
			var joules []float64
			for range 3 {
				joules = append(joules, of+truth*0.02*random.NormFloat64())
			}
			parts = append(parts, part(fmt.Sprint("n", node), joules, []float64{1, 1, 1}))
		}
		r := pool(t, parts...)
		c := r.Components[slices.IndexFunc(r.Components, func(c record.Component) bool { return c.ID == "m.Sort" })]
		if ci := c.EnergyCI[spell.CPU]; ci[0] <= truth && truth <= ci[1] {
			covered++
		}
		if half := record.Normal95 * record.MeanError(c.RoundEnergyJ[spell.CPU], nil); math.Abs(c.EnergyJ[spell.CPU]-truth) <= half {
			naive++
		}
	}
	if covered < 0.9*runs || naive > 0.8*runs {
		t.Errorf("%d of %d intervals cover the truth; %d do that know nothing of nodes", covered, runs, naive)
	}
}

// Why: joules of another processor are no rounds of the same measurement. The kind with most rounds counts, and
// the others are named with what they differ by.
func TestNodesOfAnotherKindDoNotCount(t *testing.T) {
	other := part("old", []float64{50, 50}, []float64{5, 5})
	other.Run.Host.CPU = "Model S"
	r := pool(t, part("n1", []float64{4, 5}, []float64{1, 1}), other, part("n2", []float64{6}, []float64{1}))
	if r.Rounds != 3 || len(r.Nodes) != 2 {
		t.Errorf("%d rounds of %v, want 3 of n1 and n2", r.Rounds, r.Nodes)
	}
	want := note.NodeOfAnotherKind("old", 2, []note.Note{note.ProcessorsDiffer("Model T", "Model S")})
	if !slices.ContainsFunc(r.Notes, func(n note.Note) bool { return cmp.Equal(n, want) }) {
		t.Errorf("notes %v, want %v among them", r.Notes, want)
	}
}

// Why: a task that was put back in the queue goes on elsewhere, or on the same node, and a function may run in the
// rounds of one of them only. Its other rounds are 0, and the node is one.
func TestSeveralPartsOfANode(t *testing.T) {
	late := part("n1", []float64{6, 6}, []float64{1, 1})
	late.Run.Components = late.Run.Components[:1]
	late.Run.Matrix = record.MatrixOf(late.Run.Meter.Domains, late.Run.Matrix.Cell(0))
	r := pool(t, part("n1", []float64{4}, []float64{3}), late)
	if len(r.Nodes) != 1 || r.Nodes[0].Rounds != 3 {
		t.Errorf("nodes %v, want n1 with 3 rounds", r.Nodes)
	}
	for _, c := range r.Components {
		if c.ID == "m.Add" && (c.EnergyJ[spell.CPU] != 1 || !slices.Equal(c.RoundEnergyJ[spell.CPU], []float64{3, 0, 0})) {
			t.Errorf("m.Add has %v J, by round %v; want 1 J of 3, 0 and 0", c.EnergyJ[spell.CPU], c.RoundEnergyJ[spell.CPU])
		}
	}
}

func TestNotesNameTheirNode(t *testing.T) {
	a, b := part("n1", []float64{4}, []float64{1}), part("n2", []float64{5}, []float64{1})
	both, one := note.Text("both"), note.Text("only one")
	a.Run.Notes, b.Run.Notes = []note.Note{both, one}, []note.Note{both}
	got := pool(t, a, b).Notes
	if want := []note.Note{both, note.OnNode("n1", one), note.RanOnNodes(2, []string{"n1", "n2"})}; !cmp.Equal(want, got) {
		t.Errorf("notes %v, want %v", got, want)
	}
}

func TestNothingToPool(t *testing.T) {
	if _, err := pooling.Pool([]pooling.Part{{Node: "n1"}, {Node: "n2", Run: &record.Run{}}}, options()); !errors.Is(err, pooling.ErrNothing) {
		t.Errorf("error %v, want %v", err, pooling.ErrNothing)
	}
}

// Why: a short test is repeated in a round as often as a machine finds necessary; 0 stands for once.
func TestRepeatsOfSomeNodes(t *testing.T) {
	once, often := part("n1", []float64{4}, []float64{1}), part("n2", []float64{5}, []float64{1})
	if got := pool(t, once, part("n2", []float64{5}, []float64{1})).Tests[0].Repeats; got != 0 {
		t.Errorf("repeated %v times on average, want 0 for once", got)
	}
	often.Run.Tests[0].Repeats = 2.5
	if got := pool(t, once, often).Tests[0].Repeats; got != 1.75 {
		t.Errorf("repeated %v times on average, want 1.75: once in one round, 2.5 times in another", got)
	}
}

// Why: of two nodes one has a second package, and of both the machine's counter is known. The mean of what one node
// alone counted would be that of no machine.
func TestCountersThatAllNodesHave(t *testing.T) {
	one, two := part("n1", []float64{4}, []float64{1}), part("n2", []float64{5}, []float64{1})
	one.Run.Meter.Separate, one.Run.Tests[0].SeparateJ = []string{"psys", "package-1"}, map[string]float64{"psys": 8, "package-1": 3}
	two.Run.Meter.Separate, two.Run.Tests[0].SeparateJ = []string{"psys"}, map[string]float64{"psys": 10}
	got := pool(t, one, two)
	if diff := cmp.Diff([]string{"psys"}, got.Meter.Separate); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]float64{"psys": 9}, got.Tests[0].SeparateJ, near); diff != "" {
		t.Errorf("joules (-want +got):\n%s", diff)
	}
}

// Why: a counter that failed on one node made the mean of all nodes too small, as if the machine had used nothing there.
func TestCounterThatOneNodeCouldNotRead(t *testing.T) {
	one, two := part("n1", []float64{4, 4}, []float64{1, 1}), part("n2", []float64{5}, []float64{1})
	one.Run.Meter.Separate, one.Run.Tests[0].SeparateJ = []string{"psys"}, map[string]float64{"psys": 8}
	two.Run.Meter.Separate = []string{"psys"}
	if diff := cmp.Diff(map[string]float64{"psys": 8}, pool(t, one, two).Tests[0].SeparateJ, near); diff != "" {
		t.Errorf("joules (-want +got):\n%s", diff)
	}
}

// Why: with one part there is nothing to pool. Its intervals of psi and rank are known, and stay.
func TestOnePartKeepsItsIntervals(t *testing.T) {
	one := part("n1", []float64{4, 5, 6}, []float64{1, 1, 1})
	for i := range one.Run.Components {
		one.Run.Components[i].PsiCI, one.Run.Components[i].RankCI = [2]float64{0.25, 0.75}, [2]int{1, 2}
	}
	for _, c := range pool(t, one).Components {
		if c.PsiCI != [2]float64{0.25, 0.75} || c.RankCI != [2]int{1, 2} {
			t.Errorf("%s: psi %v, rank %v", c.ID, c.PsiCI, c.RankCI)
		}
	}
}

// Why: a part with few samples of a function knows no lines of it. That must not hide those that another knows.
func TestLinesThatSomePartsKnow(t *testing.T) {
	without, with := part("n1", []float64{4}, []float64{1}), part("n2", []float64{4}, []float64{1})
	without.Run.Components[0].EndLine, with.Run.Components[0].EndLine = 19, 19
	with.Run.Components[0].LinesHash = "0123456789abcdef"
	with.Run.Components[0].Lines = []record.Line{{Line: 11, TimeMS: 1000, EnergyJ: record.Energy{spell.CPU: 2}}}
	for _, c := range pool(t, without, with).Components {
		if c.ID == "m.Sort" && (len(c.Lines) != 1 || c.LinesHash == "") {
			t.Errorf("lines %v of the text %q, want one", c.Lines, c.LinesHash)
		}
	}
}

// Why: of three nodes that all differ, nobody can say that two are odd and one is right.
func TestMostNodesAreNeverOdd(t *testing.T) {
	r := pool(t, part("a", []float64{10, 10}, []float64{1, 1}), part("b", []float64{15, 15.1}, []float64{1, 1}), part("c", []float64{20, 20}, []float64{1, 1}))
	odd := slices.DeleteFunc(slices.Clone(r.Nodes), func(n record.Node) bool { return n.Deviation == 0 })
	if len(odd) > 1 {
		t.Errorf("named: %v", odd)
	}
}
