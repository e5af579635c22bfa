package spell

import (
	"cmp"
	"math"
	"slices"
)

// A Coefficient says how suspicious a component is of what made tests fail, from
// which tests passed, which failed, and which of them ran it. All are from 0 to
// 1, and 0 where they would divide 0 by 0.
type Coefficient string

// The coefficients. The empty one, and any that is not known, is Ochiai.
const (
	// Ochiai is ef / sqrt((ef + nf) (ef + ep)): Abreu, Zoeteweij and van Gemund,
	// "An Evaluation of Similarity Coefficients for Software Fault
	// Localization", PRDC 2006.
	Ochiai Coefficient = "ochiai"
	// Tarantula is the share of failed tests that ran the component, divided by
	// the sum of it and of that of the passed: Jones and Harrold, "Empirical
	// Evaluation of the Tarantula Automatic Fault-Localization Technique", ASE
	// 2005.
	Tarantula Coefficient = "tarantula"
	// JaccardCoefficient is ef / (ef + nf + ep): Chen, Kiciman, Fratkin, Fox and
	// Brewer, "Pinpoint: Problem Determination in Large, Dynamic Internet
	// Services", DSN 2002. It is the thesis' min/max coefficient between the tests that ran the
	// component and the tests that failed.
	JaccardCoefficient Coefficient = "jaccard"
)

// Coefficients lists every known coefficient.
func Coefficients() []Coefficient { return []Coefficient{Ochiai, Tarantula, JaccardCoefficient} }

// A Suspect is a component with how suspicious it is. The four numbers of tests
// are ef, ep, nf and np in the literature; they add up to all tests.
type Suspect struct {
	Component int     // index into Matrix.Components
	Rank      int     // from 1; equal scores have an equal rank, and the next one is as much higher
	Score     float64 // from 0 to 1
	Tied      bool    // another component has the same score

	ExecutedFailed, ExecutedPassed       int // tests that ran the component
	NotExecutedFailed, NotExecutedPassed int // tests that did not
}

// Suspects ranks all components of m by a coefficient, the most suspicious first;
// where it is the same, by package and ID. A test ran a component if it has
// a cell of it with N or time above 0. failed says which tests failed, by index;
// those behind its end passed. Tests that ran nothing count.
func Suspects(m *Matrix, failed []bool, c Coefficient) []Suspect {
	list := make([]Suspect, len(m.Components))
	for j := range list {
		list[j].Component = j
	}
	for i := range m.Cells {
		if cell := &m.Cells[i]; cell.active() {
			list[cell.Component].ran(fails(failed, int(cell.Test)))
		}
	}
	allFailed := failures(failed, len(m.Tests))
	for j := range list {
		list[j].rest(allFailed, len(m.Tests)-allFailed)
		list[j].Score = c.of(&list[j])
	}
	slices.SortFunc(list, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), m.inOrder(a.Component, b.Component))
	})
	rankInOrder(list)
	return list
}

func fails(failed []bool, test int) bool { return test < len(failed) && failed[test] }

func failures(failed []bool, tests int) int {
	n := 0
	for t := range tests {
		if fails(failed, t) {
			n++
		}
	}
	return n
}

func (s *Suspect) ran(failed bool) {
	if failed {
		s.ExecutedFailed++
	} else {
		s.ExecutedPassed++
	}
}

func (s *Suspect) rest(failed, passed int) {
	s.NotExecutedFailed, s.NotExecutedPassed = failed-s.ExecutedFailed, passed-s.ExecutedPassed
}

// of is the coefficient. It divides one whole number by another, so that
// components with equal scores are equal to the last bit.
func (c Coefficient) of(s *Suspect) float64 {
	ef, ep := float64(s.ExecutedFailed), float64(s.ExecutedPassed)
	failed, passed := ef+float64(s.NotExecutedFailed), ep+float64(s.NotExecutedPassed)
	switch c {
	case Tarantula:
		a, b := ef*max(1, passed), ep*failed // without passed tests ep is 0
		return share(a, a+b)
	case JaccardCoefficient:
		return share(ef, failed+ep)
	default:
		return math.Sqrt(share(ef*ef, failed*(ef+ep)))
	}
}

func (m *Matrix) inOrder(i, j int) int {
	a, b := &m.Components[i], &m.Components[j]
	return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.ID, b.ID))
}

// rankInOrder sets ranks and ties of a sorted list.
func rankInOrder(list []Suspect) {
	for i := range list {
		list[i].Rank = i + 1
		if i > 0 && list[i].Score == list[i-1].Score {
			list[i].Rank = list[i-1].Rank
			list[i].Tied, list[i-1].Tied = true, true
		}
	}
}
