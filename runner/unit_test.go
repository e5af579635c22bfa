package runner

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

func TestAttribute(t *testing.T) {
	const second = 1_000_000_000
	for _, test := range []struct {
		name string
		interval
		want map[int]float64 // joules of domain 0 by component
	}{
		{
			"what is above idle is shared by running time",
			interval{
				counts: map[int]probe.Count{1: {SelfNS: 3 * second}, 2: {SelfNS: second}},
				joules: []float64{50}, lengthNS: 10e9, programNS: 4 * second,
			},
			map[int]float64{0: 30, 1: 10},
		},
		{
			"time outside of components keeps its share to itself",
			interval{
				counts: map[int]probe.Count{0: {SelfNS: second}, 1: {SelfNS: second}},
				joules: []float64{20}, lengthNS: 0e9, programNS: 2 * second,
			},
			map[int]float64{0: 10},
		},
		{
			"so do other processes",
			interval{
				counts: map[int]probe.Count{1: {SelfNS: second}},
				joules: []float64{40}, lengthNS: 0e9, programNS: second, othersNS: 3 * second,
			},
			map[int]float64{0: 10},
		},
		{
			"no more is shared than there is, whatever the clocks say",
			interval{
				counts: map[int]probe.Count{1: {SelfNS: 2 * second}, 2: {SelfNS: 2 * second}},
				joules: []float64{8}, lengthNS: 0e9, programNS: second,
			},
			map[int]float64{0: 4, 1: 4},
		},
		{
			"nor where the program's CPU time is not known",
			interval{counts: map[int]probe.Count{1: {SelfNS: second}}, joules: []float64{8}, lengthNS: 0e9},
			map[int]float64{0: 8},
		},
		{
			"an interval below idle power has nothing to share",
			interval{counts: map[int]probe.Count{1: {SelfNS: second}}, joules: []float64{5}, lengthNS: 6e9, programNS: second},
			map[int]float64{0: 0},
		},
		{
			"the probes' own time is nobody's",
			interval{
				counts: map[int]probe.Count{1: {N: 900, Timed: 900, Literals: 100, SelfNS: 20_000}, 2: {N: 10, Timed: 10, SelfNS: 80_000, Calls: 1000}},
				cost:   probeCost{inner: 20, outer: 30},
				joules: []float64{1}, lengthNS: 0e9, programNS: 100_000,
			},
			map[int]float64{0: 0, 1: 0.498},
		},
		{
			"nothing ran",
			interval{counts: map[int]probe.Count{1: {N: 1}}, joules: []float64{1}, lengthNS: 0e9},
			map[int]float64{0: 0},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := make(map[int]float64)
			shares, parts := newPool(2, nil).attribute(&test.interval, alike)
			var sum float64
			for c, s := range shares {
				got[c] = math.Round(1e9*s.joules[0]) / 1e9
				sum += s.joules[0]
			}
			for _, p := range parts {
				sum += p.joules[0]
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("joules by component (-want +got):\n%s", diff)
			}
			if math.Abs(sum-test.joules[0]) > 1e-9 {
				t.Errorf("components and parts are %g J, the counter gained %g J: %+v", sum, test.joules[0], parts)
			}
		})
	}
}

// Where other processes take the processors away, goroutines are running for
// longer than the program has a processor.
func TestRunningTimeIsScaledToCPUTime(t *testing.T) {
	shares, _ := newPool(1, nil).attribute(&interval{counts: map[int]probe.Count{0: {SelfNS: 1e9}, 1: {SelfNS: 3e9, CumNS: 3e9, WallNS: 3e9}}, programNS: 1e9, joules: []float64{0}}, alike)
	if s := shares[0]; s.selfNS != 0.75e9 || s.cumNS != 0.75e9 || s.wallNS != 3e9 {
		t.Errorf("share is %+v, want three quarters of a second of CPU time within three", s)
	}
	shares, _ = newPool(1, nil).attribute(&interval{counts: map[int]probe.Count{1: {SelfNS: 3e6}}, programNS: 2e6, joules: []float64{0}}, alike)
	if s := shares[0]; s.selfNS != 3e6 {
		t.Errorf("share is %+v: a difference within the clock's error is no reason to scale", s)
	}
}

