package runner

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"spell-lsp/runner/attribution"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// addCallers adds to the run's call tree the power of each component with several callers under each
// of them, where the meter's ticks tell it, or the reason why they do not.
func (m *measurement) addCallers(r *record.Run) {
	if m.Granularity != spell.KindFunction {
		return
	}
	of := m.componentOf(r)
	caller := func(row int) int {
		if row == 0 {
			return calltree.NoComponent
		}
		return of(row)
	}
	found := make(map[int]*underCallers)
	for _, p := range m.model.CallerPowers() {
		if c := of(p.Row); c >= 0 {
			found[c] = newUnderCallers(&p, m.fittedPart(&r.Components[c]), caller)
		}
	}
	eachCaller(r, func(n *record.CallNode, caller int) {
		if u := found[n.Component]; u != nil {
			u.seconds[caller] += n.TimeMS / 1e3
		}
	})
	for _, u := range found {
		u.solve()
	}
	eachCaller(r, func(n *record.CallNode, caller int) {
		if u := found[n.Component]; u != nil {
			u.fill(n, caller)
		}
	})
}

// eachCaller visits the nodes whose caller is known, with the component that it is.
func eachCaller(r *record.Run, visit func(n *record.CallNode, caller int)) {
	for i := range r.CallTree {
		n, caller := &r.CallTree[i], calltree.NoComponent
		if n.Parent >= 0 {
			caller = r.CallTree[n.Parent].Component
		}
		if !n.Cut {
			visit(n, caller)
		}
	}
}

// fittedPart is the part of a component's energy that lies in domains that the model solves for.
func (m *measurement) fittedPart(c *record.Component) float64 {
	var fitted float64
	for d, domain := range m.info.Domains {
		if m.model.Solves(d) {
			fitted += c.EnergyJ[domain]
		}
	}
	if all := c.EnergyJ.Total(); all > 0 {
		return fitted / all
	}
	return 0
}

// underCallers is what is known of one component under its callers, which are numbered as components;
// one is calltree.NoComponent.
type underCallers struct {
	powers  map[int]attribution.CallerPower
	byTime  record.ByTime
	part    float64         // of the component's energy: what the powers are about
	seconds map[int]float64 // by caller, of the call tree
	mean    float64         // W; 0 if no power is known
	among   float64         // half the range of the powers, divided by mean: the error of one that is not known
	callers []int           // those of seconds, in order: sums are the same each time
	shares  map[int]float64 // of the energy
}

func newUnderCallers(p *attribution.CallerPowers, part float64, component func(row int) int) *underCallers {
	u := &underCallers{powers: make(map[int]attribution.CallerPower), byTime: p.ByTime, part: part, seconds: make(map[int]float64), shares: make(map[int]float64)}
	for _, c := range p.Callers {
		if of := component(c.Caller); c.Caller == 0 || of >= 0 {
			u.powers[of] = c
		}
	}
	return u
}

// solve finds the mean power, and the shares of the callers. One whose power is not known has
// the mean.
func (u *underCallers) solve() {
	u.callers = slices.Sorted(maps.Keys(u.seconds))
	var joules, seconds float64
	least, most := math.Inf(1), 0.0
	for _, caller := range u.callers {
		if p, s := u.powers[caller], u.seconds[caller]; p.Known() {
			joules, seconds = joules+p.Watts*s, seconds+s
			least, most = min(least, p.Watts), max(most, p.Watts)
		}
	}
	if seconds == 0 {
		return
	}
	u.mean = joules / seconds
	u.among = (most - least) / 2 / u.mean
	var all float64
	for _, caller := range u.callers {
		u.shares[caller] = u.seconds[caller] * u.watts(caller)
		all += u.shares[caller]
	}
	for _, caller := range u.callers {
		u.shares[caller] /= all
	}
}

func (u *underCallers) watts(caller int) float64 {
	if p := u.powers[caller]; p.Known() {
		return p.Watts
	}
	return u.mean
}

// fill sets what a node says of its component's power.
func (u *underCallers) fill(n *record.CallNode, caller int) {
	known := u.mean > 0 && u.powers[caller].Watts > 0
	relative := u.watts(caller) / u.mean
	switch {
	case u.byTime != "":
		n.ByTime = u.byTime
	case known:
		n.Power = u.inAll(relative)
	default:
		n.ByTime = record.Few
	}
	if !known {
		return
	}
	half := relative * u.error(caller)
	n.PowerCI = [2]float64{u.inAll(max(0, relative-half)), u.inAll(relative + half)}
	if n.Power == 0 { // the interval is of what the energy would be if powers differed
		n.PowerCI = [2]float64{min(1, n.PowerCI[0]), max(1, n.PowerCI[1])}
	}
}

// inAll is a power relative to the mean over all domains, given that in the domains that the model
// solves for: in the others it is taken to be the mean.
func (u *underCallers) inAll(relative float64) float64 { return 1 + u.part*(relative-1) }

// error is the relative error of a caller's energy, 95 %. All callers' errors are in it, as their
// energies add up to what the component used: with one caller there is none.
func (u *underCallers) error(caller int) float64 {
	own := u.shares[caller]
	variance := (1 - own) * (1 - own) * u.variance(caller)
	freedom := u.powers[caller].Freedom
	for _, other := range u.callers {
		if share := u.shares[other]; other != caller {
			variance += share * share * u.variance(other)
		}
		if p := u.powers[other]; p.Known() {
			freedom = min(freedom, p.Freedom)
		}
	}
	return distuv.StudentsT{Sigma: 1, Nu: max(1, freedom)}.Quantile(0.975) * math.Sqrt(variance)
}

// variance is the relative one of a caller's time x power. The time is counted in samples.
func (u *underCallers) variance(caller int) float64 {
	p := u.powers[caller]
	power := u.among
	if p.Known() {
		power = p.SD / p.Watts
	}
	return power*power + 1/float64(max(1, p.Samples))
}
