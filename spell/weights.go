package spell

import "math"

// Weights say how much a joule of each domain counts in psi. A domain that is
// not in the map has weight 0. Only their proportions matter.
type Weights map[Domain]float64

// DefaultWeights returns those of the paper's Table 1, and 0.01 for Net. The
// map is the caller's.
func DefaultWeights() Weights {
	return Weights{CPU: 0.34, DRAM: 0.01, Fans: 0.01, Disk: 0.02, GPU: 0.62, Net: 0.01}
}

// maxWeight, as MaxValue, keeps products within float64.
const maxWeight = 1e30

func validWeight(w float64) bool { return w >= 0 && w <= maxWeight && !math.IsNaN(w) }

// vector returns the weights in the order of domains.
func (w Weights) vector(domains []Domain) []float64 {
	v := make([]float64, len(domains))
	for i, d := range domains {
		v[i] = w[d]
	}
	return v
}
