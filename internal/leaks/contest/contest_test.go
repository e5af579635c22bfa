package contest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// pkg has a dot in its last element, which the linker escapes.
const pkg = "example.com/m.v2"

// measured is a run of three functions in two tests that count. Idle ran in a test that
// failed and does not count.
func measured() *record.Run {
	joules := func(j float64) record.Energy { return record.Energy{spell.CPU: j} }
	r := &record.Run{
		Rounds: 1, Granularity: spell.KindFunction, Mode: "instrument",
		Meter: record.Meter{Name: "model", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}},
		Tests: []record.Test{{Name: "A", Outcome: record.Pass}, {Name: "B", Outcome: record.Pass}, {Name: "C", Outcome: record.Fail}},
	}
	for _, name := range []string{"Hot", "Idle", "Leak", "Often"} {
		r.Components = append(r.Components, record.Component{ID: pkg + "." + name, Package: pkg, Kind: spell.KindFunction})
	}
	r.Matrix = record.MatrixOf(r.Meter.Domains,
		record.Cell{T: 0, C: 0, N: 1, TimeMS: 400, EnergyJ: joules(4)},
		record.Cell{T: 0, C: 3, N: 1000, TimeMS: 50, EnergyJ: joules(1)},
		record.Cell{T: 1, C: 2, N: 2, TimeMS: 450, EnergyJ: joules(5)},
		record.Cell{T: 1, C: 3, N: 100, TimeMS: 60, EnergyJ: joules(0.5)},
		record.Cell{T: 2, C: 1, N: 1e6, TimeMS: 9000, EnergyJ: joules(90)},
	)
	recordtest.Analyzed(r)
	for i := range r.Components {
		c := &r.Components[i]
		c.CumEnergyJ = joules(map[string]float64{pkg + ".Hot": 5, pkg + ".Leak": 4.5, pkg + ".Often": 1.5, pkg + ".Idle": 90}[c.ID])
	}
	return r
}

// profiled has samples of measured: in a literal of Leak that allocates, in Hot, and in
// Often, which the compiler has inlined into Leak.
func profiled() *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "alloc_space"}, {Type: "cpu"}}}
	function := func(name string) profile.Line {
		return profile.Line{Function: &profile.Function{Name: name}}
	}
	const runtimePkg = "example.com/m%2ev2"
	allocate, literal := function("runtime.mallocgc"), function(runtimePkg+".Leak.func1")
	hot, often, leak := function(runtimePkg+".Hot"), function(runtimePkg+".Often[...]"), function(runtimePkg+".Leak")
	at := func(lines ...profile.Line) *profile.Location { return &profile.Location{Line: lines} }
	p.Sample = []*profile.Sample{
		{Location: []*profile.Location{at(allocate), at(literal), at(hot)}, Value: []int64{1, 10}},
		{Location: []*profile.Location{at(hot)}, Value: []int64{7, 3}},
		{Location: []*profile.Location{at(often, leak), at(hot), at(hot)}, Value: []int64{0, 2}},
		{Location: []*profile.Location{at(allocate)}, Value: []int64{100, 100}},
	}
	return p
}

// Each contestant orders the same three functions, by scores that were computed by hand;
// (g) is shown as harmless.
func TestContestants(t *testing.T) {
	want := map[string]string{
		Reference:                        "Leak Hot Often",          // 5, 4, 1.5
		"spell-lsp, with callers":        "Leak Hot Often",          // there is no call tree
		"psi":                            "Often Leak Hot(g)",       // 53000, 4500, 1600
		"psi, product of sums":           "Often Leak Hot(g)",       // the same order and cut
		"energy x time":                  "Leak Hot Often(g)",       // 2250, 1600, 80
		"energy x ln(1+N) x time":        "Leak Hot Often",          // 2472, 1109, 484
		"energy x sqrt(N) x time":        "Leak Often Hot",          // 3182, 1881, 1600
		"energy":                         "Leak Hot Often",          // 5, 4, 1.5
		"energy x sqrt(energy per call)": "Hot Leak Often(g)",       // 8, 7.9, 0.06
		"energy x energy per call":       "Hot Leak Often(g)",       // 16, 12.5, 0.002
		"energy x energy per call ^ 1/4": "Leak Hot Often(g)",       // 6.3, 5.7, 0.3
		"energy beyond the usual":        "Hot Leak Often",          // 2.5 J are usual: 4 x 3/8, 5 / 4, 1.5 / 4
		"energy of costly calls":         "Hot Leak Often",          // 4 x 3/3, 5 x 2/3, 1.5 x 1/3
		"energy, half for cheap calls":   "Leak Hot Often",          // 5 x 5/6, 4 x 1, 1.5 x 2/3
		"energy and energy per call":     "Hot Leak Often",          // 1/1.5, 1/1.5, 1/3
		"energy of unusual calls":        "Hot Leak Often",          // 4 x 3/3, 5 x 2/3, 1.5 x 1/3
		"energy in unmeasured callees":   "Hot(g) Leak(g) Often(g)", // none is known
		"energy, with the collector":     "Leak Hot Often",          // as energy: nothing of the collector is known
		"energy, cumulative":             "Hot Leak Often",          // 5, 5 and 1.5: at least without callees
		"time":                           "Leak Hot Often",          // 450, 400, 110
		"N":                              "Often Leak(g) Hot(g)",    // 1100, 2, 1
		"energy per call":                "Hot Leak Often(g)",       // 4, 2.5, 0.0014
		"CPU profile, flat":              "Hot Often Leak(g)",       // 3, 2, 0
		"CPU profile, nearest":           "Leak Hot Often",          // 10, 3, 2
		"CPU profile, cumulative":        "Hot Leak Often",          // 15, 12, 2
		"memory profile, flat":           "Hot Leak(g) Often(g)",    // 7, 0, 0
		"memory profile, nearest":        "Hot Leak Often(g)",       // 7, 1, 0
		"memory profile, cumulative":     "Hot Leak Often(g)",       // 8, 1, 0
		"comparison":                     "Leak Hot(g) Often(g)",    // 4, 0, 0
		"chance":                         "Hot(g) Leak(g) Often(g)", // all 0
	}
	clean := measured()
	for i := range clean.Matrix.Cells {
		if clean.Components[clean.Matrix.Cells[i].Component].ID == pkg+".Leak" {
			clean.Matrix.EnergyJ[i] = 1
		}
	}
	recordtest.Analyzed(clean)
	e := &Evidence{Leaky: measured(), Clean: clean, CPU: profiled(), Memory: profiled()}
	seen := make(map[string]bool)
	for _, c := range All() {
		if seen[c.Name] {
			t.Errorf("%s: two contestants have the name", c.Name)
		}
		seen[c.Name] = true
		order, err := c.Order(e)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		var got []string
		for _, entry := range order {
			name := strings.TrimPrefix(entry.ID, pkg+".")
			if entry.Green {
				name += "(g)"
			}
			got = append(got, name)
		}
		if got := strings.Join(got, " "); got != want[c.Name] {
			t.Errorf("%s: %s, want %s", c.Name, got, want[c.Name])
		}
	}
	if len(seen) != len(want) {
		t.Errorf("%d contestants, but %d are expected", len(seen), len(want))
	}
}

