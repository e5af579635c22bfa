package attribution

import (
	"math"

	"spell-lsp/runner/power"
	"spell-lsp/spell"
)

// Powers are the watts of everything that runs. Without a fit all draw the same,
// so that energy is shared by CPU time.
type Powers struct {
	domains int
	idleW   []float64 // by domain
	fit     *power.Fit
	inFit   []int // by domain: which of the fit's it is, -1 for none
	// testOnly says by domain that its energy is not shared among what ran; nil stands
	// for none.
	testOnly []bool
	// idleSD is by how much all rows' watts are off together, by domain, because the
	// idle machine's are.
	idleSD []float64
}

// testOnly marks the domains whose energy is known by test only. It comes from bytes
// moved, which are counted for the program as a whole: CPU time does not tell which
// function moved them.
func testOnly(domains []spell.Domain) []bool {
	list := make([]bool, len(domains))
	for d, domain := range domains {
		list[d] = domain.OfBytes()
	}
	return list
}

// IdleW is the power of the idle machine in all domains together.
func (w *Powers) IdleW() float64 { return sum(w.idleW) }

// Estimated says whether powers are estimates of a model. Otherwise all draw the same.
func (w *Powers) Estimated() bool { return w.fit != nil }

// minPowerRatio is the least power of what runs, as a part of the program's mean:
// nothing that runs draws nothing.
const minPowerRatio = 0.02

// Watts is the power of a row in a domain; only how rows compare matters.
func (w *Powers) Watts(row, domain int) float64 {
	if w.fit == nil || w.inFit[domain] < 0 {
		return 1
	}
	d := w.inFit[domain]
	return max(w.fit.Watts(uint32(row), d).Watts, minPowerRatio*w.fit.Mean(d))
}

// Spread is the standard deviation of a row's power, as a part of it; 0 where the
// power is no estimate.
func (w *Powers) Spread(row, domain int) float64 {
	if w.fit == nil || w.inFit[domain] < 0 {
		return 0
	}
	watts := w.Watts(row, domain)
	if watts <= 0 {
		return 1
	}
	// Without a tick it is infinite.
	sd := math.Hypot(w.fit.Watts(uint32(row), w.inFit[domain]).SD, w.idleSD[domain])
	return min(maxSpread, sd/watts)
}

// maxSpread bounds what is said of powers that are next to nothing.
const maxSpread = 10
