package growth

import (
	"fmt"
	"math"
)

// base is one column of a model: a product of powers of the sizes and of their
// logarithms, or 2^n.
type base struct {
	powers, logs [2]float64
	exponential  bool
}

var constant = base{}

// log is the natural logarithm of the base at some sizes, -Inf where it is 0.
func (b base) log(sizes []float64) float64 {
	if b.exponential {
		return sizes[0] * math.Ln2
	}
	sum := 0.0
	for k, n := range sizes {
		if b.powers[k] != 0 {
			sum += b.powers[k] * math.Log(n)
		}
		if b.logs[k] != 0 {
			sum += b.logs[k] * math.Log(math.Log2(n))
		}
	}
	return sum
}

// model is a formula without its factors. In a free one the power of the last
// column is fitted, too.
type model struct {
	text    string
	columns []base
	free    bool
}

func (m model) parameters() int {
	if m.free {
		return len(m.columns) + 1
	}
	return len(m.columns)
}

func power(n, m float64) base { return base{powers: [2]float64{n, m}} }

// models are all candidates, each with and without a constant.
func models(dims int) []model {
	growing := []model{
		{"log n", []base{{logs: [2]float64{1}}}, false},
		{"n", []base{power(1, 0)}, false},
		{"n log n", []base{{powers: [2]float64{1}, logs: [2]float64{1}}}, false},
		{"n^2", []base{power(2, 0)}, false},
		{"n^3", []base{power(3, 0)}, false},
		{"2^n", []base{{exponential: true}}, false},
		{"n^b", []base{power(1, 0)}, true},
	}
	if dims == 2 {
		growing = append(growing[:5:5],
			model{"log m", []base{{logs: [2]float64{0, 1}}}, false},
			model{"m", []base{power(0, 1)}, false},
			model{"m log m", []base{{powers: [2]float64{0, 1}, logs: [2]float64{0, 1}}}, false},
			model{"m^2", []base{power(0, 2)}, false},
			model{"m^3", []base{power(0, 3)}, false},
			model{"n*m", []base{power(1, 1)}, false},
			model{"n + m", []base{power(1, 0), power(0, 1)}, false},
			model{"n log m", []base{{powers: [2]float64{1}, logs: [2]float64{0, 1}}}, false},
			model{"m log n", []base{{powers: [2]float64{0, 1}, logs: [2]float64{1}}}, false},
			model{"n^2*m", []base{power(2, 1)}, false},
			model{"n*m^2", []base{power(1, 2)}, false},
		)
	}
	all := []model{{"constant", []base{constant}, false}}
	for _, m := range growing {
		all = append(all, m, model{m.text, append([]base{constant}, m.columns...), m.free})
	}
	return all
}

// name is that of the model, with the fitted power.
func (f fitted) name() string {
	if !f.free {
		return f.text
	}
	return fmt.Sprintf("n^%.2f", f.columns[len(f.columns)-1].powers[0])
}
