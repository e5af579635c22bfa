package runner

import (
	"context"
	"encoding/json"
	"errors"
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
	"spell-lsp/spell/significance"
)

// twoCallers is a module in which two functions call a third one, the first for about three times as
// long as the second. How long each call takes, by the clock of its thread, is in the file truth, which
// has an execution of a test in each line.
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
	"encoding/json"
	"os"
	"runtime"
	"syscall"
	"testing"
	"unsafe"
)

// executed calls functions as often as they say, and writes down how long each call took.
func executed(t *testing.T, much, little int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	took := map[string]any{"Test": t.Name(), "Much": calls(Much, much), "Little": calls(Little, little)}
	f, err := os.OpenFile(` + strconv.Quote(truth) + `, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(took); err != nil {
		t.Fatal(err)
	}
}

func calls(f func(), n int) []int64 {
	took := make([]int64, n)
	for i := range took {
		began := clock()
		f()
		took[i] = clock() - began
	}
	return took
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

// written is what one execution of a test has written: how long each call took, in ns.
type written struct {
	Test         string
	Much, Little []float64
}

// shareOfLittle is that of the time of both callers in one execution of each test. When the host of a
// virtual machine takes its processor, the clock of a thread may go on and samples may not: the share
// is between that by the sums of calls and that by their medians.
func shareOfLittle(rounds []*round, executions map[*round][]written) (low, high float64) {
	byTest := make(map[string][]written)
	for _, r := range rounds {
		for _, e := range executions[r] {
			byTest[e.Test] = append(byTest[e.Test], e)
		}
	}
	var sums, medians struct{ much, little float64 }
	for _, all := range byTest {
		var much, little []float64
		for _, e := range all {
			much, little = append(much, e.Much...), append(little, e.Little...)
		}
		n := float64(len(all))
		sums.much, sums.little = sums.much+sum(much)/n, sums.little+sum(little)/n
		medians.much += significance.Median(much) * float64(len(much)) / n
		medians.little += significance.Median(little) * float64(len(little)) / n
	}
	bySums, byMedians := sums.little/(sums.little+sums.much), medians.little/(medians.little+medians.much)
	return min(bySums, byMedians), max(bySums, byMedians)
}

// measureCallers runs the rounds of a measurement of twoCallers, and returns the executions in each.
func measureCallers(t *testing.T, m *measurement, file string) map[*round][]written {
	t.Helper()
	executions := make(map[*round][]written)
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
		for line := range strings.Lines(string(text)) {
			var one written
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				return nil, err
			}
			executions[r] = append(executions[r], one)
		}
		if len(executions[r]) == 0 {
			return nil, errors.New("no test has written how long it took")
		}
		return r, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return executions
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
	type span struct{ low, high float64 }
	type measuredCallers struct {
		*measurement
		little span // its share
	}
	measured := make(map[string]measuredCallers) // by block
	file := filepath.Join(t.TempDir(), "truth")
	whole, dir := t, module(t, twoCallers(file))
	functions := func(little span) map[string]span {
		return map[string]span{"Much": {1 - little.high, 1 - little.low}, "Little": little}
	}
	only := func(name string) func(span) map[string]span {
		return func(span) map[string]span { return map[string]span{name: {1, 1}} }
	}
	for _, test := range []struct {
		granularity spell.Kind
		block, name string
		want        func(little span) map[string]span
	}{
		{spell.KindFunction, "", "Spins", functions},
		{spell.KindBlock, "Spins", "Spins", functions},
		{spell.KindFile, "", "spins.go", only("m.go")},
		{spell.KindPackage, "", "example.com/m", only("no caller")},
	} {
		t.Run(string(test.granularity), func(t *testing.T) {
			m, found := measured[test.block]
			if !found { // the rounds of one build serve every granularity
				m.measurement = prepare(whole, Params{
					Dir: dir, Meter: "model", Rounds: 2, Run: "TestShares", Granularity: test.granularity, Block: test.block,
				}).measurement
				executions := measureCallers(t, m.measurement, file)
				m.little.low, m.little.high = shareOfLittle(m.kept, executions)
				measured[test.block] = m
			}
			m.Granularity = test.granularity
			m.units, m.unitOf = unitsOf(m.build, m.Granularity)
			run := m.record(false)
			got, ms := callers(t, run, test.name)
			for name, share := range test.want(m.little) {
				if got[name] < share.low-0.15 || got[name] > share.high+0.15 {
					t.Errorf("%s has %.2f of the time of %s, want %.2f to %.2f; all callers are %v", name, got[name], test.name, share.low, share.high, got)
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
	executions := measureCallers(t, m, file)
	run := m.record(false)
	short := slices.IndexFunc(run.Tests, func(t record.Test) bool { return strings.HasSuffix(t.Name, "TestShort") })
	if run.Tests[short].Repeats != 17 {
		t.Fatalf("TestShort was executed %g times in a round, want 16 times more than once, as it takes 20 ms", run.Tests[short].Repeats)
	}
	got, _ := callers(t, run, "Spins")
	if low, high := shareOfLittle(m.kept, executions); got["Little"] < low/3 || got["Little"] > 3*high {
		t.Errorf("Little has %.4f of the time of Spins, want %.4f to %.4f: it is called once beside 50 calls of Much", got["Little"], low, high)
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
