package calltree

import (
	"cmp"
	"math"
	"slices"

	"spell-lsp/spell/record"
)

// An Under is what a component used itself, without callees, while one caller had called it. Those
// of a component add up to its self values, as far as samples saw it.
type Under struct {
	Component int // of the caller; NoComponent or Unknown
	TimeMS    float64
	EnergyJ   float64    // all domains together
	CI        [2]float64 // 95 % interval of EnergyJ; 0 to 0 where it is not known
	// Fitted says that the power under this caller comes from the ticks of the meter. Otherwise the
	// energy is shared by time, for the reason in ByTime, if there is one.
	Fitted bool
	ByTime record.ByTime
}

// Callers that are not in the run.
const (
	NoComponent = -1 // code outside of all components
	Unknown     = -2 // the stack was too deep, or incomplete
)

// Watts is the mean power under the caller; 0 where the time is not known.
func (u *Under) Watts() float64 {
	if u.TimeMS == 0 {
		return 0
	}
	return u.EnergyJ / (u.TimeMS / 1e3)
}

// Under lists the callers of a component by its own energy under them, the most first; by time
// where no energy is known.
func (c *Calls) Under(component int) []Under { return c.under[component] }

// underCallers finds these lists. Sums are made in the order of nodes.
func underCallers(r *record.Run) [][]Under {
	energyJ, _ := Own(r)
	all := make([][]Under, len(r.Components))
	intervals := make([][][2]float64, len(r.Components)) // relative, as all
	for i, n := range r.CallTree {
		caller := callerOf(r, i)
		if n.Cut {
			caller = Unknown
		}
		list := all[n.Component]
		at := slices.IndexFunc(list, func(u Under) bool { return u.Component == caller })
		if at < 0 {
			at = len(list)
			list = append(list, Under{Component: caller, Fitted: n.Power > 0, ByTime: n.ByTime})
			intervals[n.Component] = append(intervals[n.Component], relative(&n))
		}
		list[at].TimeMS += n.TimeMS
		list[at].EnergyJ += energyJ[i]
		all[n.Component] = list
	}
	for c, list := range all {
		below, above := spread(&r.Components[c])
		for i := range list {
			u, v := &list[i], intervals[c][i]
			if v != [2]float64{} {
				u.CI = [2]float64{u.EnergyJ * max(0, 1-math.Hypot(1-v[0], below)), u.EnergyJ * (1 + math.Hypot(v[1]-1, above))}
			}
		}
		all[c] = slices.DeleteFunc(list, func(u Under) bool { return u.TimeMS == 0 })
		slices.SortStableFunc(all[c], func(a, b Under) int {
			return cmp.Or(cmp.Compare(b.EnergyJ, a.EnergyJ), cmp.Compare(b.TimeMS, a.TimeMS), cmp.Compare(a.Component, b.Component))
		})
	}
	return all
}

// relative is the interval of a node's power in proportion to the power itself; 0 to 0 if it is not
// known.
func relative(n *record.CallNode) [2]float64 {
	return [2]float64{n.PowerCI[0] / n.RelativePower(), n.PowerCI[1] / n.RelativePower()}
}

// spread is how far the interval of a component's energy reaches below and above it, in proportion.
func spread(c *record.Component) (below, above float64) {
	all := c.EnergyJ.Total()
	if all <= 0 {
		return 0, 0
	}
	for d, ci := range c.EnergyCI {
		below, above = below+max(0, c.EnergyJ[d]-ci[0])/all, above+max(0, ci[1]-c.EnergyJ[d])/all
	}
	return below, above
}
