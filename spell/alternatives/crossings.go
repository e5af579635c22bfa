package alternatives

import (
	"math"
	"slices"
)

// A Crossing is a change of the best alternatives between two sizes.
type Crossing struct {
	From []string `json:"from"` // among the best for all sizes up to Low, after the crossing before
	To   []string `json:"to"`   // for all from High on, up to the next
	// Low and High are measured sizes. Between them, none or both are among the best.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// At is where the lines through the means of the first of From and of To meet, both axes logarithmic; nil if they
	// do not.
	At *float64 `json:"at,omitempty"`
}

// A segment is a row of sizes with the same best alternatives.
type segment struct {
	start int      // index of the first size
	best  []string // of all of its sizes
}

// crossings finds where the best alternatives change. sizes are ascending. Undecided sizes are skipped. If the best
// alternatives on one side of any crossing were not measured on the other side, there are no crossings at all.
func crossings(sizes []Size) []Crossing {
	sizes = slices.DeleteFunc(slices.Clone(sizes), func(s Size) bool { return s.RoundsNeeded > 0 })
	list, segments := []Crossing{}, segmentsOf(sizes)
	for i := 1; i < len(segments); i++ {
		from, to := segments[i-1], segments[i]
		low := to.start - 1
		for low > from.start && len(common(sizes[low].Best, to.best)) > 0 {
			low--
		}
		if !sizes[low].measured(to.best) || !sizes[to.start].measured(from.best) {
			return []Crossing{}
		}
		c := Crossing{From: from.best, To: to.best, Low: sizes[low].Value, High: sizes[to.start].Value}
		c.At = meeting(sizes[low:to.start+1], from.best[0], to.best[0])
		list = append(list, c)
	}
	return list
}

// segmentsOf begins another segment where none of the best so far is among the best any more.
func segmentsOf(sizes []Size) (list []segment) {
	for i := range sizes {
		best := sizes[i].Best
		if last := len(list) - 1; last >= 0 {
			if both := common(list[last].best, best); len(both) > 0 {
				list[last].best = both
				continue
			}
		}
		list = append(list, segment{i, best})
	}
	return list
}

// measured tells whether one of the alternatives was measured with this size.
func (s *Size) measured(names []string) bool {
	return slices.ContainsFunc(s.Alternatives, func(a Alternative) bool { return slices.Contains(names, a.Name) })
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
