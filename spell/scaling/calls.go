package scaling

import (
	"math"

	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/record"
)

// callsOf are the growths of functions whose calls noted their sizes: one for each size that varied, as it is not
// known which sizes came together. Costs are those of outermost calls, callees included.
func callsOf(r *record.Run) (list []Growth) {
	for i := range r.Components {
		c := &r.Components[i]
		for _, s := range c.SizedCalls {
			if len(s.Buckets) < 2 {
				continue
			}
			g := Growth{
				Subject: c.ID, Component: true, Origin: Calls, Sizes: []string{s.Size},
				Quantity: alternatives.Energy, WhyTime: alternatives.WhyTime(&r.Meter), Cumulative: true, PerCall: true,
			}
			if g.WhyTime == "" && (c.BelowResolution || c.CumEnergyJ.Total() <= 0) {
				g.WhyTime = alternatives.BelowResolution
			}
			if g.WhyTime != "" {
				g.Quantity = alternatives.Time
			}
			g.fit(pointsOfCalls(s.Buckets, g.Quantity, r.Rounds))
			list = append(list, g)
		}
	}
	return list
}

// perOctave is how many points there are at most in an octave of sizes.
const perOctave = 4

// pointsOfCalls are the calls of buckets that have a cost, with their mean size; those of sizes that are near to one
// another are one point. The spread of the calls is not known, but how many there were in all rounds,
// which weighs the points. growth.Fit takes no size below 1.
func pointsOfCalls(buckets []record.SizeBucket, q alternatives.Quantity, rounds int) []Point {
	points := []Point{}
	var sizes, costs, calls, before float64 // of one point
	add := func() {
		if calls > 0 {
			points = append(points, Point{Sizes: []float64{sizes / calls}, Cost: costs / calls, Calls: calls * float64(max(1, rounds))})
		}
		sizes, costs, calls = 0, 0, 0
	}
	for _, b := range buckets {
		cost := b.CumTimeMS
		if q == alternatives.Energy {
			cost = b.CumEnergyJ.Total()
		}
		if b.Mean < 1 || b.N <= 0 || cost <= 0 {
			continue
		}
		if place := math.Floor(perOctave * math.Log2(b.Mean)); place != before {
			add()
			before = place
		}
		sizes, costs, calls = sizes+b.Mean*b.N, costs+cost, calls+b.N
	}
	add()
	return points
}
