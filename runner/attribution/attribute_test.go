package attribution

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

func TestAttribute(t *testing.T) {
	const second = 1_000_000_000
	for _, test := range []struct {
		name string
		Interval
		want map[int]float64 // joules of domain 0 by component
	}{
		{
			"energy above idle is shared by running time",
			Interval{
				Counts: map[int]probe.Count{1: {SelfNS: 3 * second}, 2: {SelfNS: second}},
				Joules: []float64{50}, LengthNS: 10e9, ProgramNS: 4 * second,
			},
			map[int]float64{0: 30, 1: 10},
		},
		{
			"code outside of components gets its own share",
			Interval{
				Counts: map[int]probe.Count{0: {SelfNS: second}, 1: {SelfNS: second}},
				Joules: []float64{20}, LengthNS: 0e9, ProgramNS: 2 * second,
			},
			map[int]float64{0: 10},
		},
		{
			"other processes get their own share",
			Interval{
				Counts: map[int]probe.Count{1: {SelfNS: second}},
				Joules: []float64{40}, LengthNS: 0e9, ProgramNS: second, OthersNS: 3 * second,
			},
			map[int]float64{0: 10},
		},
		{
			"functions ran for longer than the CPU time of the program",
			Interval{
				Counts: map[int]probe.Count{1: {SelfNS: 2 * second}, 2: {SelfNS: 2 * second}},
				Joules: []float64{8}, LengthNS: 0e9, ProgramNS: second,
			},
			map[int]float64{0: 4, 1: 4},
		},
		{
			"the CPU time of the program is unknown",
			Interval{Counts: map[int]probe.Count{1: {SelfNS: second}}, Joules: []float64{8}, LengthNS: 0e9},
			map[int]float64{0: 8},
		},
		{
			"an interval below idle power leaves nothing to share",
			Interval{Counts: map[int]probe.Count{1: {SelfNS: second}}, Joules: []float64{5}, LengthNS: 6e9, ProgramNS: second},
			map[int]float64{0: 0},
		},
		{
			"the time of probes belongs to no component",
			Interval{
				Counts: map[int]probe.Count{1: {N: 900, Timed: 900, Literals: 100, SelfNS: 20_000}, 2: {N: 10, Timed: 10, SelfNS: 80_000, Calls: 1000}},
				Cost:   ProbeCost{InnerNS: 20, OuterNS: 30},
				Joules: []float64{1}, LengthNS: 0e9, ProgramNS: 100_000,
			},
			map[int]float64{0: 0, 1: 0.498},
		},
		{
			"nothing ran",
			Interval{Counts: map[int]probe.Count{1: {N: 1}}, Joules: []float64{1}, LengthNS: 0e9},
			map[int]float64{0: 0},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := make(map[int]float64)
			shares, parts := NewTotals(2, nil).Attribute(&test.Interval, alike)
			for c, s := range shares {
				got[c] = math.Round(1e9*s.Joules[0]) / 1e9
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("joules by component (-want +got):\n%s", diff)
			}
			near(t, "energy of components and parts", total(shares, parts), test.Joules[0], 0)
		})
	}
}

// If other processes preempt the program, its goroutines seem to run for longer than its CPU time.
// Their running times are scaled down to it, but not for a difference within the clock's error.
func TestRunningTimeIsScaledToCPUTime(t *testing.T) {
	shares, _ := NewTotals(1, nil).Attribute(&Interval{Counts: map[int]probe.Count{0: {SelfNS: 1e9}, 1: {SelfNS: 3e9, CumNS: 3e9, WallNS: 3e9}}, ProgramNS: 1e9, Joules: []float64{0}}, alike)
	if s := shares[0]; s.SelfNS != 0.75e9 || s.CumNS != 0.75e9 || s.WallNS != 3e9 {
		t.Errorf("share is %+v, want 0.75 s of CPU time in 3 s of wall time", s)
	}
	shares, _ = NewTotals(1, nil).Attribute(&Interval{Counts: map[int]probe.Count{1: {SelfNS: 3e6}}, ProgramNS: 2e6, Joules: []float64{0}}, alike)
	if s := shares[0]; s.SelfNS != 3e6 {
		t.Errorf("share is %+v, want 3 ms: the difference is within the error of the clock", s)
	}
}

