package alternatives

import (
	"math"

	"spell-lsp/spell/significance"
)

// confidence is that of intervals.
const confidence = 0.95

// pairs compares all two alternatives. Without values by round, all of them are tied.
func (s *Size) pairs() []Pair {
	list, ps := []Pair{}, []float64{}
	s.Compared = true
	for i := range s.Alternatives {
		for k := i + 1; k < len(s.Alternatives); k++ {
			p := Pair{First: s.Alternatives[i].Name, Second: s.Alternatives[k].Name, P: 1, Tied: true, first: i, second: k}
			s.Compared = p.test(s, i, k) && s.Compared
			list, ps = append(list, p), append(ps, p.P)
		}
	}
	for i, corrected := range significance.Holm(ps) {
		p := &list[i]
		p.P = corrected
		p.Tied = corrected > Level || math.Abs(math.Log(p.Ratio)) < math.Log(1+MinChange)
	}
	return list
}

// test sets the ratio of two alternatives and p, not yet corrected. It is false if there are no rounds
// to test.
func (p *Pair) test(s *Size, first, second int) bool {
	a, x := s.Alternatives[first].of(s.Decides)
	b, y := s.Alternatives[second].of(s.Decides)
	p.Ratio = 1
	if a > 0 && b > 0 {
		p.Ratio = b / a
	}
	logs, ok := logRatios(x, y)
	if !ok {
		return false
	}
	p.P = significance.SignedRank(logs).P
	estimate, low, high, known := significance.HodgesLehmann(logs, confidence)
	p.Ratio = math.Exp(estimate)
	if known {
		p.CI = &[2]float64{math.Exp(low), math.Exp(high)}
	}
	return true
}

// logRatios are the logarithms of b/a by round; ok is false if they are not known of all rounds.
func logRatios(a, b []float64) (logs []float64, ok bool) {
	if len(a) != len(b) || len(a) == 0 {
		return nil, false
	}
	for i := range a {
		ratio := math.Log(b[i]) - math.Log(a[i])
		if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
			return nil, false
		}
		logs = append(logs, ratio)
	}
	return logs, true
}
