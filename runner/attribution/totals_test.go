package attribution

import (
	"math"
	"testing"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/record"
)

// totalsOf adds up intervals of a program with the given number of components.
func totalsOf(components int, intervals ...*Interval) *Totals {
	p := NewTotals(components, nil)
	for _, v := range intervals {
		p.Add(v)
	}
	return p
}

// alike gives all components the same power, so energy is divided by CPU time. The idle machine
// draws 1 W.
var alike = &Powers{domains: 1, idleW: []float64{1}}

// total returns the energy of components and parts in the first domain.
func total(shares map[int]Share, parts map[record.Part]Amount) (joules float64) {
	for _, s := range shares {
		joules += s.Joules[0]
	}
	for _, p := range parts {
		joules += p.Joules[0]
	}
	return joules
}

// near fails if got differs from want by more than a relative tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want)+1e-9 {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

// A timed function calls one whose calls are only counted, so the time of both is measured as the
// caller's. Samples tell how much of it belongs to the callee.
func TestCountedCallsGetTheTimeOfSamples(t *testing.T) {
	v := &Interval{Counts: map[int]probe.Count{
		1: {N: 10, Timed: 10, SelfNS: 1000 * ms, CumNS: 1000 * ms, WallNS: 1000 * ms, KeptNS: 300 * ms, LostNS: 700 * ms, BelowNS: 1000 * ms, Samples: 300},
		2: {N: 1e6, GainedNS: 700 * ms, BelowNS: 700 * ms, Samples: 700},
	}}
	shares := totalsOf(2, v).split(v, alike)
	near(t, "the caller's own time", shares[1].SelfNS, 300*ms, 0.001)
	near(t, "the callee's own time", shares[2].SelfNS, 700*ms, 0.001)
	near(t, "the callee's cumulative time", shares[2].CumNS, 700*ms, 0.001)
	near(t, "the caller's cumulative time", shares[1].CumNS, 1000*ms, 0.001)
}

// In a test that is too short for samples, calls are taken to last as long as in other tests.
func TestShortTestsUseTheTimesOfOtherTests(t *testing.T) {
	long := &Interval{Counts: map[int]probe.Count{
		1: {N: 1, Timed: 1, SelfNS: 1000 * ms, KeptNS: 500 * ms, LostNS: 500 * ms, Samples: 500},
		2: {N: 1e6, GainedNS: 500 * ms, Samples: 500},
	}}
	short := &Interval{Counts: map[int]probe.Count{1: {N: 1, Timed: 1, SelfNS: 1 * ms}, 2: {N: 1000}}}
	shares := totalsOf(2, long, short).split(short, alike)
	near(t, "own time of 1000 calls of 500 ns", shares[2].SelfNS, 0.5*ms, 0.15)
	near(t, "own time of the caller", shares[1].SelfNS, 0.5*ms, 0.15)
}

// The calls of a function that were timed before it became hot are the prior for its untimed calls.
// The more samples there are, the less the prior counts.
func TestTimedCallsAreThePriorOfUntimedCalls(t *testing.T) {
	few := &Interval{Counts: map[int]probe.Count{
		0: {SelfNS: 100 * ms, KeptNS: 96 * ms, LostNS: 4 * ms, Samples: 96},
		1: {N: 100_000, Timed: 1000, SelfNS: 0.3 * ms, GainedNS: 4 * ms, Samples: 4},
	}}
	p := totalsOf(1, few)
	if perCall := p.perCall(1); perCall < 42 || perCall > 298 {
		t.Errorf("a call takes %g ns, want a time between the 300 ns of timed calls and the 40 ns that samples saw of the others", perCall)
	}
	if !p.Resolved(0) {
		t.Error("the function is not resolved, although it has timed calls and four samples")
	}
}

