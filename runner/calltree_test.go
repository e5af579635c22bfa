package runner

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/record/grouping"
)

// shared returns a module in which two functions call a third one, the first for three times as
// long as the second. One of its tests is long, the other is short.
func shared() map[string]string {
	return map[string]string{
		"spins.go": `package m

var sink int

// Spins runs for about n times a third of a millisecond.
//
//go:noinline
func Spins(n int) {
	for range n {
		for i := range 60_000 {
			sink = (sink/3 + i/5) ^ (sink/7 + i)
		}
	}
}
`,
		"m.go": `package m

//go:noinline
func Much() { Spins(30) }

//go:noinline
func Little() { Spins(10) }
`,
		"m_test.go": `package m

import "testing"

func TestShares(t *testing.T) {
	for range 50 {
		Much()
		Little()
	}
}

func TestShort(t *testing.T) { Little() }
`,
	}
}

// callers returns the callers of the component whose ID ends in name, with their shares of its time,
// and that time in ms.
func callers(t *testing.T, r *record.Run, name string) (shares map[string]float64, ms float64) {
	t.Helper()
	c, err := grouping.Find(r, name)
	if err != nil {
		t.Fatal(err)
	}
	shares = make(map[string]float64)
	for _, e := range calltree.Of(r).Callers(c) {
		id := "no caller"
		if e.Component >= 0 {
			id = r.Components[e.Component].ID
		}
		shares[strings.TrimPrefix(id, "example.com/m.")] = e.TimeMS
		ms += e.TimeMS
	}
	for id := range shares {
		shares[id] /= ms
	}
	return shares, ms
}

// At every granularity, callers have the right shares of a component's time, and the time of all
// callers is the component's own time.
func TestCallersHaveTheirSharesOfTime(t *testing.T) {
	measured := make(map[string]*measurement) // by block
	whole, dir := t, module(t, shared())
	for _, test := range []struct {
		granularity spell.Kind
		block, name string
		want        map[string]float64
	}{
		{spell.KindFunction, "", "Spins", map[string]float64{"Much": 0.75, "Little": 0.25}},
		{spell.KindBlock, "Spins", "Spins", map[string]float64{"Much": 0.75, "Little": 0.25}},
		{spell.KindFile, "", "spins.go", map[string]float64{"m.go": 1}},
		{spell.KindPackage, "", "example.com/m", map[string]float64{"no caller": 1}},
	} {
		t.Run(string(test.granularity), func(t *testing.T) {
			m := measured[test.block]
			if m == nil { // the rounds of one build serve every granularity
				m = prepare(whole, Params{
					Dir: dir, Meter: "model", Rounds: 2, Run: "TestShares", Granularity: test.granularity, Block: test.block,
				}).measurement
				if err := m.rounds(t.Context(), m.round); err != nil {
					t.Fatal(err)
				}
				measured[test.block] = m
			}
			m.Granularity = test.granularity
			m.units, m.unitOf = unitsOf(m.build, m.Granularity)
			run := m.record(false)
			got, ms := callers(t, run, test.name)
			for name, share := range test.want {
				if math.Abs(got[name]-share) > 0.15 {
					t.Errorf("%s has %.2f of the time of %s, want %.2f; all callers are %v", name, got[name], test.name, share, got)
				}
			}
			own, inTree := 0.0, 0.0 // with the time of its blocks
			of := func(id string) bool {
				return strings.HasPrefix(id, "example.com/m."+test.name) || id == test.name
			}
			for _, c := range run.Components {
				if of(c.ID) {
					own += c.TimeMS
				}
			}
			for _, n := range run.CallTree {
				if of(run.Components[n.Component].ID) {
					inTree += n.TimeMS
				}
			}
			if math.Abs(inTree-own) > 1e-6*own || own == 0 {
				t.Errorf("%s has %g ms in the call tree, but took %g ms", test.name, inTree, own)
			}
			if ms > own*(1+1e-6) || ms < 0.9*own { // a sample may fall where the stack cannot be walked
				t.Errorf("callers of %s have %g ms, but it took %g ms", test.name, ms, own)
			}
		})
	}
}

// With a counter, short tests are repeated many times in a round. The call tree shows one execution,
// so callers in a repeated test get no larger share.
func TestRepetitionsDoNotCountInTheCallTree(t *testing.T) {
	files := shared()
	files["m_test.go"] = strings.Replace(files["m_test.go"], "Much()\n\t\tLittle()", "Much()", 1)
	run, err := prepare(t, Params{Dir: module(t, files), Meter: "none", Rounds: 2}).measure(t, func(m *measurement) {
		m.info.Counter = true // without a domain
	})
	if err != nil {
		t.Fatal(err)
	}
	short := slices.IndexFunc(run.Tests, func(t record.Test) bool { return strings.HasSuffix(t.Name, "TestShort") })
	if run.Tests[short].Repeats < 10 {
		t.Fatalf("TestShort was executed %g times in a round, want at least 10", run.Tests[short].Repeats)
	}
	got, _ := callers(t, run, "Spins")
	if share := got["Little"]; share < 0.002 || share > 0.03 {
		t.Errorf("Little has %.4f of the time of Spins, want 0.0066: it is called once beside 50 calls of Much that take three times as long", share)
	}
}

// The call tree is the mean over the rounds in which a test ran. Blocks count as the component that
// they belong to, and rows that are not ranked are skipped.
func TestCallTreeIsTheMeanOfRounds(t *testing.T) {
	component := func(name string, kind spell.Kind) spell.Component {
		return spell.Component{ID: "p." + name, Kind: kind, Package: "p"}
	}
	m := &measurement{subject: subject{build: &instrument.Build{
		Components: []spell.Component{component("F", spell.KindFunction), {}, component("G", spell.KindFunction), component("G#for1", spell.KindBlock)},
		Owner:      2, FirstBlock: 3, LastBlock: 3,
	}}}
	m.units, m.unitOf = spell.Group(m.build.Components, spell.KindBlock)
	const f, unused, g, block = 1, 2, 3, 4
	run := &record.Run{Components: []record.Component{{ID: "p.G#for1", Kind: spell.KindBlock, TimeMS: 7, Package: "p"}, {ID: "p.G", Kind: spell.KindFunction, TimeMS: 3, Package: "p"}, {ID: "p.F", TimeMS: 2, Kind: spell.KindFunction, Package: "p"}}}
	m.kept = []*round{
		{tests: []*observation{
			{pkg: "p", name: "A", executions: 4, calls: [][]record.CallNode{
				{{Parent: -1, Component: f}, {Parent: 0, Component: g, TimeMS: 8}},
				{{Parent: -1, Component: f, TimeMS: 9}, {Parent: 0, Component: unused}, {Parent: 1, Component: block, TimeMS: 8}},
			}},
			{pkg: "p", name: "B", executions: 1, calls: [][]record.CallNode{{{Parent: -1, Component: block, TimeMS: 1}}}},
		}},
		{tests: []*observation{{pkg: "p", name: "A", executions: 1}}, calls: [][]record.CallNode{{{Parent: -1, Component: g, TimeMS: 4}}}},
	}
	m.addCallTree(run)
	// G: (8+8)/4/2 = 2 below F; 1/1 in B and 4/2 in the round without tests; of 10 ms in all.
	want := []record.CallNode{{Parent: -1, Component: 1, TimeMS: 6}, {Parent: -1, Component: 2, TimeMS: 2}, {Parent: 1, Component: 1, TimeMS: 4}}
	if diff := cmp.Diff(want, run.CallTree); diff != "" {
		t.Errorf("call tree (-want +got):\n%s", diff)
	}
}
