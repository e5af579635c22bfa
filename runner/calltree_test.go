package runner

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/record/grouping"
)

// twoCallers is a module in which two functions call a third one, the first for about three times as
// long as the second. How long they take in each test, by the clock of their thread, which goes on
// while the machine stands still, is in the file truth.
func twoCallers(truth string) map[string]string {
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

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"unsafe"
)

// executed calls functions as often as they say, and writes down how long that took.
func executed(t *testing.T, much, little int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := clock()
	for range much {
		Much()
	}
	between := clock()
	for range little {
		Little()
	}
	f, err := os.OpenFile(` + strconv.Quote(truth) + `, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintln(f, t.Name(), between-began, clock()-between)
}

func clock() int64 {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

func TestShares(t *testing.T) { executed(t, 50, 50) }

func TestMuch(t *testing.T) { executed(t, 50, 0) }

func TestShort(t *testing.T) { executed(t, 0, 1) }
`,
	}
}

// A truth is how long the functions took in one execution of each test, in ns: the mean of a round.
type truth struct{ much, little float64 }

// shareOfLittle is that of the time of both, over rounds.
func shareOfLittle(rounds []*round, truths map[*round]truth) float64 {
	var sum truth
	for _, r := range rounds {
		sum.much, sum.little = sum.much+truths[r].much, sum.little+truths[r].little
	}
	return sum.little / (sum.little + sum.much)
}

// measureCallers runs the rounds of a measurement of twoCallers, and returns the truth of each.
func measureCallers(t *testing.T, m *measurement, file string) map[*round]truth {
	t.Helper()
	truths := make(map[*round]truth)
	err := m.rounds(t.Context(), func(ctx context.Context) (*round, error) {
		os.Remove(file) // of a round that failed
		r, err := m.round(ctx)
		if err != nil {
			t.Log(err)
			return nil, err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sums, executions := make(map[string]truth), make(map[string]float64)
		for line := range strings.Lines(string(text)) {
			var name string
			var one truth
			if _, err := fmt.Sscan(line, &name, &one.much, &one.little); err != nil {
				return nil, err
			}
			sums[name] = truth{sums[name].much + one.much, sums[name].little + one.little}
			executions[name]++
		}
		var all truth
		for name, n := range executions {
			all.much, all.little = all.much+sums[name].much/n, all.little+sums[name].little/n
		}
		truths[r] = all
		return r, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return truths
}

// lasting has tests taken to last so many ms, and gives their repetitions any time.
func lasting(t *testing.T, ms map[string]float64) {
	t.Helper()
	length, slack := lengthOf, slackTimeout
	t.Cleanup(func() { lengthOf, slackTimeout = length, slack })
	lengthOf = func(o *observation) float64 { return ms[topLevel(o.name)] }
	slackTimeout = time.Hour
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
	type measuredCallers struct {
		*measurement
		little float64 // its share
	}
	measured := make(map[string]measuredCallers) // by block
	file := filepath.Join(t.TempDir(), "truth")
	whole, dir := t, module(t, twoCallers(file))
	functions := func(little float64) map[string]float64 {
		return map[string]float64{"Much": 1 - little, "Little": little}
	}
	for _, test := range []struct {
		granularity spell.Kind
		block, name string
		want        func(little float64) map[string]float64
	}{
		{spell.KindFunction, "", "Spins", functions},
		{spell.KindBlock, "Spins", "Spins", functions},
		{spell.KindFile, "", "spins.go", func(float64) map[string]float64 { return map[string]float64{"m.go": 1} }},
		{spell.KindPackage, "", "example.com/m", func(float64) map[string]float64 { return map[string]float64{"no caller": 1} }},
	} {
		t.Run(string(test.granularity), func(t *testing.T) {
			m, found := measured[test.block]
			if !found { // the rounds of one build serve every granularity
				m.measurement = prepare(whole, Params{
					Dir: dir, Meter: "model", Rounds: 2, Run: "TestShares", Granularity: test.granularity, Block: test.block,
				}).measurement
				truths := measureCallers(t, m.measurement, file)
				m.little = shareOfLittle(m.kept, truths)
				measured[test.block] = m
			}
			m.Granularity = test.granularity
			m.units, m.unitOf = unitsOf(m.build, m.Granularity)
			run := m.record(false)
			got, ms := callers(t, run, test.name)
			for name, share := range test.want(m.little) {
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
	lasting(t, map[string]float64{"TestMuch": 1000, "TestShort": 20})
	file := filepath.Join(t.TempDir(), "truth")
	m := prepare(t, Params{Dir: module(t, twoCallers(file)), Meter: "none", Rounds: 2, Run: "TestMuch|TestShort"}).measurement
	m.info.Counter = true // without a domain
	truths := measureCallers(t, m, file)
	run := m.record(false)
	short := slices.IndexFunc(run.Tests, func(t record.Test) bool { return strings.HasSuffix(t.Name, "TestShort") })
	if run.Tests[short].Repeats != 17 {
		t.Fatalf("TestShort was executed %g times in a round, want 16 times more than once, as it takes 20 ms", run.Tests[short].Repeats)
	}
	got, _ := callers(t, run, "Spins")
	if share, want := got["Little"], shareOfLittle(m.kept, truths); share < want/3 || share > 3*want {
		t.Errorf("Little has %.4f of the time of Spins, want %.4f: it is called once beside 50 calls of Much", share, want)
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
