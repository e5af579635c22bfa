package growth

import (
	"math"
	"slices"
)

// data are points with the logarithms of their costs, and weights of their
// squared relative errors whose mean is 1.
type data struct {
	sizes  [][]float64
	logs   []float64
	weight []float64
}

// systematic is the relative error that a point keeps however often it is
// measured, so that one point with a tiny error does not decide alone.
const systematic = 0.02

// leastScatter is the relative error of a formula on a real machine at least: the first passes of a loop,
// branches that are foreseen at one size only, and caches are in no formula. Points that are nearer to one are so by chance.
// Three loops around each other were measured as n^3.1, and two as n^2.07.
const leastScatter = 0.08

func newData(points []Point) data {
	var d data
	for _, p := range points {
		noise := p.Error / p.Cost
		if p.Error == 0 && p.Calls > 0 {
			noise = systematic / math.Sqrt(p.Calls)
		}
		noise = min(noise, 10) // keeps the weights of hopeless points above 0
		d.sizes = append(d.sizes, p.Sizes)
		d.logs = append(d.logs, math.Log(p.Cost))
		d.weight = append(d.weight, 1/(systematic*systematic+noise*noise))
	}
	sum := 0.0
	for _, w := range d.weight {
		sum += w
	}
	for i := range d.weight {
		d.weight[i] *= float64(len(points)) / sum
	}
	return d
}

func (d data) without(i int) data {
	return data{
		slices.Delete(slices.Clone(d.sizes), i, i+1),
		slices.Delete(slices.Clone(d.logs), i, i+1),
		slices.Delete(slices.Clone(d.weight), i, i+1),
	}
}

// fitted is a model with its factors.
type fitted struct {
	model
	logs   []float64 // of the factors, by column; no matter where not active
	active []bool    // the factor is above 0
	rss    float64   // weighted sum of squared relative errors
	points int
}

func (f fitted) scatter() float64 {
	return math.Sqrt(f.rss / float64(max(1, f.points-f.parameters())))
}

// predict is the logarithm of the cost.
func (f fitted) predict(sizes []float64) float64 {
	sum := math.Inf(-1)
	for j, b := range f.columns {
		if f.active[j] {
			sum = addLogs(sum, f.logs[j]+b.log(sizes))
		}
	}
	return sum
}

func addLogs(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// fit is the model with the factors, none below 0, that minimise the sum of
// squared errors relative to the costs. ok is false where no factor is a
// number that can be written.
func fit(m model, d data) (f fitted, ok bool) {
	if !m.free {
		return fitFactors(m, d)
	}
	return fitFactors(m.at(minimum(func(b float64) float64 { return rssAt(m, d, b) })), d)
}

// at is a free model with its power set.
func (m model) at(b float64) model {
	m.columns = slices.Clone(m.columns)
	m.columns[len(m.columns)-1].powers[0] = b
	return m
}

func rssAt(m model, d data, b float64) float64 {
	f, ok := fitFactors(m.at(b), d)
	if !ok {
		return math.Inf(1)
	}
	return f.rss
}

// The powers that a free model may have.
const (
	leastPower = 0.1
	mostPower  = 6
)

// minimum is where f is least between leastPower and mostPower: a grid, and
// a golden-section search about its best step.
func minimum(f func(float64) float64) float64 {
	const step = 0.2
	best, least := leastPower, math.Inf(1)
	for b := leastPower; b <= mostPower; b += step {
		if v := f(b); v < least {
			best, least = b, v
		}
	}
	low, high := max(leastPower, best-step), min(mostPower, best+step)
	const golden = 0.6180339887498949
	for range 16 {
		left, right := high-golden*(high-low), low+golden*(high-low)
		if f(left) < f(right) {
			high = right
		} else {
			low = left
		}
	}
	return (low + high) / 2
}

// fitFactors tries all sets of columns that may be above 0: there are at most
// three columns.
func fitFactors(m model, d data) (best fitted, ok bool) {
	k := len(m.columns)
	columns, scale := relative(m, d)
	for set := 1; set < 1<<k; set++ {
		factors, solved := solve(columns, d.weight, set)
		if !solved {
			continue
		}
		f := fitted{model: m, logs: make([]float64, k), active: make([]bool, k), points: len(d.logs)}
		writable := true
		for j := range k {
			f.active[j] = factors[j] > 0
			if f.active[j] {
				f.logs[j] = math.Log(factors[j]) - scale[j]
				writable = writable && math.Abs(f.logs[j]) < 700
			}
		}
		for i := range d.logs {
			e := -1.0
			for j := range k {
				e += factors[j] * columns[j][i]
			}
			f.rss += d.weight[i] * e * e
		}
		if writable && (!ok || f.rss < best.rss) {
			best, ok = f, true
		}
	}
	return best, ok
}

// relative are the columns divided by the costs, and by the largest entry of
// each, whose logarithm is in scale.
func relative(m model, d data) (columns [][]float64, scale []float64) {
	for _, b := range m.columns {
		c, largest := make([]float64, len(d.logs)), math.Inf(-1)
		for i := range c {
			c[i] = b.log(d.sizes[i]) - d.logs[i]
			largest = max(largest, c[i])
		}
		for i := range c {
			c[i] = math.Exp(c[i] - largest)
		}
		columns, scale = append(columns, c), append(scale, largest)
	}
	return columns, scale
}

// solve is the least-squares solution of columns x factors = 1 in the columns
// of a set, by elimination of the normal equations; ok is false where a factor is not
// above 0 or the columns are the same to rounding.
func solve(columns [][]float64, weight []float64, set int) (factors [3]float64, ok bool) {
	var a [3][4]float64
	for j := range 3 {
		if j >= len(columns) || set&(1<<j) == 0 {
			a[j][j] = 1
			continue
		}
		for i, w := range weight {
			a[j][3] += w * columns[j][i]
			for k := range columns {
				if set&(1<<k) != 0 {
					a[j][k] += w * columns[j][i] * columns[k][i]
				}
			}
		}
	}
	for j := range 3 {
		diagonal := a[j][j]
		if !(diagonal > 1e-11) {
			return factors, false
		}
		for r := j + 1; r < 3; r++ {
			q := a[r][j] / diagonal
			for c := j; c < 4; c++ {
				a[r][c] -= q * a[j][c]
			}
		}
	}
	for j := 2; j >= 0; j-- {
		v := a[j][3]
		for c := j + 1; c < 3; c++ {
			v -= a[j][c] * factors[c]
		}
		factors[j] = v / a[j][j]
		if set&(1<<j) != 0 && !(factors[j] > 0) {
			return factors, false
		}
	}
	return factors, true
}