// A function that only makes many calls does not wait, though its probes take
// most of its time.
func TestProbesAreNoWaiting(t *testing.T) {
	s := probeCost{inner: 20, outer: 30}.remove(probe.Count{N: 1, Timed: 1, SelfNS: 100_000, CumNS: 120_000, WallNS: 120_000, Calls: 3000})
	if s.probesNS != 90_020 || s.selfNS != 9_980 || s.cumNS != 29_980 || s.wallNS != s.cumNS {
		t.Errorf("share is %+v", s)
	}
	if !s.resolved() {
		t.Errorf("share is %+v: its own time is a tenth of its probes', enough to be told from theirs", s)
	}
	if s := (probeCost{inner: 20}).remove(probe.Count{N: 1000, Timed: 1000, SelfNS: 21_000}); s.resolved() {
		t.Errorf("share is %+v: its own time is within the error of what was taken out", s)
	}
}

func TestTicksAreInterpolated(t *testing.T) {
	times := []int64{100, 200, 400}
	k := timeline{published: times, updated: times, cpu: []int64{0, 50, 150}, own: []int64{0, 1, 2}, joules: []float64{1, 10, 2, 30, 4, 30}, domains: 2}
	for at, want := range map[int64][]float64{
		0: {0, 1, 10}, 100: {0, 1, 10}, 150: {25, 1.5, 20}, 200: {50, 2, 30}, 300: {100, 3, 30}, 400: {150, 4, 30}, 999: {150, 4, 30},
	} {
		m := k.at(at)
		if diff := cmp.Diff(want, append([]float64{m.cpu}, m.joules...)); diff != "" {
			t.Errorf("at %d (-want +got):\n%s", at, diff)
		}
	}
	if m := (&timeline{domains: 1}).at(5); m.cpu != 0 || m.joules[0] != 0 {
		t.Errorf("without a reading there are %g ns and %g J", m.cpu, m.joules[0])
	}
}

