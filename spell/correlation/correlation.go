// Package correlation tells how far two series of numbers rise and fall
// together: those of two runs, or one series and the order in which it was
// measured.
package correlation

import (
	"math"
	"slices"

	"spell-lsp/spell/significance"
)

// Pearson is the linear correlation of x and y, -1 to 1: their covariance
// divided by the product of their standard deviations (Pearson 1895). ok is
// false where it is not defined: the series differ in length, have fewer than
// two values, one of them has the same value throughout, or a value is no
// finite number.
func Pearson(x, y []float64) (r float64, ok bool) {
	if len(x) != len(y) || len(x) < 2 {
		return 0, false
	}
	dx, okX := deviations(x)
	dy, okY := deviations(y)
	if !okX || !okY {
		return 0, false
	}
	var xx, yy, xy float64
	for i := range dx {
		xx += float64(dx[i] * dx[i])
		yy += float64(dy[i] * dy[i])
		xy += float64(dx[i] * dy[i])
	}
	return max(-1, min(1, xy/(math.Sqrt(xx)*math.Sqrt(yy)))), true
}

// deviations are those from the mean, as a share of the largest, so that no
// square of them overflows or vanishes.
func deviations(x []float64) (d []float64, ok bool) {
	if slices.ContainsFunc(x, notFinite) || slices.Max(x) == slices.Min(x) {
		return nil, false
	}
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	d, largest := make([]float64, len(x)), 0.0
	for i, v := range x {
		d[i] = v/2 - mean/2 // halves: the difference of two large numbers may be too large
		largest = max(largest, math.Abs(d[i]))
	}
	for i := range d {
		d[i] /= largest
	}
	return d, largest > 0
}

func notFinite(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) }

// Spearman is the correlation of the ranks of x and y, -1 to 1: 1 where y never
// falls as x rises, whatever the steps. Equal values share the mean of their
// ranks (Spearman 1904; Kendall, Rank Correlation Methods, chapter 3). ok is
// false where Pearson's is.
func Spearman(x, y []float64) (rho float64, ok bool) {
	if slices.ContainsFunc(x, notFinite) || slices.ContainsFunc(y, notFinite) {
		return 0, false
	}
	return Pearson(significance.Ranks(x), significance.Ranks(y))
}

// Drift is Spearman's correlation of a series and its index: above 0 where it
// rises from round to round, as on a machine that gets hot. Of three values,
// one order in three drifts by 1 or -1 by chance: it takes ten or so to tell.
// ok is false where Pearson's is.
func Drift(series []float64) (rho float64, ok bool) {
	index := make([]float64, len(series))
	for i := range index {
		index[i] = float64(i)
	}
	return Spearman(index, series)
}

// SpearmanInterval is the 95 % interval of Spearman's correlation of n pairs: Fisher's z with the
// variance (1 + rho²/2) / (n - 3) (Bonett and Wright 2000). Of fewer than four pairs it is -1 to 1.
func SpearmanInterval(rho float64, n int) (low, high float64) {
	const normal = 1.959963984540054 // 97.5 % of the normal distribution lie below
	if n < 4 {
		return -1, 1
	}
	z, half := math.Atanh(rho), normal*math.Sqrt((1+rho*rho/2)/float64(n-3))
	return math.Tanh(z - half), math.Tanh(z + half)
}
