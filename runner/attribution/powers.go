package attribution

import (
	"math"

	"spell-lsp/runner/power"
)

// Powers are the watts of all rows. Without a fit all rows draw the same, so that energy is
// divided by CPU time.
type Powers struct {
	domains    int
	components int
	idleW      []float64 // by domain
	fit        *power.Fit
	inFit      []int    // by domain: its number in the fit, -1 if it is not in the fit
	cores      *coreFit // nil without counters of cores, or if they have a fault
	coresFault *CoresFault
	pooled     bool            // see Model.Pool
	pulls      map[int]float64 // see sequels; nil where programs have probes
	meanW      []float64       // by domain: mean power of what samples saw
	bytes      []byteCost      // by domain; nil if none depends on bytes
	// idleSD is the standard deviation, in watts by domain, that all rows have in common,
	// because the idle power is known no better.
	idleSD []float64
}

// IdleW is the power of the idle machine in all domains together.
func (w *Powers) IdleW() float64 { return sum(w.idleW) }

// Estimated says whether powers come from a fit.
func (w *Powers) Estimated() bool { return w.fit != nil }

// minPowerRatio is the least power of a row, as a part of the program's mean power: nothing
// that runs draws nothing.
const minPowerRatio = 0.02

// Watts is the power of a row in a domain. Only ratios between rows are meaningful: energy is
// scaled to the counter afterwards.
func (w *Powers) Watts(row, domain int) float64 {
	if w.fit == nil || w.inFit[domain] < 0 {
		return 1
	}
	d := w.inFit[domain]
	return max(w.estimate(row, domain).Watts, minPowerRatio*w.fit.Mean(d))
}

// solved is the row of the fit that tells the power of a row. Without occupancy all CPU time of the
// program is the scheduler's.
func (w *Powers) solved(row int) uint32 {
	if w.pooled && row < othersRow(w.components) {
		row = schedulerRow(w.components)
	}
	return uint32(row)
}

// Terms are what the power of a domain has beside the watts of rows.
func (w *Powers) Terms(domain int) power.Terms {
	if w.fit == nil || w.inFit[domain] < 0 {
		return power.Terms{}
	}
	return w.fit.Terms(w.inFit[domain])
}

// Spread is the relative standard deviation of a row's power; 0 where there is no fit.
func (w *Powers) Spread(row, domain int) float64 {
	if w.fit == nil || w.inFit[domain] < 0 {
		return 0
	}
	watts := w.Watts(row, domain)
	if watts <= 0 {
		return 1
	}
	// Without a tick it is infinite.
	sd := math.Hypot(w.estimate(row, domain).SD, w.idleSD[domain])
	if pull := w.pulls[row]; pull > 0 {
		sd = math.Hypot(sd, pull*(watts-w.meanW[domain]))
	}
	return min(maxSpread, sd/watts)
}

// maxSpread is the upper bound of Spread, for rows with next to no power.
const maxSpread = 10