// The time of probes is not shown as waiting, even if it is most of a function's time.
func TestProbeTimeIsNotWaiting(t *testing.T) {
	s := ProbeCost{InnerNS: 20, OuterNS: 30}.remove(probe.Count{N: 1, Timed: 1, SelfNS: 100_000, CumNS: 120_000, WallNS: 120_000, Calls: 3000})
	if s.ProbesNS != 90_020 || s.SelfNS != 9_980 || s.CumNS != 29_980 || s.WallNS != s.CumNS {
		t.Errorf("share is %+v", s)
	}
	if !s.Resolved() {
		t.Errorf("share %+v is not resolved, although its own time is a tenth of the time of its probes", s)
	}
	if s := (ProbeCost{InnerNS: 20}).remove(probe.Count{N: 1000, Timed: 1000, SelfNS: 21_000}); s.Resolved() {
		t.Errorf("share %+v is resolved, although its own time is within the error of the probe time that was subtracted", s)
	}
}

// Energy that belongs to no component is divided into parts by cause.
func TestPartsByCause(t *testing.T) {
	v := &Interval{
		Counts: map[int]probe.Count{
			0:                       {SelfNS: 2e8},
			1:                       {N: 1, Timed: 1, SelfNS: 4e8},
			probe.RuntimeRow(1):     {SelfNS: 1e8},
			probe.RuntimeRow(1) + 1: {GainedNS: 1e8, Samples: 10},
			probe.StraysRow(1):      {SelfNS: 3e8, KeptNS: 3e8, Samples: 30},
		},
		Joules: []float64{15}, LengthNS: 2e9, ProgramNS: 11e8, OthersNS: 2e8,
	}
	v.Counts[0] = probe.Count{SelfNS: 2e8, LostNS: 1e8, KeptNS: 1e8, Samples: 10}
	_, parts := totalsOf(1, v).Attribute(v, alike)
	for part, want := range map[record.Part]float64{
		record.Strays: 3, record.Idle: 2, record.Others: 2, record.Collector: 1, record.Scheduler: 1, record.TestCode: 1, record.Probes: 1,
	} {
		near(t, "energy of "+string(part), parts[part].Joules[0], want, 1e-9)
	}
}

// Of a program without probes, the scheduler has what samples saw of it; CPU time that no sample
// stands for has a name of its own.
func TestPartsWithoutProbes(t *testing.T) {
	v := &Interval{
		Counts: map[int]probe.Count{1: {SelfNS: 4e8, CumNS: 4e8, KeptNS: 4e8, Samples: 400}, probe.RuntimeRow(1): {SelfNS: 1e8, KeptNS: 1e8, Samples: 100}},
		Joules: []float64{12}, LengthNS: 1e9, ProgramNS: 10e8, SchedulerNS: 2e8,
	}
	totals := NewTotals(1, nil)
	totals.Sampled = true
	totals.Add(v)
	shares, parts := totals.Attribute(v, alike)
	for part, want := range map[record.Part]float64{record.Collector: 1e8, record.Scheduler: 2e8, record.Unsampled: 3e8} {
		near(t, "CPU time of "+string(part), parts[part].NS, want, 1e-9)
	}
	near(t, "CPU time of the function", shares[0].SelfNS, 4e8, 1e-9)
	sum := shares[0].Joules[0]
	for _, p := range parts {
		sum += p.Joules[0]
	}
	near(t, "energy of all", sum, 12, 1e-9)
	v.SchedulerNS = 9e8 // the program's CPU time was read a little earlier than that of its samples
	_, parts = totals.Attribute(v, alike)
	if _, some := parts[record.Unsampled]; some || parts[record.Scheduler].NS != 5e8 {
		t.Errorf("parts are %v, want a scheduler of what is left", parts)
	}
}

