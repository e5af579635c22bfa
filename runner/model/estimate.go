package model

import (
	"fmt"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/model/cpuname"
)

// An estimate is a linear model of power: idleW all the time, and busyW more while a
// thread runs.
type estimate struct {
	tier    string // E0 to E3
	basis   string // source of the figures or, for E3, why there are none
	idleW   float64
	busyW   float64 // per second of CPU time of one thread, at the base frequency
	weighed bool    // busyW follows the frequency
	// most is how many times the busy watts of all threads the package may draw for long, 0 if not known.
	most float64
}

// known reports whether the tier gives any joules.
func (e estimate) known() bool { return e.tier != "E3" }

// The model of tier E1: a package draws TDP x (idleShare + useShare x u), with u the
// utilisation of all logical processors, 0 to 1. Against 78 RAPL readings in CodeCarbon's
// load sweeps its mean error is 34 %.
const (
	idleShare = 0.10
	useShare  = 0.60
)

// choose picks the best tier for a processor. It never guesses: where neither the thermal
// design power nor the power of a thread is known, there are no joules. The one exception:
// where a hypervisor hides the generation of a server's processor, the mean of the vendor's
// generations stands for it, as in Cloud Carbon Footprint, and the basis says so.
func (t tables) choose(c CPU) estimate {
	switch {
	case c.Threads == 0:
		return nothing("the processor is not known")
	case c.Virtual || c.hidden() && !t.listed(c):
		if p, ok := t.thread(c); ok && !c.client() {
			return byThread(p, c)
		}
		if p, ok := t.unknownGeneration(c); ok && c.Virtual && c.server() {
			return byThread(p, c)
		}
		return nothing(fmt.Sprintf("the power of a virtual processor %q (%s family %d model %d stepping %d) is not known",
			c.Name, c.Vendor, c.Family, c.Model, c.Stepping))
	case t.listed(c):
		return byTDP(t.tdps[cpuname.Normal(c.Name)], c)
	}
	return nothing(fmt.Sprintf("the thermal design power of %q is not known", c.Name))
}

func (t tables) listed(c CPU) bool {
	_, ok := t.tdps[cpuname.Normal(c.Name)]
	return ok
}

const calibratedTier = "E0"

func byCalibration(c meter.Calibration) estimate {
	return estimate{tier: calibratedTier, basis: c.Basis, idleW: c.IdleW, busyW: c.BusyW, weighed: c.Weighed}
}

func byTDP(p tdp, c CPU) estimate {
	watts := p.watts * float64(c.Packages)
	return estimate{
		tier:    "E1",
		basis:   fmt.Sprintf("%d x %s, thermal design power %g W x (%.2f + %.2f x CPU use); against RAPL such estimates were off by -50 to +150 %%", c.Packages, p.name, p.watts, idleShare, useShare),
		idleW:   watts * idleShare,
		busyW:   watts * useShare / float64(c.Threads),
		weighed: true, most: (1 - idleShare) / useShare,
	}
}

func byThread(p threadPower, c CPU) estimate {
	return estimate{
		tier:  "E2",
		basis: fmt.Sprintf("%d virtual CPUs of %s, each %g W idle and %g W busy, the whole server's power included", c.Threads, p.name, p.idleW, p.busyW),
		idleW: p.idleW * float64(c.Threads),
		busyW: p.busyW - p.idleW,
	}
}

func nothing(why string) estimate { return estimate{tier: "E3", basis: why} }