// A part of a hot function's probe is in the function's own code. Samples cannot tell the two apart,
// so the time from the calibration at start-up is moved to the probes.
func TestProbeCodeInHotFunctionsCountsAsProbes(t *testing.T) {
	v := &Interval{
		Cost: ProbeCost{FrameNS: 2},
		Counts: map[int]probe.Count{
			0: {SelfNS: 100 * ms, KeptNS: 50 * ms, LostNS: 50 * ms, Samples: 50},
			1: {N: 10e6, GainedNS: 30 * ms, BelowNS: 50 * ms, Samples: 30},
			4: {GainedNS: 20 * ms, Samples: 20},
		},
	}
	p := NewTotals(2, []probe.Hot{probe.HotCalls})
	p.Add(v)
	shares := p.split(v, alike)
	near(t, "own time of the hot function", shares[1].SelfNS, 10*ms, 0.01)
	near(t, "its cumulative time, with the probe's own code", shares[1].CumNS, 30*ms, 0.01)
	near(t, "time of the probes", shares[4].SelfNS, 40*ms, 0.01)
	near(t, "own time of the test", shares[0].SelfNS, 50*ms, 0.01)
}

// Samples also see the probes of timed calls. The cost of these probes was subtracted before, and
// must not be charged to untimed calls as well.
func TestProbesOfTimedCallsCountOnce(t *testing.T) {
	busy := &Interval{Cost: ProbeCost{InnerNS: 100, OuterNS: 100}, Counts: map[int]probe.Count{
		0: {SelfNS: 100 * ms, Calls: 100_000, KeptNS: 90 * ms, LostNS: 10 * ms, Samples: 90},
		1: {N: 100_000, Timed: 100_000, SelfNS: 900 * ms, KeptNS: 890 * ms, LostNS: 10 * ms, Samples: 890},
		2: {N: 1000},
		4: {GainedNS: 20 * ms, Samples: 20},
	}}
	short := &Interval{Counts: map[int]probe.Count{0: {SelfNS: 1 * ms}, 2: {N: 200}}}
	p := totalsOf(2, busy, short)
	if got := p.probeNS(); got != 0 {
		t.Errorf("the probe of a counted call takes %g ns, want 0: samples saw only probes of timed calls", got)
	}
	if got := p.split(short, alike)[4].SelfNS; got != 0 {
		t.Errorf("probes took %g ns of a short test, want 0", got)
	}
}

// A function is below resolution if its time is hardly more than its probes add.
func TestFunctionsThatAreMostlyProbesAreNotResolved(t *testing.T) {
	v := &Interval{Cost: ProbeCost{FrameNS: 5}, Counts: map[int]probe.Count{
		0: {SelfNS: 1000 * ms, KeptNS: 940 * ms, LostNS: 60 * ms, Samples: 940},
		1: {N: 10e6, GainedNS: 51 * ms, Samples: 51},
		2: {N: 1e6, GainedNS: 9 * ms, Samples: 9},
	}}
	p := NewTotals(2, []probe.Hot{probe.HotCalls, probe.HotCalls})
	p.Add(v)
	shares := p.split(v, alike)
	if shares[1].Resolved() || p.Resolved(0) {
		t.Errorf("51 ms, 50 of them for probes, are resolved: %+v", shares[1])
	}
	if !shares[2].Resolved() {
		t.Errorf("9 ms, 5 of them for probes, are not resolved: %+v", shares[2])
	}
}

// A test that is too short for samples is charged for its probes all the same.
func TestShortTestsAreChargedForProbes(t *testing.T) {
	long := &Interval{Counts: map[int]probe.Count{
		0: {SelfNS: 100 * ms, KeptNS: 80 * ms, LostNS: 20 * ms, Samples: 80},
		1: {N: 1e6, GainedNS: 10 * ms, Samples: 10},
		4: {GainedNS: 10 * ms, Samples: 10},
	}}
	short := &Interval{Counts: map[int]probe.Count{0: {SelfNS: 1 * ms}, 1: {N: 10_000}}}
	shares := totalsOf(2, long, short).split(short, alike)
	near(t, "time of the probes of 10,000 calls", shares[4].SelfNS, 0.1*ms, 0.2)
	near(t, "own time of 10,000 calls", shares[1].SelfNS, 0.1*ms, 0.2)
}

