package record

import (
	"math"
	"slices"

	"spell-lsp/spell"
)

// A Power is what a component draws while it runs: energy per second of its own running time, on
// one thread. The zero value is of a component whose power is not known.
type Power struct {
	Watts     float64
	Low, High float64 // 95 % interval, from that of the energy; both 0 where it is not known
	// Ratio is Watts by the mean of all components over their running time.
	Ratio float64
}

// sameWatts is the relative difference up to which powers count as one: energy that is divided by
// running time gives the same to all.
const sameWatts = 1e-3

// Powers are the powers of all components, in the domains that are measured and follow running time;
// nil where there are none, where a matrix of another tool is all that is known, or where all components draw
// the same, because energy was divided by running time.
func (r *Run) Powers() []Power {
	if r.Meter.Source != Measured || !r.OfProgram() {
		return nil
	}
	domains := slices.DeleteFunc(slices.Clone(r.Matrix.Domains), spell.Domain.OfBytes)
	powers := make([]Power, len(r.Components))
	var joules, ms float64
	least, most := math.Inf(1), 0.0
	for i := range r.Components {
		c := &r.Components[i]
		energy, low, high := sumOf(c, domains)
		if c.TimeMS <= 0 || energy <= 0 {
			continue
		}
		perSecond := 1e3 / c.TimeMS
		powers[i] = Power{Watts: energy * perSecond, Low: low * perSecond, High: high * perSecond}
		least, most = min(least, powers[i].Watts), max(most, powers[i].Watts)
		joules, ms = joules+energy, ms+c.TimeMS
	}
	if most <= least*(1+sameWatts) {
		return nil
	}
	for i := range powers {
		powers[i].Ratio = powers[i].Watts * ms / joules / 1e3
	}
	return powers
}

// sumOf adds up the energy of a component in some domains, and its interval.
func sumOf(c *Component, domains []spell.Domain) (joules, low, high float64) {
	known := false
	for _, d := range domains {
		ci, ok := c.EnergyCI[d]
		if !ok {
			ci = [2]float64{c.EnergyJ[d], c.EnergyJ[d]}
		}
		known = known || ok
		joules, low, high = joules+c.EnergyJ[d], low+ci[0], high+ci[1]
	}
	if !known {
		return joules, 0, 0
	}
	return joules, low, high
}