func TestCorrelated(t *testing.T) {
	run := func(psi ...float64) *record.Run {
		r := &record.Run{}
		for i, p := range psi {
			r.Components = append(r.Components, record.Component{ID: fmt.Sprint(i), Psi: p})
		}
		return r
	}
	for _, test := range []struct {
		name string
		a, b *record.Run
		want bool
	}{
		{"the same", run(0.6, 0.3, 0.1), run(0.6, 0.3, 0.1), true},
		{"nearly the same", run(0.6, 0.3, 0.1), run(0.61, 0.29, 0.1), true},
		{"another order", run(0.6, 0.3, 0.1), run(0.1, 0.3, 0.6), false},
		{"a component more", run(0.9, 0.1), run(0.5, 0.1, 0.4), false},
		{"one component", run(1), run(1), true},
		{"none", run(), run(), true},
	} {
		if got := correlated(test.a, test.b); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// Two packages with the same last element would overwrite each other's program.
func TestGroupsHaveDistinctProgramNames(t *testing.T) {
	got := Groups([]instrument.TestPackage{{Path: "m/a"}, {Path: "m/b"}, {Path: "m/x/a"}, {Path: "m/y/a"}})
	want := [][]instrument.TestPackage{{{Path: "m/a"}, {Path: "m/b"}}, {{Path: "m/x/a"}}, {{Path: "m/y/a"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

// A program that is looked for under another name would be left out.
func TestProgramName(t *testing.T) {
	for pkg, want := range map[string]string{
		"example.com/a": "a.test", "a": "a.test", "example.com/a/v2": "a.test", "example.com/a/v12": "a.test",
		"example.com/a/v1": "v1.test", "example.com/a/v0": "v0.test", "example.com/a.v2": "a.v2.test", "v2": "v2.test", "m/vx": "vx.test",
	} {
		if got := ProgramName(pkg); got != want {
			t.Errorf("%s: %s, want %s", pkg, got, want)
		}
	}
}

// A test that fails once has failed; the means are over the rounds it ran in.
func TestAverage(t *testing.T) {
	obs := func(name string, outcome record.Outcome, joules, n float64) *observation {
		return &observation{pkg: "p", name: name, outcome: outcome, timeMS: 10, joules: []float64{joules},
			shares: map[int]share{0: {n: n, joules: []float64{joules / 2}, cumJoules: []float64{joules}}}}
	}
	means, names := average([]*round{
		{tests: []*observation{obs("A", record.Pass, 2, 1), obs("B", record.Fail, 4, 2)}},
		{tests: []*observation{obs("A", record.Pass, 4, 3), obs("B", record.Pass, 4, 2)}},
		{tests: []*observation{obs("A", record.Crash, 6, 5)}},
	})
	if diff := cmp.Diff([]string{"p.A", "p.B"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	a, b := means["p.A"], means["p.B"]
	if a.outcome != record.Crash || a.rounds != 3 || a.joules[0] != 4 || a.shares[0].n != 3 || a.shares[0].joules[0] != 2 || a.timeMS != 10 {
		t.Errorf("A is %+v", a)
	}
	if b.outcome != record.Fail || b.rounds != 2 || b.joules[0] != 4 {
		t.Errorf("B is %+v", b)
	}
}

// A record must not tell where on a machine it was made.
func TestRelativeRoot(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "m/sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "m"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{"m": ".", "m/sub": "..", "link": ".", "link/sub": ".."} {
		if got := relativeRoot(filepath.Join(dir, folder), filepath.Join(dir, "m")); got != want {
			t.Errorf("from %s the root is %s, want %s", folder, got, want)
		}
	}
}

// The unit of a component does not change with what has no probe, its hash does.
func TestUnitsOf(t *testing.T) {
	function := func(id, file, hash string) spell.Component {
		return spell.Component{ID: "m." + id, Kind: spell.KindFunction, Package: "m", File: file, Line: 3, EndLine: 4, Hash: hash}
	}
	build := &instrument.Build{
		Components: []spell.Component{function("T.A", "a.go", "1"), {}, function("B", "b.go", "2")},
		Bare:       []spell.Component{function("T.C", "a.go", "3"), function("D", "d.go", "4")},
	}
	plain := &instrument.Build{Components: build.Components}
	for _, test := range []struct {
		granularity spell.Kind
		units       int
		of          []int
		changed     []bool // the hash, by what has no probe
	}{
		{spell.KindPackage, 1, []int{0, -1, 0}, []bool{true}},
		{spell.KindFile, 2, []int{0, -1, 1}, []bool{true, false}},
		{spell.KindType, 2, []int{0, -1, 1}, []bool{true, false}},
		{spell.KindFunction, 2, []int{0, -1, 1}, []bool{false, false}},
	} {
		units, of := unitsOf(build, test.granularity)
		if len(units) != test.units || !slices.Equal(of, test.of) {
			t.Errorf("by %s: %d units, %v", test.granularity, len(units), of)
			continue
		}
		without, _ := unitsOf(plain, test.granularity)
		for i, changed := range test.changed {
			if (units[i].Hash != without[i].Hash) != changed || units[i].Hash == "" {
				t.Errorf("by %s: the hash of %s is %q, and %q without those that have no probe", test.granularity, units[i].ID, units[i].Hash, without[i].Hash)
			}
		}
	}
	if units, of := unitsOf(&instrument.Build{Bare: build.Bare}, spell.KindFile); len(units)+len(of) > 0 {
		t.Errorf("of no components: %v, %v", units, of)
	}
}

// What did not run is named where it could be taken for what did.
func TestTwins(t *testing.T) {
	function := func(id, hash string) spell.Component {
		return spell.Component{ID: "m." + id, Kind: spell.KindFunction, Package: "m", File: "a.go", Hash: hash}
	}
	build := &instrument.Build{
		Components: []spell.Component{
			function("Ran", "1"), function("AlsoRan", "1"), {}, function("Left", "1"), function("Other", "2"),
			{ID: "m.Ran#for1", Kind: spell.KindBlock, Package: "m", File: "a.go", Hash: "1"},
		},
		Bare: []spell.Component{function("Tight", "1"), function("Loose", "3")},
	}
	r := &record.Run{Components: []record.Component{component(build.Components[0], columns{}), component(build.Components[1], columns{})}}
	want := []record.Twin{{ID: "m.Left", Package: "m", File: "a.go", Hash: "1"}, {ID: "m.Tight", Package: "m", File: "a.go", Hash: "1"}}
	if diff := cmp.Diff(want, twins(r, build)); diff != "" {
		t.Errorf("twins (-want +got):\n%s", diff)
	}
}
