package scaling

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/growth"
	"spell-lsp/spell/record"
)

// noted is what an ordinary test with calls of several sizes left in a record, on a machine that others used too:
// sizes, calls of each, and ms with callees. Pairs compares all with all, Sorted sorts, Sum adds up.
var noted = map[string][][3]float64{
	"m.Pairs":  {{10, 20, 0.0019363}, {30, 20, 0.012542}, {60, 20, 0.044284}, {100, 20, 0.20788}, {200, 20, 0.628}, {400, 20, 1.9254}, {800, 20, 7.8071}, {1600, 1, 1.5539}, {3200, 1, 6.1047}, {6400, 1, 24.448}},
	"m.Sorted": {{10, 20, 0.013146}, {30, 20, 0.05848}, {60, 20, 0.11519}, {100, 20, 0.27747}, {200, 20, 0.38512}, {400, 20, 0.88447}, {800, 20, 1.6425}, {1600, 1, 0.20361}, {3200, 1, 0.43094}, {6400, 1, 0.95027}},
	"m.Sum":    {{10, 20, 0.01248}, {30, 20, 0.016142}, {60, 20, 0.05192}, {100, 20, 0.057379}, {200, 20, 0.13278}, {400, 20, 0.31648}, {800, 20, 0.48657}, {1600, 1, 0.047211}, {3200, 1, 0.094565}, {6400, 1, 0.21875}},
}

// ordinary is that record; each ms draws 10 mJ.
func ordinary() *record.Run {
	r := &record.Run{ID: "20261128T220000Z-0001", Rounds: 3, Meter: record.Meter{Name: "rapl", Source: record.Measured, Domains: []spell.Domain{spell.CPU}}}
	for _, id := range []string{"m.Pairs", "m.Sorted", "m.Sum"} {
		c := record.Component{ID: id, Kind: spell.KindFunction, CumEnergyJ: record.Energy{spell.CPU: 1}}
		var buckets []record.SizeBucket
		for _, b := range noted[id] {
			buckets = append(buckets, record.SizeBucket{Low: uint64(b[0]), High: uint64(b[0]), Mean: b[0], N: b[1], CumTimeMS: b[2], CumEnergyJ: record.Energy{spell.CPU: b[2] / 100}})
		}
		c.SizedCalls = []record.SizedCalls{{Size: "len(cars)", Buckets: buckets}, {Size: "len(name)", Buckets: buckets[:1]}}
		r.Components = append(r.Components, c)
	}
	return r
}

// Nobody wrote a benchmark: that a function is quadratic is seen from the calls that its tests make. A size that
// never varied says nothing, and is left out.
func TestGrowthOfOrdinaryCalls(t *testing.T) {
	for _, source := range []record.Source{record.Measured, record.NoEnergy} {
		r := ordinary()
		r.Meter.Source = source
		got := map[string]string{}
		for _, g := range grown(t, r, Options{}).Growths {
			got[g.Subject] = fmt.Sprint(g.Origin, " ", g.Sizes, " ", g.Quantity, " ", g.Reason)
			want := map[string]float64{"m.Pairs": 2, "m.Sorted": 1, "m.Sum": 1}[g.Subject]
			if e := g.Exponents[0]; e.Value < want-0.15 || e.Value > want+0.25 || e.CI[0] > e.Value || e.CI[1] < e.Value {
				t.Errorf("%s grows with the power %+v, want %g", g.Subject, e, want)
			}
			if !g.Component || !g.Cumulative || g.Series != "" {
				t.Errorf("the growth is %+v", g)
			}
		}
		quantity := alternatives.Energy
		if source == record.NoEnergy {
			quantity = alternatives.Time
		}
		what := "calls [len(cars)] " + string(quantity) + " "
		for _, id := range []string{"m.Pairs", "m.Sorted", "m.Sum"} {
			if got[id] != what {
				t.Errorf("%s: growth %q, want %q", id, got[id], what)
			}
		}
		if first := grown(t, r, Options{}).Growths[0]; first.Subject != "m.Pairs" {
			t.Errorf("%s is the steepest, want m.Pairs", first.Subject)
		}
	}
}

// Too few sizes, or sizes too near to one another, give no formula, and the reason is said.
func TestCallsWithoutSpread(t *testing.T) {
	r := ordinary()
	for i, few := range [][]int{{0, 3}, {0, 5}} {
		s := &r.Components[i].SizedCalls[0]
		s.Buckets = slices.Clone(s.Buckets[few[0]:few[1]])
	}
	for i := range r.Components[1].SizedCalls[0].Buckets {
		r.Components[1].SizedCalls[0].Buckets[i].Mean = []float64{10, 14, 20, 28, 40}[i]
	}
	got := map[string]growth.Reason{}
	for _, g := range grown(t, r, Options{}).Growths {
		got[g.Subject] = g.Reason
	}
	if got["m.Pairs"] != growth.FewSizes || got["m.Sorted"] != growth.Narrow || got["m.Sum"] != "" {
		t.Errorf("the reasons are %v", got)
	}
}

// What the counter cannot resolve is fitted to time.
func TestCallsBelowResolution(t *testing.T) {
	r := ordinary()
	r.Components[0].BelowResolution = true
	for _, g := range grown(t, r, Options{}).Growths {
		want := alternatives.Reason("")
		if g.Subject == "m.Pairs" {
			want = alternatives.BelowResolution
		}
		if g.WhyTime != want || (g.Quantity == alternatives.Time) != (want != "") {
			t.Errorf("%s: %s, because %q", g.Subject, g.Quantity, g.WhyTime)
		}
	}
}

// A point is the cost of one call, and as certain as there were calls in all rounds, of sizes that are near to one another
// together; a size of 0 is none that a formula takes, nor is a size without cost.
func TestPointsOfCalls(t *testing.T) {
	joules := func(j float64) record.Energy { return record.Energy{spell.CPU: j} }
	buckets := []record.SizeBucket{
		{Mean: 0, N: 5, CumTimeMS: 1, CumEnergyJ: joules(1)}, {Mean: 8, N: 4, CumTimeMS: 2},
		{Mean: 16.5, N: 10, CumTimeMS: 50, CumEnergyJ: joules(1)}, {Mean: 32, N: 1}, {Mean: 100, N: 2, CumTimeMS: 8}, {Mean: 104, N: 6, CumTimeMS: 32},
	}
	want := []Point{{Sizes: []float64{8}, Cost: 0.5, Calls: 12}, {Sizes: []float64{16.5}, Cost: 5, Calls: 30}, {Sizes: []float64{103}, Cost: 5, Calls: 24}}
	if got := pointsOfCalls(buckets, alternatives.Time, 3); !reflect.DeepEqual(got, want) {
		t.Errorf("in time, points are %+v", got)
	}
	if got := pointsOfCalls(buckets, alternatives.Energy, 3); len(got) != 1 || got[0].Cost != 0.1 {
		t.Errorf("in energy, points are %+v", got)
	}
}
