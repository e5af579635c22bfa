package runner

import (
	"fmt"
	"math"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
)

// testsOf is the test program of a package.
func testsOf(path string) program {
	return program{TestPackage: instrument.TestPackage{Path: path}}
}

// ended waits for a shell command as for a test program.
func ended(t *testing.T, script string, patience time.Duration) (stopped string, err error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped = awaitExit(cmd.Process.Pid, patience, func() { killGroup(cmd) })
	return stopped, cmd.Wait()
}

// A program that stops itself would be waited for until its time limit, ten minutes
// in each round.
func TestStoppedProgramsAreKilled(t *testing.T) {
	for _, signal := range []string{"STOP", "TSTP"} {
		stopped, err := ended(t, "kill -"+signal+" $$; exit 7", 0)
		if !strings.Contains(stopped, "stopped by SIG"+signal) || err == nil || err.Error() != "signal: killed" {
			t.Errorf("after SIG%s: %q, %v", signal, stopped, err)
		}
	}
}

// One that is let go on goes on.
func TestStoppedProgramsMayGoOn(t *testing.T) {
	stopped, err := ended(t, "(while ! grep -q '^State:.T' /proc/$$/status; do :; done; kill -CONT $$) & kill -STOP $$; exit 7", time.Hour)
	if stopped != "" || err == nil || err.Error() != "exit status 7" {
		t.Errorf("%q, %v; want exit status 7", stopped, err)
	}
}

// A thread of this process may have other children, which end before the program does
// and are waited for elsewhere.
func TestOtherChildrenAreLeftAlone(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	other := exec.CommandContext(t.Context(), "true")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, other.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if stopped, err := ended(t, "exit 7", time.Hour); stopped != "" || err == nil || err.Error() != "exit status 7" {
		t.Errorf("%q, %v; want exit status 7", stopped, err)
	}
	if err := other.Wait(); err != nil {
		t.Errorf("the other child: %v", err)
	}
}

