package calm

import (
	"cmp"
	"math"
	"slices"

	"spell-lsp/spell/correlation"
	"spell-lsp/spell/significance"
)

// A view turns the trace of a round into series of values, of each of which the distribution is
// compared.
type view func(Round) [][]float64

// overTime is the mean over the cores at each reading.
func overTime(r Round) [][]float64 {
	var means []float64
	for _, row := range r.Trace {
		if on := known(row); len(on) > 0 {
			mean, _ := moments(on)
			means = append(means, mean)
		}
	}
	return [][]float64{means}
}

// overCores is, at each reading, the highest value of all cores, the second highest and so on: a
// program that the scheduler moves from one core to another is distributed as before.
func overCores(r Round) [][]float64 {
	var ranks [][]float64
	for _, row := range r.Trace {
		on := known(row)
		slices.SortFunc(on, func(a, b float64) int { return cmp.Compare(b, a) })
		for i, v := range on {
			if i == len(ranks) {
				ranks = append(ranks, nil)
			}
			ranks[i] = append(ranks[i], v)
		}
	}
	return ranks
}

// known are the values of cores that are on.
func known(row []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(row), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// correspondence compares each measured round with the plain ones, and each plain one with the
// other plain ones, and takes the medians. Where plain rounds do not correspond with each other,
// it says nothing that a measured one does not either.
func correspondence(plain, measured []Round, of view) Correspondence {
	c := Correspondence{Verdict: Undecided}
	b := binsOf(series(of, plain...), series(of, measured...))
	if b == nil {
		return c
	}
	var rs, own []float64
	for _, m := range measured {
		if r, ok := b.correlate(series(of, plain...), of(m)); ok {
			rs = append(rs, r)
		}
	}
	for i := range plain {
		others := slices.Delete(slices.Clone(plain), i, i+1)
		if r, ok := b.correlate(series(of, others...), of(plain[i])); ok {
			own = append(own, r)
		}
	}
	if len(rs) == 0 {
		return c
	}
	c.R, c.Own = significance.Median(rs), significance.Median(own)
	switch {
	case c.R >= MinCorrespondence:
		c.Verdict = Calm
	case len(own) >= leastPairs && c.Own >= MinCorrespondence:
		c.Verdict = Disturbed
	}
	return c
}

// series joins the series of several rounds, one by one.
func series(of view, rounds ...Round) [][]float64 {
	var joined [][]float64
	for _, r := range rounds {
		for i, values := range of(r) {
			if i == len(joined) {
				joined = append(joined, nil)
			}
			joined[i] = append(joined[i], values...)
		}
	}
	return joined
}

// bins divide the range of values into equal parts.
type bins struct {
	low, width float64
	count      int
}

const maxBins = 256

// binsOf chooses bins for two sides by the rule of Freedman and Diaconis (1981): twice the
// interquartile range of all values, divided by the cube root of their number. Frequencies often
// have one value for more than half of the time: then the range is divided into as many parts as
// Rice's rule has, twice that root. There are none if a side has too few values.
func binsOf(a, b [][]float64) *bins {
	left, right := slices.Concat(a...), slices.Concat(b...)
	if len(left) < leastValues || len(right) < leastValues {
		return nil
	}
	values := slices.Sorted(slices.Values(append(left, right...)))
	n := len(values)
	low, reach := values[0], values[n-1]-values[0]
	if math.IsInf(reach, 0) {
		return nil
	}
	root := math.Cbrt(float64(n))
	width := 2 * (values[3*n/4] - values[n/4]) / root
	if width <= 0 {
		width = reach / math.Ceil(2*root)
	}
	if width <= 0 || reach <= 0 {
		return &bins{low, 1, 1} // there is one value
	}
	count := int(min(maxBins, math.Floor(reach/width)+1))
	return &bins{low, reach / float64(count), count}
}

// correlate is the correlation of the shares of the bins in two distributions: of each series
// the share of its values in each bin. Those of one value throughout are alike.
func (b *bins) correlate(x, y [][]float64) (r float64, ok bool) {
	n := max(len(x), len(y))
	if n == 0 || len(slices.Concat(x...)) == 0 || len(slices.Concat(y...)) == 0 {
		return 0, false
	}
	left, right := b.shares(x, n), b.shares(y, n)
	if slices.Equal(left, right) {
		return 1, true
	}
	return correlation.Pearson(left, right)
}

// shares are those of n series, one series after the other.
func (b *bins) shares(list [][]float64, n int) []float64 {
	shares := make([]float64, n*b.count)
	for i, values := range list {
		for _, v := range values {
			bin := int(max(0, min(float64(b.count-1), (v-b.low)/b.width)))
			shares[i*b.count+bin]++
		}
		for bin := range b.count {
			shares[i*b.count+bin] /= float64(max(1, len(values)))
		}
	}
	return shares
}
