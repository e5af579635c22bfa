package power

import (
	"math"
	"slices"
)

// A part holds the sums of the domains that have the same terms.
type part struct {
	domains []int
	bend    *bend // nil for the linear model
	sums    *sums
	joules  []float64 // buffer
}

// add adds a tick; occ as of sums.add.
func (p *part) add(t *Tick, occ []float64) {
	one := *t
	p.joules = p.joules[:0]
	for _, d := range p.domains {
		p.joules = append(p.joules, t.Joules[d])
	}
	one.Joules = p.joules
	if p.bend != nil {
		one = p.bend.apply(one)
	}
	p.sums.add(&one, occ)
}

// A choice is what has been chosen for each domain, from so many ticks.
type choice struct {
	ticks int
	terms []Terms
	likes []reference
}

// ChooseAgain has the next fit choose terms anew, however many ticks were added since they were chosen: so a fit does not depend on
// those before it.
func (m *Model) ChooseAgain() { m.chosen = choice{} }

// chooseAgain is by how much the number of ticks must have grown before terms are chosen anew.
const chooseAgain = 1.5

// update chooses terms from about so many ticks, unless they have just been chosen.
func (m *Model) update(most int) {
	n := len(m.first.seconds)
	if m.chosen.ticks >= chooseTicks && float64(n) < chooseAgain*float64(m.chosen.ticks) {
		return
	}
	m.chosen = choice{ticks: n}
	for d := range m.domains {
		terms, like := m.choose(d, most)
		m.chosen.terms, m.chosen.likes = append(m.chosen.terms, terms), append(m.chosen.likes, like)
	}
}

// split makes the parts: one for all domains whose model is linear, and one for each other
// domain.
func (m *Model) split() (parts []*part) {
	var linear []int
	for d, terms := range m.chosen.terms {
		if terms == (Terms{}) {
			linear = append(linear, d)
			continue
		}
		parts = append(parts, m.part([]int{d}, newBend(terms, m.chosen.likes[d], m.processors, m.others, len(m.occ))))
	}
	if len(linear) > 0 {
		parts = append(parts, m.part(linear, nil))
	}
	return parts
}

func (m *Model) part(domains []int, b *bend) *part {
	return &part{domains: domains, bend: b, sums: newSums(len(domains), m.first.medianSeconds(), chooseRows(m.occ), len(m.occ))}
}

// A fitted is the solution of a domain, with what its rows' seconds count for.
type fitted struct {
	solution
	terms     Terms
	term      []int32   // by row
	shares    []float64 // by row; nil for 1
	meanShare float64
}

func (p *part) fitted(s *sums, solved solution) fitted {
	f := fitted{solution: solved, term: slices.Clone(s.term), meanShare: s.share}
	if p.bend != nil {
		f.terms = p.bend.Terms
		f.shares, _ = p.bend.shares()
	}
	return f
}

// termsShare is the standard deviation that the terms' own errors add to the power of a row, as a
// share of it, by simulation of machines that are not linear.
const termsShare = 0.025

// estimate is the power of a row that ran, given the standard deviation of what it would draw alone.
func (f *fitted) estimate(row uint32, sd float64, own bool) Estimate {
	watts := f.watts[f.term[row]]
	if f.shares == nil {
		return Estimate{Watts: watts, SD: sd, Own: own}
	}
	share := f.shares[row]
	return Estimate{Watts: share * watts, SD: share * math.Hypot(sd, termsShare*watts), Own: own}
}
