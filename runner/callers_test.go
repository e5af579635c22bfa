package runner

import (
	"math"
	"math/rand/v2"
	"testing"

	"spell-lsp/runner/attribution"
	"spell-lsp/spell/record"
)

// Energy under two callers is time x power, in proportion, and adds up. The interval has the error
// of the powers and of the samples; where only a part of the energy is of domains that are fitted, the
// rest follows time.
func TestSharesUnderCallers(t *testing.T) {
	p := attribution.CallerPowers{Callers: []attribution.CallerPower{{Caller: 1, Watts: 5, SD: 0.1, Freedom: 20, Samples: 400}, {Caller: 2, Watts: 15, SD: 0.2, Freedom: 20, Samples: 600}, {Caller: 3, Samples: 3}}}
	for part, want := range map[float64][2]float64{1: {5 / 11.0, 15 / 11.0}, 0.5: {8 / 11.0, 13 / 11.0}} {
		u := newUnderCallers(&p, part, func(row int) int { return row - 1 })
		u.seconds = map[int]float64{0: 4, 1: 6, 2: 0.03}
		u.solve()
		var nodes [3]record.CallNode
		for caller := range nodes {
			u.fill(&nodes[caller], caller)
		}
		for i, power := range want {
			if n := nodes[i]; math.Abs(n.Power-power) > 1e-9 || n.ByTime != "" || n.PowerCI[0] >= power || n.PowerCI[1] <= power || n.PowerCI[1]-n.PowerCI[0] > 0.3 {
				t.Errorf("caller %d, %g of the energy fitted: %+v, want power %g in a narrow interval", i, part, n, power)
			}
		}
		if n := nodes[2]; n.Power != 0 || n.ByTime != record.Few {
			t.Errorf("a caller without a power has %+v, want one by time", n)
		}
	}
}

// Powers that do not differ leave the energy to time; the interval says by how much they may differ.
func TestSharesUnderCallersThatAreAlike(t *testing.T) {
	p := attribution.CallerPowers{ByTime: record.Alike, Callers: []attribution.CallerPower{{Caller: 1, Watts: 9.9, SD: 0.3, Freedom: 9, Samples: 400}, {Caller: 2, Watts: 10.1, SD: 0.3, Freedom: 9, Samples: 400}}}
	u := newUnderCallers(&p, 1, func(row int) int { return row - 1 })
	u.seconds = map[int]float64{0: 1, 1: 1}
	u.solve()
	var n record.CallNode
	u.fill(&n, 0)
	if n.Power != 0 || n.ByTime != record.Alike || n.PowerCI[0] >= 1 || n.PowerCI[1] <= 1 {
		t.Errorf("%+v, want time alone, and an interval around it", n)
	}
}

// Powers are in proportion to the mean over all of a function's time, whatever is known of its callers;
// the interval has the power in it. Where a difference is not shown, no power is told.
func TestPowersUnderCallersAverageOne(t *testing.T) {
	from := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		p := attribution.CallerPowers{ByTime: []record.ByTime{"", record.Alike}[from.IntN(2)]}
		seconds := make(map[int]float64)
		for caller := range 1 + from.IntN(6) {
			c := attribution.CallerPower{Caller: caller + 1, Samples: from.IntN(100)}
			if from.IntN(3) > 0 {
				c.Watts, c.SD, c.Freedom = 0.1+20*from.Float64(), from.Float64(), 2+20*from.Float64()
			}
			p.Callers = append(p.Callers, c)
			seconds[caller] = 5 * from.Float64() * float64(from.IntN(2))
		}
		u := newUnderCallers(&p, from.Float64(), func(row int) int { return row - 1 })
		u.seconds = seconds
		u.solve()
		var used, all float64
		for caller, s := range seconds {
			var n record.CallNode
			u.fill(&n, caller)
			used, all = used+s*n.RelativePower(), all+s
			if (n.Power > 0) == (n.ByTime != "") || n.Power > 0 && p.ByTime != "" {
				t.Errorf("%+v of %+v: want a power or a reason, and no power where the reason is %q", n, p, p.ByTime)
			}
			if at := n.RelativePower(); n.PowerCI != [2]float64{} && !(n.PowerCI[0] <= at && at <= n.PowerCI[1]) {
				t.Errorf("the interval %v does not have %g in it", n.PowerCI, at)
			}
		}
		if math.Abs(used-all) > 1e-9 {
			t.Errorf("%g s x power make %g, want the same: %+v", all, used, p)
		}
	}
}

// A round that is left out may have been the only one with time under the callers that are known:
// then there is nothing to be in proportion to.
func TestPowersUnderCallersWithoutTime(t *testing.T) {
	p := attribution.CallerPowers{Callers: []attribution.CallerPower{{Caller: 1, Watts: 5, SD: 1, Freedom: 9, Samples: 99}, {Caller: 2, Watts: 9, SD: 1, Freedom: 9, Samples: 99}}}
	u := newUnderCallers(&p, 1, func(row int) int { return row - 1 })
	u.seconds = map[int]float64{0: 0, 1: 0, 2: 3}
	u.solve()
	for caller := range u.seconds {
		var n record.CallNode
		if u.fill(&n, caller); n != (record.CallNode{ByTime: record.Few}) {
			t.Errorf("caller %d: %+v, want too few samples", caller, n)
		}
	}
}
