package scaling

import "spell-lsp/spell/alternatives"

// A bucket is the outermost calls of a function whose sizes are near to one another. Costs are those of all calls
// together, callees included.
type bucket struct {
	size    float64 // the mean of the sizes
	calls   float64
	timeMS  float64
	energyJ float64
}

// pointsOfCalls is a point for each bucket that has a cost. The spread of the calls is not known, but how many
// there are, which weighs the points. growth.Fit takes no size below 1.
func pointsOfCalls(buckets []bucket, q alternatives.Quantity) []Point {
	points := []Point{}
	for _, b := range buckets {
		cost := b.timeMS
		if q == alternatives.Energy {
			cost = b.energyJ
		}
		if b.size < 1 || b.calls <= 0 || cost <= 0 {
			continue
		}
		points = append(points, Point{Sizes: []float64{b.size}, Cost: cost / b.calls, Calls: b.calls})
	}
	return points
}