// What no program can have done is refused, and what an honest one does is not.
func TestPlausible(t *testing.T) {
	const second = 1e9
	e := &execution{began: 100 * second, cpuNS: 2 * second, line: timeline{ended: 101 * second}}
	one := func(c probe.Count) *probe.Log {
		return &probe.Log{Windows: []probe.Window{{Test: "T", Start: 100 * second, End: 101 * second, CPUNS: 2 * second, Counts: map[int]probe.Count{1: c}}}}
	}
	for name, test := range map[string]struct {
		log  *probe.Log
		want string // "" for nothing
	}{
		"nothing": {&probe.Log{}, ""},
		"two processors, many goroutines that wait": {one(probe.Count{
			N: 4e9, Timed: 1e8, SelfNS: 2 * second, CumNS: 2 * second, WallNS: 10_000 * second, KeptNS: 2 * second, BelowNS: 2 * second, Samples: 2000,
		}), ""},
		"calls without time":    {one(probe.Count{N: 1e12}), "calls"},
		"entries without time":  {one(probe.Count{Timed: 1e12}), "calls"},
		"running for years":     {one(probe.Count{SelfNS: 1 << 51}), "from entry to exit"},
		"waiting for years":     {one(probe.Count{WallNS: 1 << 51}), "from entry to exit"},
		"samples without time":  {one(probe.Count{LostNS: 10 * second}), "ns of samples"},
		"from before its start": {&probe.Log{Windows: []probe.Window{{Start: 5, End: 101 * second}}}, "it lived from"},
		"from after its end":    {&probe.Log{Windows: []probe.Window{{Start: 100 * second, End: math.MaxInt64}}}, "it lived from"},
		"CPU time of others":    {&probe.Log{Windows: []probe.Window{{Start: 100 * second, End: 101 * second, CPUNS: 9 * second}}}, "CPU time"},
		"stacks without time":   {&probe.Log{Calls: map[string][]probe.Call{"T": {{Row: 1, NS: 10 * second}}}}, "stacks"},
		"lost without time":     {&probe.Log{LostNS: 10 * second}, "stacks"},
	} {
		err := e.plausible(test.log)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// A program that ends with 0 among its tests, but in none of them, was no success.
func TestProgramsThatLeaveAmongTheirTests(t *testing.T) {
	log := &probe.Log{Reached: probe.Running, Windows: []probe.Window{
		{Test: "TestA", Counts: map[int]probe.Count{}}, {Test: "TestB", Counts: map[int]probe.Count{}},
	}, Ends: []probe.End{{Test: "TestA", Outcome: "pass"}, {Test: "TestB", Outcome: "pass"}}}
	warnings := func(log *probe.Log) []string {
		r := &round{}
		(&measurement{}).observe(r, testsOf("p"), &execution{output: "bye\n"}, log)
		return r.warnings
	}
	want := []string{"p: the program ended with exit status 0 before its last test; TestA, TestB had begun; it printed:\nbye"}
	if diff := cmp.Diff(want, warnings(log)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	log.Reached = probe.Ran
	if got := warnings(log); got != nil {
		t.Errorf("of one that came to its end: %q", got)
	}
}

// A program may make records in its rings without end: they do not fill the memory, and
// nothing is made of ticks that are not known whole.
func TestRecordsHaveALimit(t *testing.T) {
	o := ticking(1, 1, 1, 1)
	o.held = 1<<23 - 2
	later := probe.Occupied{Row: 1, Tick: 1000, RanNS: 1} // its reading has not been taken
	for range 5 {
		o.add(later)
	}
	o.settle(false)
	if len(o.early) != 2 || o.held != 1<<23 {
		t.Errorf("%d records wait, %d in all", len(o.early), o.held)
	}
	if o.whole(1) || o.whole(1000) {
		t.Error("ticks are whole of which records were left out")
	}
}

// What waited and waits no more makes room.
func TestRecordsMakeRoom(t *testing.T) {
	o := ticking(1, 1, 1, 1)
	for i := range 100 {
		o.add(probe.Occupied{Row: uint32(i % 3), Tick: uint32(1 + i%3), RanNS: 10})
		o.add(probe.Occupied{Row: 1, StartNS: 1_500_000, EndNS: 3_500_000, RanNS: 100})
	}
	o.settle(true)
	if o.held != 0 {
		t.Errorf("%d records wait after the end", o.held)
	}
}

// Without another package that shows that the meter works, none is to blame.
func TestBlameNeedsAWitness(t *testing.T) {
	fault := &MeterError{errSampler}
	for name, test := range map[string]struct {
		others []string // that were executed without a fault
		faults int
		want   int // programs that are left
	}{
		"a meter that never works":     {nil, 5, 2},
		"one fault":                    {[]string{"q"}, 1, 2},
		"three, and the other is fine": {[]string{"q"}, 3, 1},
	} {
		m := &measurement{Params: Params{Meter: "there is none"}, faults: make(map[string]int), programs: []program{testsOf("p"), testsOf("q")}}
		for range test.faults {
			for _, q := range test.others {
				m.blame(testsOf(q), nil)
			}
			m.blame(m.programs[0], fault)
		}
		if len(m.programs) != test.want || (len(m.warnings) > 0) != (test.want == 1) {
			t.Errorf("%s: %d programs are left, warnings %q", name, len(m.programs), m.warnings)
		}
	}
}

// Whatever passes as plausible, components and parts add up to what the counter gained,
// and all numbers are some that can be.
func FuzzPlausibleCountsAddUp(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, 2.0, 20.0, 30.0)
	f.Add([]byte{255, 0, 0, 255, 0, 0, 0, 0, 0, 255, 255, 0, 255, 1, 1, 255}, 0.0, 0.0, 1e9)
	f.Add([]byte{0, 255, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 255}, 1e-9, 1e9, 1e9)
	f.Fuzz(func(t *testing.T, data []byte, joules, inner, outer float64) {
		if !(joules >= 0 && joules < 1e9 && inner >= 0 && inner <= 1e9 && outer >= 0 && outer <= 1e9) {
			t.Skip("no counter, and no log, says that")
		}
		const rows, second = 4, 1e9
		word := func() uint64 { // of every size up to 2^51
			if len(data) == 0 {
				return 0
			}
			w := uint64(data[0]&7+1) << (data[0] / 5)
			data = data[1:]
			return w
		}
		counts := make(map[int]probe.Count)
		for row := range rows {
			counts[row] = probe.Count{
				N: word(), SelfNS: word(), CumNS: word(), WallNS: word(), Calls: word(), Timed: word(), Literals: word(), Switches: word(),
				KeptNS: word(), LostNS: word(), GainedNS: word(), BelowNS: word(), Samples: word(),
			}
		}
		log := &probe.Log{Windows: []probe.Window{{Test: "T", Start: 100 * second, End: 101 * second, CPUNS: int64(word()), Counts: counts}}}
		e := &execution{began: 100 * second, cpuNS: 2 * second, line: timeline{ended: 101 * second}}
		if e.plausible(log) != nil {
			t.Skip("it is refused")
		}
		v := &interval{counts: counts, cost: probeCost{inner: inner, outer: outer}, joules: []float64{joules}, lengthNS: second, programNS: float64(log.Windows[0].CPUNS)}
		shares, parts := pooled(2, v).attribute(v, alike)
		var sum float64
		possible := func(what string, values ...float64) {
			for _, x := range values {
				if !(x >= 0 && x <= 1e18) {
					t.Errorf("%s has %g: %+v", what, x, values)
				}
			}
		}
		for row, s := range shares {
			possible(fmt.Sprint("component ", row), s.n, s.selfNS, s.cumNS, s.wallNS, s.joules[0], s.cumJoules[0])
			sum += s.joules[0]
		}
		for name, p := range parts {
			possible(string(name), p.ns, p.joules[0])
			sum += p.joules[0]
		}
		if math.Abs(sum-joules) > 0.001*joules+1e-12 {
			t.Errorf("components and parts are %g J, the counter gained %g J", sum, joules)
		}
	})
}

// A process that is started anew counts from its own start.
func TestReadingsBeginAnew(t *testing.T) {
	s, err := sampler.Open("none", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := &measurement{Params: Params{Meter: "none"}, sampler: s}
	m.gaps.add(sampler.Reading{PublishedNS: 1e9, OwnNS: 5e9})
	m.reopen()
	defer m.sampler.Close()
	if m.sampler == s {
		t.Fatal("it was not started anew")
	}
	m.gaps.add(sampler.Reading{PublishedNS: 2e9, OwnNS: 1e6})
	m.gaps.add(sampler.Reading{PublishedNS: 3e9, OwnNS: 2e6})
	near(t, "the sampler's load", m.gaps.load(), 0.001, 1e-6)
}