// CPU time does not show which function used the disk or the network. Without bytes by function
// their energy is unattributed, and the energy of the processor is divided as without them.
func TestEnergyOfUncountedBytesIsUnattributed(t *testing.T) {
	const second = 1e9
	w := &Powers{domains: 3, idleW: []float64{1, 0.5, 0}, bytes: byteCosts(&Machine{Domains: []spell.Domain{spell.CPU, spell.Disk, spell.Net}})}
	v := &Interval{
		Counts: map[int]probe.Count{1: {N: 1, SelfNS: 0.06 * second}, 2: {N: 1, SelfNS: 0.94 * second}}, // save, spin
		Joules: []float64{11, 3, 0.25}, LengthNS: second, ProgramNS: second,
	}
	shares, parts := NewTotals(2, nil).Attribute(v, w)
	for c, want := range map[int]float64{0: 0.6, 1: 9.4} {
		s := shares[c]
		if math.Abs(s.Joules[0]-want) > 1e-9 || s.Joules[1] != 0 || s.Joules[2] != 0 || s.CumJoules[1] != 0 {
			t.Errorf("component %d has %v J, with callees %v, want %v J of the processor and 0 J of disk and network", c, s.Joules, s.CumJoules, want)
		}
	}
	if diff := cmp.Diff([]float64{0, 2.5, 0.25}, parts[record.NotByFunction].Joules); diff != "" {
		t.Errorf("energy not known by function (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1, 0.5, 0}, parts[record.Idle].Joules); diff != "" {
		t.Errorf("energy of the idle machine (-want +got):\n%s", diff)
	}
}

// The meter estimates energy from CPU time. The second of two tests starts a child that computes
// for 60 ms. The energy of the child is a part of the second test, and neither of the first test
// nor of a function.
func TestEnergyOfChildren(t *testing.T) {
	const idleW, busyW = 2, 30
	k := readings([]float64{5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, make([]float64, 10))
	for i := range k.joules {
		k.joules[i] = idleW*float64(i)*0.01 + busyW*float64(k.cpu[i])/1e9
	}
	k.perCPU = []float64{busyW}
	k.family = samples([2]float64{0, 0}, [2]float64{100, 60})
	k.family.refine([]probe.Wait{{At: 0, None: true}, {At: 50 * ms, None: true}, {At: 99 * ms, NS: 60 * ms, None: true}})
	w := &Powers{domains: 1, idleW: []float64{idleW}}
	window := func(from, to int64) (map[int]Share, map[record.Part]Amount, *Interval) {
		counts := map[int]probe.Count{1: {N: 1, SelfNS: 25 * ms}}
		v := k.Interval(&Machine{}, probe.Window{Start: from * ms, End: to * ms, Counts: counts}, ProbeCost{})
		shares, parts := NewTotals(1, nil).Attribute(v, w)
		return shares, parts, v
	}
	for _, test := range []struct {
		from, to      int64
		child, joules float64 // ms and J of the child
	}{{0, 50, 0, 0}, {50, 100, 60, 1.8}} {
		shares, parts, v := window(test.from, test.to)
		near(t, "energy of the function", shares[0].Joules[0], 0.025*busyW, 1e-6)
		near(t, "energy of the idle machine", parts[record.Idle].Joules[0], 0.05*idleW, 1e-6)
		part, has := parts[record.Children]
		if has != (test.child > 0) {
			t.Errorf("the test from %d ms has a part for children: %t", test.from, has)
		}
		if has {
			near(t, "energy of the child", part.Joules[0], test.joules, 1e-6)
			near(t, "CPU time of the child", part.NS, test.child*ms, 1e-6)
		}
		near(t, "energy of components and parts", total(shares, parts), v.Joules[0], 1e-9)
	}
}

// The child of a test has probes, and computed in a function for 55 of the 60 ms that it used: the
// function is charged with these, although the test's own program used nothing. The rest, its
// start, stays a part of its own. Where the kernel says that descendants used less than the probes
// of the child measured, the kernel is right.
func TestChildrenWithProbes(t *testing.T) {
	const busyW = 30
	for _, test := range []struct{ kernel, function, rest float64 }{{60, 55, 5}, {40, 40, 0}} {
		k := readings(make([]float64, 5), make([]float64, 5))
		clear(k.joules)
		k.perCPU = []float64{busyW}
		k.family = samples([2]float64{0, 0}, [2]float64{50, test.kernel})
		counts := map[int]probe.Count{1: {N: 7, SelfNS: 55 * ms}}
		v := k.Interval(&Machine{}, probe.Window{Start: 0, End: 50 * ms, Counts: counts, ChildrenNS: 55 * ms}, ProbeCost{})
		shares, parts := NewTotals(1, nil).Attribute(v, &Powers{domains: 1, idleW: []float64{0}})
		what := fmt.Sprintf(" of a child that used %v ms", test.kernel)
		near(t, "CPU time of the function"+what, shares[0].SelfNS, test.function*ms, 1e-6)
		near(t, "CPU time beside it"+what, parts[record.Children].NS, test.rest*ms, 1e-6)
		near(t, "energy"+what, total(shares, parts), v.Joules[0], 1e-9)
		if shares[0].N != 7 {
			t.Errorf("%v calls are charged, want 7", shares[0].N)
		}
	}
}