// Why: each part of a formula must show where there is something for it: callees without a probe,
// the collector's energy, functions of different lengths.
func TestCandidates(t *testing.T) {
	r := measured()
	callees := map[string]float64{pkg + ".Hot": 40, pkg + ".Often": 110}
	lines := map[string]int{pkg + ".Hot": 100, pkg + ".Leak": 10, pkg + ".Often": 1}
	for i := range r.Components {
		c := &r.Components[i]
		c.Line, c.EndLine = 1, lines[c.ID]
		if ms := callees[c.ID]; ms > 0 {
			c.Callees = []record.Callee{{Name: "simd.Search", TimeMS: ms}}
		}
	}
	for i := range r.Tests {
		r.Tests[i].Unattributed = map[record.Part]record.Unattributed{record.Collector: {EnergyJ: record.Energy{spell.CPU: 9}}}
	}
	row := func(name string) int {
		return slices.IndexFunc(r.Components, func(c record.Component) bool { return c.ID == pkg+"."+name })
	}
	r.CallTree = []record.CallNode{{Parent: -1, Component: row("Hot")}, {Parent: 0, Component: row("Often"), TimeMS: 110}, {Parent: 1, Component: row("Leak"), TimeMS: 450}}
	e := &Evidence{Leaky: r, Memory: profiled()}
	for name, want := range map[string]map[string]float64{
		"energy in unmeasured callees": {"Hot": 4 * 0.1, "Leak": 0, "Often": 1.5},
		// Of 8 bytes of functions Hot allocated 7, Leak 1; 18 J of the collector in the tests that count.
		"energy, with the collector": {"Hot": 4 + 18*7./8, "Leak": 5 + 18*1./8, "Often": 1.5},
		// Often runs often and is called by Hot alone, which stands above it anyway; Leak is called by
		// Often, but its calls are costly.
		"spell-lsp, with callers": {"Leak": -1, "Hot": -2, "Often": -3},
		// A line costs 0.04 J in a call of Hot, 0.25 in Leak, 0.0014 in Often; of these 0.04 is usual.
		"energy beyond the usual": {"Hot": 4. / 4, "Leak": 5 * 0.84, "Often": 1.5 / 4},
		// A call of 1 line costs 0.0014 J, of 10 lines 2.5, of 100 lines 4: in logarithms Leak is 2.3
		// above the line through them, Hot 1.16 and Often 1.19 below.
		"energy of unusual calls": {"Hot": 4 * 2. / 3, "Leak": 5, "Often": 1.5 * 1. / 3},
	} {
		at := slices.IndexFunc(All(), func(c Contestant) bool { return c.Name == name })
		order, err := All()[at].Order(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range order {
			if id := strings.TrimPrefix(entry.ID, pkg+"."); math.Abs(entry.Score-want[id]) > 1e-9 {
				t.Errorf("%s: the score of %s is %g, want %g", name, id, entry.Score, want[id])
			}
		}
	}
}

// Why: a profile without the values that a contestant reads must not count as one in which
// every function is equal.
func TestProfileWithoutValues(t *testing.T) {
	for _, p := range []*profile.Profile{nil, {SampleType: []*profile.ValueType{{Type: "delay"}}}} {
		if _, err := cpuProfile(flat)(&Evidence{Leaky: measured(), CPU: p}); err == nil {
			t.Errorf("%v: no error", p)
		}
	}
}

// Why: a function that runs often is not the leak; who calls it is, and the first screen says so.
func TestCallersComeBehindThoseThatTheyCall(t *testing.T) {
	r := recordtest.Program(
		recordtest.Part{ID: "m.Often", Joules: []float64{8}, N: 1e6},
		recordtest.Part{ID: "m.Other", Joules: []float64{0.3}}, recordtest.Part{ID: "m.Loop", Joules: []float64{0.1}},
	)
	r.CallTree = []record.CallNode{{Parent: -1, Component: 2, TimeMS: 50}, {Parent: 0, Component: 0, TimeMS: 4000}}
	recordtest.Analyzed(r)
	order, err := withCallers(&Evidence{Leaky: r})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range order {
		got = append(got, fmt.Sprintf("%s %t", entry.ID, entry.Green))
	}
	if want := []string{"m.Often false", "m.Loop false", "m.Other false"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
