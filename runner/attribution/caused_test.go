package attribution

import (
	"math"
	"testing"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Three quarters of the bytes of a test are of one function, an eighth of another, and an eighth of
// test code. What collecting used is said to be caused by them in these proportions, and is in the
// collector's part only: the parts add up to the counter as before.
func TestCollectingIsCausedByAllocating(t *testing.T) {
	const much, little, none = 1, 2, 3
	v := &Interval{
		Counts: map[int]probe.Count{
			0:                   {SelfNS: 1e8, AllocBytes: 1 << 20, AllocObjects: 1},
			much:                {N: 1, Timed: 1, SelfNS: 1e8, CumNS: 1e8, AllocBytes: 6 << 20, AllocObjects: 60},
			little:              {N: 1, Timed: 1, SelfNS: 3e8, CumNS: 3e8, AllocBytes: 1 << 20, AllocObjects: 1000},
			none:                {N: 1, Timed: 1, SelfNS: 1e8, CumNS: 1e8},
			probe.RuntimeRow(3): {SelfNS: 4e8},
		},
		Joules: []float64{20, 5}, LengthNS: 1e9, ProgramNS: 1e9,
	}
	model := NewModel(Machine{Domains: []spell.Domain{spell.CPU, spell.DRAM}}, 3, true)
	model.SetRest(Rest{IdleW: []float64{0, 0}})
	totals := NewTotals(3, nil)
	totals.Add(v)
	shares, parts := totals.Attribute(v, model.Powers())
	collector := parts[record.Collector]
	if math.Abs(collector.Joules[0]-8) > 1e-9 || math.Abs(collector.Joules[1]-2) > 1e-9 {
		t.Fatalf("the collector has %v J, want 8 and 2: four tenths", collector.Joules)
	}
	var sum, caused [2]float64
	for component, want := range map[int]float64{much - 1: 6.0 / 8, little - 1: 1.0 / 8} {
		s := shares[component]
		for d := range caused {
			if got := s.Caused.Joules[d] / collector.Joules[d]; math.Abs(got-want) > 1e-9 {
				t.Errorf("component %d caused %g of domain %d of the collector's energy, want %g", component, got, d, want)
			}
			caused[d] += s.Caused.Joules[d]
		}
		if got := s.Caused.NS / collector.NS; math.Abs(got-want) > 1e-9 {
			t.Errorf("component %d caused %g of the collector's time, want %g", component, got, want)
		}
	}
	if s := shares[none-1]; s.Bytes != 0 || s.Caused.Joules != nil {
		t.Errorf("a component that allocated nothing has %+v of the collector", s.Caused)
	}
	if math.Abs(caused[0]-7) > 1e-9 { // test code caused the eighth joule
		t.Errorf("components caused %g J of collecting, want 7", caused[0])
	}
	for _, s := range shares {
		sum[0], sum[1] = sum[0]+s.Joules[0], sum[1]+s.Joules[1]
	}
	for _, p := range parts {
		sum[0], sum[1] = sum[0]+p.Joules[0], sum[1]+p.Joules[1]
	}
	if math.Abs(sum[0]-20) > 1e-9 || math.Abs(sum[1]-5) > 1e-9 {
		t.Errorf("components and parts have %v J, the counter 20 and 5", sum)
	}
	more := shares[much-1].Plus(shares[little-1]).Divided(2)
	if more.Bytes != 3.5*(1<<20) || more.Objects != 530 || math.Abs(more.Caused.Joules[0]-3.5) > 1e-9 {
		t.Errorf("half of both is %+v", more)
	}
}
