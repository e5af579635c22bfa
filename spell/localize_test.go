package spell

import "cmp"

// A Localization says how well a ranking finds what is known to be at fault,
// for a reader who goes through it from the top, and through components of equal
// score in any order: the values are expected ones (Pearson et al., "Evaluating
// and Improving Fault Localization", ICSE 2017).
type Localization struct {
	FirstRank        float64 // of the first guilty component, from 1; the mean over the order of ties, for one guilty component the mean rank of the tie
	Exam             float64 // share of the components that are read before it, from 0 to below 1
	WastedEffort     float64 // innocent components that are read before a guilty one, the mean over the guilty ones
	Top1, Top3, Top5 bool    // FirstRank is up to 1, 3, 5
}

// Localize evaluates scores, one for each component, the highest first; one that
// is not a number counts as the lowest. guilty are indices into scores; others
// and repeated ones do not count. Without a guilty component everything is read
// in vain: Exam is 1, WastedEffort all components and FirstRank one more.
func Localize(scores []float64, guilty []int) Localization {
	isGuilty := make([]bool, len(scores))
	for _, j := range guilty {
		if j >= 0 && j < len(scores) {
			isGuilty[j] = true
		}
	}
	var wasted float64
	var found int
	n := float64(len(scores))
	first := n + 1
	for j, is := range isGuilty {
		if !is {
			continue
		}
		s := standingOf(scores, isGuilty, scores[j])
		wasted += s.innocentAbove + s.innocentTied/2
		found++
		first = min(first, s.innocentAbove+s.innocentTied/(s.guiltyTied+1)+1)
	}
	if found == 0 {
		return Localization{FirstRank: n + 1, Exam: 1, WastedEffort: n}
	}
	return Localization{
		FirstRank: first, Exam: (first - 1) / n, WastedEffort: wasted / float64(found),
		Top1: first <= 1, Top3: first <= 3, Top5: first <= 5,
	}
}

// A standing counts components beside a score.
type standing struct{ innocentAbove, innocentTied, guiltyTied float64 }

func standingOf(scores []float64, guilty []bool, score float64) standing {
	var s standing
	for j, other := range scores {
		switch order := cmp.Compare(other, score); {
		case order > 0 && !guilty[j]:
			s.innocentAbove++
		case order == 0 && guilty[j]:
			s.guiltyTied++
		case order == 0:
			s.innocentTied++
		}
	}
	return s
}
