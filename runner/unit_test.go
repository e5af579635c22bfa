package runner

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/spell/record"
)

func TestAttribute(t *testing.T) {
	const second = 1_000_000_000
	for _, test := range []struct {
		name         string
		counts       map[int]probe.Count
		cost         probeCost
		joules, idle []float64
		busyNS       float64
		want         map[int]float64 // joules of domain 0 by component
	}{
		{
			name:   "what is above idle is shared by running time",
			counts: map[int]probe.Count{1: {SelfNS: 3 * second}, 2: {SelfNS: second}},
			joules: []float64{50}, idle: []float64{10}, busyNS: 4 * second,
			want: map[int]float64{0: 30, 1: 10},
		},
		{
			name:   "time outside of components keeps its share to itself",
			counts: map[int]probe.Count{0: {SelfNS: second}, 1: {SelfNS: second}},
			joules: []float64{20}, busyNS: 2 * second, idle: []float64{0},
			want: map[int]float64{0: 10},
		},
		{
			name:   "so do other processes",
			counts: map[int]probe.Count{1: {SelfNS: second}},
			joules: []float64{40}, idle: []float64{0}, busyNS: 4 * second,
			want: map[int]float64{0: 10},
		},
		{
			name:   "no more is shared than there is, whatever the clocks say",
			counts: map[int]probe.Count{1: {SelfNS: 2 * second}, 2: {SelfNS: 2 * second}},
			joules: []float64{8}, idle: []float64{0}, busyNS: second,
			want: map[int]float64{0: 4, 1: 4},
		},
		{
			name:   "a window below idle power has nothing to share",
			counts: map[int]probe.Count{1: {SelfNS: second}},
			joules: []float64{5}, idle: []float64{6}, busyNS: second,
			want: map[int]float64{0: 0},
		},
		{
			name:   "the probes' own time is nobody's",
			counts: map[int]probe.Count{1: {N: 1000, SelfNS: 20_000}, 2: {N: 10, SelfNS: 80_000, Calls: 1000}},
			cost:   probeCost{inner: 20, outer: 30},
			joules: []float64{1}, idle: []float64{0}, busyNS: 100_000,
			want: map[int]float64{0: 0, 1: 0.498},
		},
		{
			name:   "nothing ran",
			counts: map[int]probe.Count{1: {N: 1}},
			joules: []float64{1}, idle: []float64{0},
			want: map[int]float64{0: 0},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := make(map[int]float64)
			for c, s := range attribute(test.counts, test.cost, test.joules, test.idle, test.busyNS) {
				got[c] = math.Round(1e9*s.joules[0]) / 1e9
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("joules by component (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTicksAreInterpolated(t *testing.T) {
	k := ticks{times: []int64{100, 200, 400}, cpu: []int64{0, 50, 150}, joules: []float64{1, 10, 2, 30, 4, 30}, domains: 2}
	for at, want := range map[int64][]float64{
		0: {0, 1, 10}, 100: {0, 1, 10}, 150: {25, 1.5, 20}, 200: {50, 2, 30}, 300: {100, 3, 30}, 400: {150, 4, 30}, 999: {150, 4, 30},
	} {
		cpu, joules := k.at(at)
		if diff := cmp.Diff(want, append([]float64{cpu}, joules...)); diff != "" {
			t.Errorf("at %d (-want +got):\n%s", at, diff)
		}
	}
	if cpu, joules := (&ticks{domains: 1}).at(5); cpu != 0 || joules[0] != 0 {
		t.Errorf("without a reading there are %g ns and %g J", cpu, joules[0])
	}
}

func TestExcerpt(t *testing.T) {
	const output = `--- FAIL: TestA (0.01s)
    a_test.go:7: wrong
        in two lines
--- FAIL: TestAB (0.00s)
    b_test.go:8: other
FAIL
panic: oh

goroutine 7 [running]:`
	for test, want := range map[string]string{
		"TestA":  "a_test.go:7: wrong\n        in two lines",
		"TestAB": "b_test.go:8: other",
		"TestC":  "panic: oh\n\ngoroutine 7 [running]:",
	} {
		if diff := cmp.Diff(want, excerpt(output, test)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test, diff)
		}
	}
	if got := excerpt("some\nlast words\n", "TestA"); got != "some\nlast words" {
		t.Errorf("without a report or a panic the excerpt is %q", got)
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
	got := groups([]instrument.TestPackage{{Path: "m/a"}, {Path: "m/b"}, {Path: "m/x/a"}, {Path: "m/y/a"}})
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
		if got := programName(pkg); got != want {
			t.Errorf("%s: %s, want %s", pkg, got, want)
		}
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var out tail
	for i := range 10_000 {
		fmt.Fprintln(&out, i)
	}
	if s := out.String(); len(s) > tailSize+10 || s[len(s)-5:] != "9999\n" || s[:5] != "[...]" {
		t.Errorf("kept %d bytes from %q to %q", len(s), s[:5], s[len(s)-5:])
	}
}

func TestOrphansOfDeadProcessesAreRemoved(t *testing.T) {
	temp := t.TempDir()
	const dead = 1 << 22 // one more than the largest process number
	mine := fmt.Sprintf("%s%d-1", scratchPrefix, os.Getpid())
	for _, name := range []string{mine, fmt.Sprintf("%s%d-1", scratchPrefix, dead), scratchPrefix + "notes", "other"} {
		if err := os.Mkdir(filepath.Join(temp, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	removeOrphans(temp)
	var left []string
	entries, _ := os.ReadDir(temp)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{"other", mine, scratchPrefix + "notes"}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
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
