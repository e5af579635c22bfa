package execution

import (
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"spell-lsp/runner/attribution"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell"
)

const millisecond = 1_000_000

// The quality of readings is computed from the gaps between them.
func TestQuality(t *testing.T) {
	for late, p99 := range map[int]float64{0: 1.1, 5: 1.1, 20: 10.1} { // of 1000 readings
		m := &Meter{}
		now := int64(1)
		for i := range 1000 {
			now += millisecond
			if i < late {
				now += 9 * millisecond
			}
			m.gaps.add(sampler.Reading{PublishedNS: now, UncertainNS: 50_000, OwnNS: now / 20})
		}
		q := m.Quality()
		if math.Abs(q.GapP99MS-p99) > 1e-9 || q.UncertainMS != 0.05 || math.Abs(q.SamplerLoad-0.05) > 0.01 {
			t.Errorf("%d late readings: %+v, want %g ms, 0.05 ms, 0.05 processors", late, q, p99)
		}
	}
}

// How long a counter may stand still depends on its update interval.
func TestPatience(t *testing.T) {
	for resolution, want := range map[time.Duration]int64{
		time.Millisecond: frozenNS, 100 * time.Millisecond: 4 * frozenNS, time.Second: 0, 5 * time.Second: 0,
	} {
		if got := patience(resolution); got != want {
			t.Errorf("a counter of %v may stand still for %d ns, want %d", resolution, got, want)
		}
	}
}

// Reopen starts another sampler, and the quality is computed from the readings since then.
func TestReopen(t *testing.T) {
	m, err := OpenMeter("none", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := m.sampler
	m.gaps.add(sampler.Reading{PublishedNS: 1e9, OwnNS: 5e9})
	m.Reopen()
	defer m.Close()
	if m.sampler == before {
		t.Fatal("Reopen did not start another sampler")
	}
	m.gaps.add(sampler.Reading{PublishedNS: 2e9, OwnNS: 1e6})
	m.gaps.add(sampler.Reading{PublishedNS: 3e9, OwnNS: 2e6})
	if load := m.Quality().SamplerLoad; math.Abs(load-0.001) > 1e-9 {
		t.Errorf("the sampler's load is %g, want 0.001", load)
	}
}

// A counter that stands still while the program runs is a fault, even if another counter advances.
// While nothing runs it is not a fault.
func TestFrozen(t *testing.T) {
	for _, test := range []struct {
		name       string
		processors float64
		moves      [2]bool
		want       string
	}{
		{"moving", 1, [2]bool{true, true}, ""},
		{"frozen", 1, [2]bool{false, false}, "frozen counter: cpu did not move for 101 ms"},
		{"one of two is frozen", 1, [2]bool{false, true}, "frozen counter: cpu did not move for 101 ms"},
		{"the other of two is frozen", 1, [2]bool{true, false}, "frozen counter: dram did not move for 101 ms"},
		{"frozen, but nothing runs", 0, [2]bool{false, false}, ""},
	} {
		m := &Meter{info: meter.Info{Counter: true, Resolution: time.Millisecond, Domains: []spell.Domain{spell.CPU, spell.DRAM}}}
		machine := m.Machine()
		k := attribution.NewTimeline(&machine)
		for i := range 201 {
			r := attribution.Reading{PublishedNS: int64(i) * millisecond, CPUNS: int64(float64(i) * test.processors * millisecond)}
			for _, moves := range test.moves {
				joules := 0.0
				if moves {
					joules = float64(i)
				}
				r.Joules = append(r.Joules, joules)
			}
			k.Add(r)
		}
		got := ""
		if err := m.frozen(k); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// The CPU time of all tasks includes this process, unless it is left out.
func TestTaskTimes(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if threadNS() == 0 {
		t.Skip("the CPU time of a thread is not known here")
	}
	// Other tasks begin and end during the test, so only those of this process are compared.
	ofThis := func(times taskTimes) taskTimes {
		maps.DeleteFunc(times, func(name string, _ int64) bool {
			return !strings.HasPrefix(name, fmt.Sprintf("/proc/%d/", os.Getpid()))
		})
		return times
	}
	before, n := ofThis(othersNow()), 0
	for begun := threadNS(); threadNS()-begun < 200e6; n++ {
	}
	if ran := before.since(ofThis(othersNow())); ran < 0.1 {
		t.Errorf("after %d turns in 0.2 s, the tasks of this process ran for %g s; want 0.1 s or more", n, ran)
	}
	if left := ofThis(othersNow(os.Getpid())); len(left) > 0 {
		t.Errorf("without this process there are its tasks %v", left)
	}
}

// While a program runs unmeasured the meter is not read. It is read again before anything else is executed,
// however seldom that is: else the gap would count as a fault of the meter.
func TestReadingAfterAPause(t *testing.T) {
	m, err := OpenMeter("none", meter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	m.Every(200 * time.Millisecond)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	began := monotonic()
	p := Program{file: program}
	p.Dir = t.TempDir()
	plain, err := m.ExecutePlain(t.Context(), p, Options{Args: []string{"-test.run=^$"}, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if ended := began + int64(plain.Seconds*1e9); !m.sampler.ReadSince(ended) {
		t.Error("the meter was not read since the program ended")
	}
}
