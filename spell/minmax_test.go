package spell

// MinMaxJaccard returns the similarity of two vectors whose values are from 0
// up: the sum of the smaller of each two values divided by the sum of the
// larger ones (thesis, eq. 9). It is from 0 to 1, and 0 if all values are 0.
// Where one vector is shorter, it has 0 from there on. On vectors of 0 and 1 it
// is Jaccard's coefficient of the two sets.
//
// The thesis compares a component with the oracle, which has the totals of all
// components, test by test. No component exceeds these: its values are the
// minima and the totals the maxima, and the coefficient is its share of the
// totals, as Phi has it. For two components it is no such share.
func MinMaxJaccard(a, b []float64) float64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	smaller, larger := make([]float64, len(b)), make([]float64, len(a))
	copy(larger, a)
	for i, y := range b {
		smaller[i], larger[i] = min(a[i], y), max(a[i], y)
	}
	return share(sumOf(smaller), sumOf(larger))
}
