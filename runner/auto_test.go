package runner

import (
	"errors"
	"testing"

	"spell-lsp/instrument/probe"
)

// Why: where tests are short, what probes cost most is writing down the counts after each.
func TestManyShortTestsMakeProbesDear(t *testing.T) {
	const us = 1000
	log := &probe.Log{}
	for i := range int64(1000) {
		log.Windows = append(log.Windows, probe.Window{Start: i * 100 * us, End: (i*100 + 90) * us})
	}
	m := &measurement{Params: Params{Mode: ModeAuto}}
	m.load.add(log, nil, 1000*90*us)
	dear := new(dearError)
	if err := m.choose(); !errors.As(err, &dear) || dear.share < 0.099 || dear.share > 0.101 {
		t.Errorf("10 of each 100 µs are between tests: %v, want about 10 %%", err)
	}
}

// Why: package testing collects garbage before each run of a benchmark. That the probes' cost was
// looked for between windows made every suite with benchmarks one that probes are too dear for.
func TestCollectionsBeforeBenchmarksAreNoCostOfProbes(t *testing.T) {
	const ms = 1000_000
	log := &probe.Log{Windows: []probe.Window{
		{Test: "BenchmarkSort", Start: 0, End: 10 * ms},
		{Test: "BenchmarkSort", Start: 20 * ms, End: 30 * ms},
	}}
	m := &measurement{Params: Params{Mode: ModeAuto}}
	m.load.add(log, nil, 20*ms)
	if err := m.choose(); err != nil {
		t.Errorf("nothing but a collection is between two runs of a benchmark: %v", err)
	}
	log.Windows = append(log.Windows, probe.Window{Test: "TestSort", Start: 31 * ms, End: 40 * ms})
	m.load = probeLoad{}
	m.load.add(log, nil, 29*ms)
	if got := m.load.probesNS; got != ms {
		t.Errorf("probes took %g ns, want the millisecond before the test", got)
	}
}

// Why: programs whose goroutines wait for each other in turns call few functions, but probes read the clock
// whenever a goroutine stops: a module of sets was measured with probes at 1.29 of its time.
func TestManySwitchesMakeProbesDear(t *testing.T) {
	log := &probe.Log{InnerNS: 20, OuterNS: 30, Stops: 1e6}
	m := &measurement{Params: Params{Mode: ModeAuto}}
	m.load.add(log, nil, 1e9)
	dear := new(dearError)
	if err := m.choose(); !errors.As(err, &dear) || dear.share < 0.0499 || dear.share > 0.0501 {
		t.Errorf("a million stops in a second: %v, want 5 %%", err)
	}
}

// Why: mode auto is to take probes only where they cost little from the warm-up on. A function that
// was found hot in it is no longer timed afterwards.
func TestProbesAreTakenWhereTheyAreCheap(t *testing.T) {
	log := func(counts map[int]probe.Count) *probe.Log {
		return &probe.Log{InnerNS: 20, OuterNS: 30, FrameNS: 4, Windows: []probe.Window{{Test: "TestA", Counts: counts}}}
	}
	const second = 1e9
	for why, test := range map[string]struct {
		counts map[int]probe.Count
		hot    probe.Hot
		want   float64 // share of a second
	}{
		"nothing is called":                     {nil, 0, 0},
		"test code has no probes":               {map[int]probe.Count{0: {N: 1e9, Timed: 1e9}}, 0, 0},
		"few timed calls":                       {map[int]probe.Count{1: {N: 1e5, Timed: 1e5}}, 0, 0.00515},
		"many timed calls":                      {map[int]probe.Count{1: {N: 1e6, Timed: 1e6}}, 0, 0.0515},
		"as many, that are only counted now":    {map[int]probe.Count{1: {N: 1e6, Timed: 1e6}}, probe.HotCalls, 0.0055},
		"literals are timed, and are no calls":  {map[int]probe.Count{1: {Literals: 1e6}}, 0, 0.05},
		"calls that were never timed":           {map[int]probe.Count{1: {N: 1e6}}, 0, 0.0015},
		"rows behind the components are no one": {map[int]probe.Count{2: {N: 1e9, Timed: 1e9}}, 0, 0},
	} {
		m := &measurement{Params: Params{Mode: ModeAuto}}
		m.load.add(log(test.counts), []probe.Hot{test.hot}, second)
		if got := m.load.probesNS / second; got < test.want*0.999 || got > test.want*1.001 {
			t.Errorf("%s: probes take %g of the time, want %g", why, got, test.want)
		}
		err := m.choose()
		if dear := new(dearError); errors.As(err, &dear) != (test.want > autoBound) {
			t.Errorf("%s: error is %v", why, err)
		}
		if err == nil && m.Mode != ModeInstrument {
			t.Errorf("%s: mode is %s, want that of probes", why, m.Mode)
		}
	}
}
