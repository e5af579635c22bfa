package calltree_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// Sort draws three times as much under Sell as under Oldest for each second. Its energy follows
// that, adds up to its own, and stacks above it inherit it; time is what it was.
func TestEnergyUnderCallers(t *testing.T) {
	r := calling() // Sort: 3.5 J in 30 ms, 20 ms of it under Sell
	for i, n := range r.CallTree {
		if n.Component == sort && n.TimeMS > 0 {
			r.CallTree[i].Power, r.CallTree[i].PowerCI = 1.2857142857142858, [2]float64{1.2, 1.4}
			if r.CallTree[n.Parent].Component == oldest {
				r.CallTree[i].Power, r.CallTree[i].PowerCI = 0, [2]float64{}
				r.CallTree[i].ByTime = record.Few
			}
		}
	}
	r.CallTree[5].Power, r.CallTree[5].ByTime = 0.42857142857142855, ""
	calls := calltree.Of(r)
	list := calls.Under(sort)
	var joules, ms float64
	for _, u := range list {
		joules, ms = joules+u.EnergyJ, ms+u.TimeMS
	}
	if len(list) != 2 || math.Abs(joules-3.5) > 1e-12 || math.Abs(ms-30) > 1e-12 {
		t.Fatalf("Sort has %+v under its callers, want two parts of 3.5 J and 30 ms", list)
	}
	under := list[0]
	if under.Component != sell || !under.Fitted || math.Abs(under.EnergyJ-3) > 1e-9 || math.Abs(under.Watts()-150) > 1e-6 {
		t.Errorf("under Sell it has %+v, want 3 J in 20 ms, fitted", under)
	}
	if under.CI[0] >= under.EnergyJ || under.CI[1] <= under.EnergyJ || under.CI[0] < 2 || under.CI[1] > 4 {
		t.Errorf("the interval of 3 J is %v", under.CI)
	}
	if got := calls.Callers(sort)[0]; got.Component != sell || math.Abs(got.EnergyJ-3) > 1e-9 {
		t.Errorf("Sort cost %+v on behalf of Sell, want 3 J", got)
	}
}

// random is a run with a random call tree. power gives a node its power and the reason for sharing by
// time; it is asked once for each component and caller.
func random(seed uint64, power func(*rand.Rand) (float64, record.ByTime)) *record.Run {
	r, from := recordtest.Town(), rand.New(rand.NewPCG(seed, 7))
	told := make(map[[2]int]record.CallNode)
	for i := range 1 + from.IntN(60) {
		n := record.CallNode{Parent: from.IntN(i+1) - 1, Component: from.IntN(len(r.Components))}
		caller := none
		if n.Parent >= 0 {
			caller = r.CallTree[n.Parent].Component
		}
		if n.Cut = n.Parent < 0 && from.IntN(4) == 0; n.Cut {
			caller = calltree.Unknown
		}
		if from.IntN(3) > 0 {
			n.TimeMS = 50 * from.Float64()
		}
		pair := [2]int{n.Component, caller}
		if _, known := told[pair]; !known {
			one := n
			if !n.Cut { // nothing is known of these
				one.Power, one.ByTime = power(from)
			}
			told[pair] = one
		}
		n.Power, n.ByTime = told[pair].Power, told[pair].ByTime
		r.CallTree = append(r.CallTree, n)
	}
	return r
}

// Whatever the powers are, the parts of a function under its callers add up to its own time and
// energy. Where no power is told, each part has the share of its time, and says by time.
func TestEnergyUnderCallersAddsUp(t *testing.T) {
	fitted := func(from *rand.Rand) (float64, record.ByTime) {
		if from.IntN(3) == 0 {
			return 0, record.Few
		}
		return 3 * from.Float64(), ""
	}
	byTime := func(*rand.Rand) (float64, record.ByTime) { return 0, record.Alike }
	for seed := range uint64(200) {
		for name, power := range map[string]func(*rand.Rand) (float64, record.ByTime){"powers differ": fitted, "none does": byTime} {
			r := random(seed, power)
			calls := calltree.Of(r)
			for c := range r.Components {
				var seen, ms, joules float64
				for _, n := range r.CallTree {
					if n.Component == c {
						seen += n.TimeMS
					}
				}
				want := r.Components[c].EnergyJ.Total()
				for _, u := range calls.Under(c) {
					ms, joules = ms+u.TimeMS, joules+u.EnergyJ
					byTime := want * u.TimeMS / seen
					if name == "none does" && (u.Fitted || cmp.Or(u.ByTime, record.Alike) != record.Alike || (u.ByTime == "") != (u.Component == calltree.Unknown) || math.Abs(u.EnergyJ-byTime) > 1e-9) {
						t.Errorf("seed %d: component %d has %+v, want %g J by time", seed, c, u, byTime)
					}
				}
				if seen > 0 && (math.Abs(ms-seen) > 1e-9 || math.Abs(joules-want) > 1e-9) {
					t.Errorf("seed %d, %s: the parts of component %d are %g J in %g ms together, want %g J in %g ms", seed, name, c, joules, ms, want, seen)
				}
			}
		}
	}
}

// Without powers, energy follows time, and the reason is kept. What called a cut stack is not known.
func TestEnergyUnderCallersByTime(t *testing.T) {
	r := calling()
	r.CallTree[2].ByTime = record.Interleaved
	r.CallTree[3] = record.CallNode{Parent: -1, Component: sort, TimeMS: 30, Cut: true}
	for _, u := range calltree.Of(r).Under(sort) {
		if want := 3.5 * u.TimeMS / 60; u.Fitted || u.CI[1] != 0 || math.Abs(u.EnergyJ-want) > 1e-12 {
			t.Errorf("%+v, want %g J by time", u, want)
		}
		if (u.Component == sell) != (u.ByTime == record.Interleaved) || u.Component == none {
			t.Errorf("%+v: the reason is that of Sell, and the cut stack has no known caller", u)
		}
	}
}
