package bisection

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// A test decides whether values lie above or below 0, and looks at them again and again while
// they come in. It is Student's t-test of the trimmed mean (Tukey and McLaughlin 1963, Yuen 1974),
// which a few cycles with another program on the machine do not spoil.
type test struct {
	level        float64 // the largest chance of a wrong decision, in all looks together
	fewest, most int     // values
	values       []float64
	look, at     int // the number of the next look, and of the values at which it is
}

func newTest(level float64, fewest, most int) *test {
	return &test{level: level, fewest: fewest, most: max(fewest, most), look: 1, at: fewest}
}

func (t *test) cycles() int { return len(t.values) }

func (t *test) over() bool { return len(t.values) >= t.most }

// add adds a value. It returns 1 if the values are above 0, -1 if they are below, and 0 if that
// is not known, or it is not the time to look.
func (t *test) add(value float64) int {
	t.values = append(t.values, value)
	if len(t.values) < t.at && !t.over() {
		return 0
	}
	level := t.level / float64(t.look*(t.look+1))
	t.look++
	t.at = len(t.values) + len(t.values)/2
	mean, se, freedom := t.mean()
	if twoSided(mean, se, freedom) > level {
		return 0
	}
	if mean > 0 {
		return 1
	}
	return -1
}

// trimmed is the part of the values that is left out at either end.
const trimmed = 8

// mean has the trimmed mean of the values, its standard error and the degrees of freedom.
func (t *test) mean() (mean, se, freedom float64) {
	n := len(t.values)
	out := n / trimmed
	sorted := slices.Sorted(slices.Values(t.values))
	kept := sorted[out : n-out]
	for _, v := range kept {
		mean += v / float64(len(kept))
	}
	center := 0.0
	for i := range sorted { // what is left out counts as the nearest that is kept
		sorted[i] = min(max(sorted[i], kept[0]), kept[len(kept)-1])
		center += sorted[i] / float64(n)
	}
	for _, v := range sorted {
		se = math.Hypot(se, v-center)
	}
	freedom = float64(len(kept) - 1)
	return mean, se / math.Sqrt(float64(len(kept))*freedom), freedom
}

// twoSided is the chance of a mean that is as far from 0 or further, of values around 0.
func twoSided(mean, se, freedom float64) float64 {
	switch {
	case mean == 0:
		return 1
	case se == 0:
		return 0
	}
	return 2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.Survival(math.Abs(mean)/se)
}

// halfWidth is half of the 95 % interval of the mean.
func (t *test) halfWidth() float64 {
	_, se, freedom := t.mean()
	return se * distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(0.975)
}

// change is the relative change that the values, which are logarithms, show.
func (t *test) change() Change {
	mean, _, _ := t.mean()
	half := t.halfWidth()
	return Change{Change: math.Expm1(mean), CI: [2]float64{math.Expm1(mean - half), math.Expm1(mean + half)}}
}
