package alternatives

import (
	"math"
	"slices"
)

// A Crossing is a change of the best alternatives between two sizes.
type Crossing struct {
	From []string `json:"from"` // the best up to Low
	To   []string `json:"to"`   // the best from High on
	// Low and High are measured sizes. Between them, none or both are among the best.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// At is where the lines through the means of the first of From and of To meet, both axes logarithmic; nil if they
	// do not.
	At *float64 `json:"at,omitempty"`
}

// crossings finds where the best alternatives change. sizes are ascending.
func crossings(sizes []Size) []Crossing {
	list := []Crossing{}
	if len(sizes) == 0 {
		return list
	}
	from, start := sizes[0].Best, 0
	for i := 1; i < len(sizes); i++ {
		best := sizes[i].Best
		if both := common(from, best); len(both) > 0 {
			from = both
			continue
		}
		low := i - 1
		for low > start && len(common(sizes[low].Best, best)) > 0 {
			low--
		}
		c := Crossing{From: from, To: best, Low: sizes[low].Value, High: sizes[i].Value}
		c.At = meeting(sizes[low:i+1], from[0], best[0])
		list, from, start = append(list, c), best, i
	}
	return list
}

func common(a, b []string) (both []string) {
	for _, name := range a {
		if slices.Contains(b, name) {
			both = append(both, name)
		}
	}
	return both
}

// meeting is where a, cheaper at the first of the sizes, becomes more expensive than b.
func meeting(sizes []Size, a, b string) *float64 {
	var before, value float64
	known := false
	for i := range sizes {
		ratio, ok := sizes[i].logRatio(a, b)
		size := math.Log(sizes[i].Value)
		if !ok || math.IsInf(size, 0) || math.IsNaN(size) {
			continue
		}
		if known && value < 0 && ratio >= 0 {
			at := math.Exp(before + (size-before)*-value/(ratio-value))
			return &at
		}
		before, value, known = size, ratio, true
	}
	return nil
}

// logRatio is log(a/b) of the means of two alternatives.
func (s *Size) logRatio(a, b string) (float64, bool) {
	var of [2]float64
	for i := range s.Alternatives {
		for k, name := range []string{a, b} {
			if s.Alternatives[i].Name == name {
				of[k], _ = s.Alternatives[i].of(s.Decides)
			}
		}
	}
	return math.Log(of[0] / of[1]), of[0] > 0 && of[1] > 0
}
