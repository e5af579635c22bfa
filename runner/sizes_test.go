package runner

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
)

// sized is a measurement of functions F, with the sizes n and len(s), and G, with n.
func sized() *measurement {
	m := &measurement{subject: subject{build: &instrument.Build{
		Components: []spell.Component{{ID: "p.F", Kind: spell.KindFunction, Package: "p"}, {ID: "p.G", Kind: spell.KindFunction, Package: "p"}},
		Sizes:      [][]string{{"n", "len(s)"}, {"n"}},
	}}}
	m.Granularity = spell.KindFunction
	m.units, m.unitOf = spell.Group(m.build.Components, spell.KindFunction)
	return m
}

// Numbers are those of one execution of each test, the mean over rounds, added up. Of the time that was
// measured the probes' own is none of the function's, and energy goes with what is left.
func TestSizesAreTheMeanOfRounds(t *testing.T) {
	m := sized()
	m.setUp.Sized = []int{0}
	const f = 1
	const ms = 1_000_000
	took := func(self, cum uint64) []*attribution.Interval {
		return []*attribution.Interval{{Counts: map[int]probe.Count{f: {SelfNS: self * ms, CumNS: cum * ms}}}}
	}
	m.kept = []*round{
		{tests: []*observation{
			{pkg: "p", name: "A", executions: 4, intervals: took(80, 160), sizes: []probe.Sized{
				{Row: f, Low: 8, High: 8, Mean: 8, N: 4, SelfNS: 40 * ms, CumNS: 80 * ms},
				{Row: f, Low: 64, High: 71, Mean: 66, N: 4, SelfNS: 40 * ms, CumNS: 80 * ms},
				{Row: f, Size: 1, N: 8, SelfNS: 80 * ms, CumNS: 160 * ms},
			}},
			{pkg: "p", name: "B", executions: 1, intervals: took(20, 40), sizes: []probe.Sized{
				{Row: f, Low: 64, High: 71, Mean: 70, N: 1, SelfNS: 20 * ms, CumNS: 40 * ms},
				{Row: f, Size: 7, N: 1}, {Row: 9, N: 1},
			}},
		}},
		{tests: []*observation{{pkg: "p", name: "A", executions: 1, intervals: took(20, 40), sizes: []probe.Sized{
			{Row: f, Low: 8, High: 8, Mean: 8, N: 2, SelfNS: 20 * ms, CumNS: 40 * ms},
		}}}},
	}
	run := &record.Run{Components: []record.Component{
		{ID: "p.G", Kind: spell.KindFunction},
		{ID: "p.F", Kind: spell.KindFunction, TimeMS: 20, CumTimeMS: 60, EnergyJ: record.Energy{spell.CPU: 4}, CumEnergyJ: record.Energy{spell.CPU: 12}},
	}}
	m.addSizes(run)
	// Measured were 80/4/2 + 20/2 + 20 = 40 ms, and with callees 80: half of the first and three quarters of
	// the second are the function's. A call of n = 8 happened 4/4/2 + 2/2 times, for (40/4/2 + 20/2) / 2 ms.
	energy := func(j float64) record.Energy { return record.Energy{spell.CPU: j} }
	want := []record.SizedCalls{
		{Size: "n", Buckets: []record.SizeBucket{
			{Low: 8, High: 8, Mean: 8, N: 1.5, TimeMS: 7.5, CumTimeMS: 22.5, EnergyJ: energy(1.5), CumEnergyJ: energy(4.5)},
			{Low: 64, High: 71, Mean: (66*0.5 + 70) / 1.5, N: 1.5, TimeMS: 12.5, CumTimeMS: 37.5, EnergyJ: energy(2.5), CumEnergyJ: energy(7.5)},
		}},
		{Size: "len(s)", Buckets: []record.SizeBucket{{N: 1, TimeMS: 5, CumTimeMS: 15, EnergyJ: energy(1), CumEnergyJ: energy(3)}}},
	}
	if diff := cmp.Diff(want, run.Components[1].SizedCalls, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("calls of F (-want +got):\n%s", diff)
	}
	if got := run.Components[0].SizedCalls; got != nil {
		t.Errorf("calls of G, which was not chosen, are %v", got)
	}
}

