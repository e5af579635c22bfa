package score

import (
	"math"

	"spell-lsp/spell/significance"
)

// A pairing compares a contestant with the reference, leak by leak.
type pairing struct {
	contestant           string
	better, equal, worse int     // leaks that the contestant finds earlier than the reference, ...
	exam                 float64 // mean difference of EXAM, contestant - reference: negative is better
	p                    float64 // Wilcoxon's signed-rank test of these differences; corrected by Holm's method
	effect               float64 // 0 to 1, see significance.Result.Effect
}

// pairings compares contestants with the reference. The tests of all of them are one
// family.
func pairings(trials []Trial, contestants []string, reference string) []pairing {
	var list []pairing
	var ps []float64
	for _, contestant := range contestants {
		if contestant == reference {
			continue
		}
		pair := pairing{contestant: contestant}
		var differences []float64
		for _, t := range trials {
			theirs, ok := t.Places[contestant]
			ours, both := t.Places[reference]
			if !ok || !both {
				continue
			}
			d := exam(theirs) - exam(ours)
			differences = append(differences, d)
			switch {
			case d < 0:
				pair.better++
			case d > 0:
				pair.worse++
			default:
				pair.equal++
			}
		}
		pair.exam = meanOf(differences)
		r := significance.SignedRank(differences)
		pair.effect = r.Effect()
		ps = append(ps, r.P)
		list = append(list, pair)
	}
	for i, p := range significance.Holm(ps) {
		list[i].p = p
	}
	return list
}

func meanOf(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// lead is how much better the best of the contestants is than the reference, by a measure
// of which more is better, and who that is. It is negative where the reference leads.
func lead(trials []Trial, contestants []string, reference string, of func([]Trial, string) float64) (by float64, best string) {
	by = math.Inf(-1)
	for _, contestant := range contestants {
		if contestant == reference {
			continue
		}
		if d := of(trials, contestant) - of(trials, reference); d > by {
			by, best = d, contestant
		}
	}
	return by, best
}
