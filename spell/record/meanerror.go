package record

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MeanError is the standard error of the mean of the values of rounds; 0 of fewer than two.
//
// Rounds of one node have what is peculiar to the node in common, so those of several nodes count as a
// sample of nodes: the node is a random effect of a one-way layout. Its variance is estimated from the mean
// squares between and within nodes (Searle, Casella, McCulloch: Variance Components, 1992, section 3.6). Few
// nodes say little about nodes: the error is then larger in the proportion of Student's distribution to
// the normal one, so that Normal95 of them are a 95 % interval (two nodes: about 90 %).
func MeanError(values []float64, nodes []Node) float64 {
	n := float64(len(values))
	if n < 2 {
		return 0
	}
	mean := meanOf(values)
	independent := math.Sqrt(squares(values, mean) / (n - 1) / n)
	k := float64(len(nodes))
	if k < 2 || countRounds(nodes) != len(values) {
		return independent
	}
	var between, within, sizes float64
	for rest, i := values, 0; i < len(nodes); i++ {
		of := rest[:nodes[i].Rounds]
		rest = rest[len(of):]
		size, own := float64(len(of)), meanOf(of)
		between += size * (own - mean) * (own - mean) / (k - 1)
		within += squares(of, own)
		sizes += size * size
	}
	if n > k {
		within /= n - k
	}
	typical := (n - sizes/n) / (k - 1) // rounds of a node
	ofNodes := max(0, between-within) / typical
	if ofNodes == 0 {
		return independent
	}
	few := distuv.StudentsT{Sigma: 1, Nu: k - 1}.Quantile(0.975) / Normal95
	return max(independent, few*math.Sqrt(ofNodes*sizes/(n*n)+within/n))
}

// countRounds adds up the rounds of nodes.
func countRounds(nodes []Node) (n int) {
	for _, node := range nodes {
		n += node.Rounds
	}
	return n
}

func meanOf(values []float64) (mean float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean
}

// squares is the sum of the squares of differences.
func squares(values []float64, from float64) (sum float64) {
	for _, v := range values {
		sum += (v - from) * (v - from)
	}
	return sum
}