// A probe adds to each call what it adds to one of the smallest size, so it is taken out by call, and not by time;
// what is the function's is part of what is left. A call takes no less than no time.
func TestSizesAreWithoutProbes(t *testing.T) {
	calls := withoutProbes([]probe.Sized{{Row: 1, N: 10, SelfNS: 500, CumNS: 900}, {N: 10, SelfNS: 150, CumNS: 200}}, 20)
	if diff := cmp.Diff([]probe.Sized{{Row: 1, N: 10, SelfNS: 300, CumNS: 700}, {N: 10, CumNS: 50}}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	m := sized()
	m.setUp.Sized = []int{0}
	v := &attribution.Interval{Counts: map[int]probe.Count{1: {Timed: 10, SelfNS: 500, CumNS: 900}}, Cost: attribution.ProbeCost{InnerNS: 20}}
	m.kept = []*round{{tests: []*observation{{pkg: "p", name: "A", executions: 1, intervals: []*attribution.Interval{v}, sizes: calls[:1]}}}}
	run := &record.Run{Components: []record.Component{{ID: "p.F", Kind: spell.KindFunction, TimeMS: 300e-6, CumTimeMS: 700e-6}}}
	m.addSizes(run)
	want := []record.SizeBucket{{N: 10, TimeMS: 300e-6, CumTimeMS: 700e-6, EnergyJ: record.Energy{}, CumEnergyJ: record.Energy{}}}
	if diff := cmp.Diff(want, run.Components[0].SizedCalls[0].Buckets, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
}

// What was chosen stays chosen, so that rounds are alike; packages have no sizes, and no function that is
// measured by its blocks.
func TestChosenSizes(t *testing.T) {
	log := &probe.Log{Hot: make([]probe.Hot, 2), Windows: []probe.Window{{Counts: map[int]probe.Count{1: {Timed: 1, CumNS: 1000}, 2: {Timed: 1, CumNS: 5}}}}}
	m := sized()
	m.learnSizes(log, 1000)
	m.learnSizes(&probe.Log{}, 1000)
	if diff := cmp.Diff([]int{0}, m.setUp.Sized); diff != "" {
		t.Errorf("chosen are (-want +got):\n%s", diff)
	}
	m.learnSizes(log, 100)
	m.learnSizes(log, 100)
	if diff := cmp.Diff([]int{0, 1}, m.setUp.Sized); diff != "" {
		t.Errorf("then chosen are (-want +got):\n%s", diff)
	}
	for name, change := range map[string]func(*measurement){
		"by package": func(m *measurement) { m.Granularity = spell.KindPackage },
		"blocks":     func(m *measurement) { m.build.Owner, m.build.LastBlock = 0, 1 },
		"full": func(m *measurement) {
			for i := range probe.MostSized {
				m.setUp.Sized = append(m.setUp.Sized, 100+i)
			}
		},
	} {
		m := sized()
		change(m)
		before := len(m.setUp.Sized)
		if m.learnSizes(log, 1000); len(m.setUp.Sized) > before {
			t.Errorf("%s: %v were chosen", name, m.setUp.Sized)
		}
	}
}

// An ordinary test of a quadratic function, with a few sizes of its own, shows in the record how often it was called
// with each, and in what order the calls cost; nothing was asked for.
func TestOrdinaryTestTellsSizes(t *testing.T) {
	p := prepare(t, Params{Dir: module(t, map[string]string{
		"pairs.go": `package m

// Pairs compares all with all.
func Pairs(cars []int, name string) (same int) {
	for i := range cars {
		for k := range cars {
			if cars[i]*7%11 == cars[k]*5%13 {
				same++
			}
		}
	}
	return same
}
`,
		"pairs_test.go": `package m

import "testing"

func TestPairs(t *testing.T) {
	for _, n := range []int{20, 100, 500, 2500, 100} {
		Pairs(make([]int, n), "x")
	}
}
`,
	}), Run: ".", Meter: "none", Rounds: 2, Warmup: 1})
	run, err := p.measure(t, func(*measurement) {})
	if err != nil {
		t.Fatal(err)
	}
	i, err := grouping.Find(run, "Pairs")
	if err != nil {
		t.Fatal(err)
	}
	c := &run.Components[i]
	var got []string
	for _, s := range c.SizedCalls {
		for k, b := range s.Buckets {
			got = append(got, fmt.Sprintf("%s %d-%d (%g): %g", s.Size, b.Low, b.High, b.Mean, b.N))
			if k > 0 && b.CumTimeMS/b.N <= s.Buckets[k-1].CumTimeMS/s.Buckets[k-1].N {
				t.Errorf("a call with %s of %g takes %g ms, and one of %g", s.Size, b.Mean, b.CumTimeMS/b.N, s.Buckets[k-1].Mean)
			}
		}
	}
	want := []string{"len(cars) 20-20 (20): 1", "len(cars) 96-103 (100): 2", "len(cars) 480-511 (500): 1", "len(cars) 2304-2559 (2500): 1", "len(name) 1-1 (1): 5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls by size (-want +got):\n%s", diff)
	}
}