// Samples of a long call in one test count more than many short calls in another.
func TestSamplesOutweighOtherTests(t *testing.T) {
	many := &Interval{Counts: map[int]probe.Count{
		0: {SelfNS: 200 * ms, LostNS: 200 * ms},
		1: {N: 20_000_000, GainedNS: 200 * ms, Samples: 200},
	}}
	one := &Interval{Counts: map[int]probe.Count{
		0: {SelfNS: 400 * ms, LostNS: 400 * ms},
		1: {N: 1, GainedNS: 400 * ms, Samples: 400},
	}}
	near(t, "own time of the long call", totalsOf(1, many, one).split(one, alike)[1].SelfNS, 400*ms, 0.001)
}

// A block with measured time gets no more time from a prior.
func TestTimedBlocksKeepTheirTime(t *testing.T) {
	v := &Interval{Counts: map[int]probe.Count{
		0: {SelfNS: 1e9, KeptNS: 1e9, Samples: 1000},
		1: {N: 1000, Switches: 2000, SelfNS: 5000},
	}}
	near(t, "own time of the block", totalsOf(1, v).split(v, alike)[1].SelfNS, 5000, 1e-9)
}

// Time that is moved because of samples keeps its sum, and no time becomes negative, whatever the
// samples say.
func TestMovingTimeKeepsItsSum(t *testing.T) {
	for name, counts := range map[string]map[int]probe.Count{
		"more time gained than there is":    {0: {SelfNS: 10}, 1: {N: 5, GainedNS: 1000, Samples: 3}},
		"time gained, but none lost":        {0: {SelfNS: 500}, 1: {N: 5, Timed: 5, SelfNS: 500, KeptNS: 1, Samples: 1}, 2: {N: 1, GainedNS: 100, Samples: 1}},
		"time lost, but none gained":        {0: {SelfNS: 500, LostNS: 400}, 1: {N: 5}},
		"more time lost than the row has":   {0: {SelfNS: 10, LostNS: 300, Samples: 1}, 1: {N: 1, Timed: 1, SelfNS: 990}, 2: {N: 9, GainedNS: 300, Samples: 3}},
		"no samples at all":                 {0: {SelfNS: 500}, 1: {N: 5}, 2: {N: 5, Timed: 5, SelfNS: 100}},
		"probes of timed calls":             {0: {SelfNS: 900, KeptNS: 600, LostNS: 300, Samples: 3}, 1: {N: 100, Timed: 50, SelfNS: 2000}, probe.RuntimeRow(2) + 1: {GainedNS: 300, Samples: 1}},
		"a hot function":                    {0: {SelfNS: 900, KeptNS: 600, LostNS: 300, Samples: 3}, 1: {N: 100, GainedNS: 300, BelowNS: 300, Samples: 1}},
		"less time than the code of probes": {0: {SelfNS: 900, KeptNS: 600, LostNS: 30, Samples: 3}, 1: {N: 100, GainedNS: 30, Samples: 1}},
		"the probes of counted calls":       {0: {SelfNS: 900, LostNS: 300, KeptNS: 600, Samples: 3}, 1: {N: 100}, probe.RuntimeRow(2) + 1: {GainedNS: 300, Samples: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			v := &Interval{Counts: counts, Cost: ProbeCost{InnerNS: 10, OuterNS: 8, FrameNS: 1}}
			p := NewTotals(2, []probe.Hot{probe.HotCalls})
			p.Add(v)
			var before, after float64
			for _, c := range counts {
				before += float64(c.SelfNS)
			}
			for row, s := range p.split(v, alike) {
				after += s.SelfNS + s.ProbesNS
				if s.SelfNS < 0 || s.CumNS < s.SelfNS || s.WallNS < s.CumNS {
					t.Errorf("row %d has %+v", row, s)
				}
			}
			near(t, "the sum", after, before, 1e-9)
		})
	}
}
