package comparison

import (
	"math"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// components compares the components of both runs and lists the others.
func (p *pair) components(c *Comparison) {
	c.Components = make([]Component, len(p.matched))
	energy, time := p.family("components"), p.family("components")
	alone := [2]*family{p.family("components"), p.family("components")}
	all := [2]amounts{p.base.sum(), p.head.sum()}
	for i, m := range p.matched {
		c.Components[i] = p.component(m)
		if c.Components[i].ID == p.o.Component {
			p.addTrials(&c.Components[i], m, all, alone[0], alone[1])
			continue
		}
		p.addTrials(&c.Components[i], m, all, energy, time)
	}
	for _, f := range []*family{energy, time, alone[0], alone[1]} {
		f.decide()
	}
	notes := make(map[string]*note.Note)
	for i := range c.Components {
		c.Components[i].BodyNote = c.Components[i].bodyNote(notes)
	}
	sortComponents(c.Components, len(p.attributed) > 0)
	c.Removed, c.Added = p.only()
}

func (p *pair) component(m match) Component {
	base, head := &p.base.run.Components[m.base], &p.head.run.Components[m.head]
	a, b := &p.base.of[m.base], &p.head.of[m.head]
	before, now := &p.base.ranked[m.base], &p.head.ranked[m.head]
	c := Component{
		ID: head.ID, Match: m.how, Body: body(base, head), Kind: head.Kind, Package: head.Package, File: head.File, Line: head.Line,
		Change: change(a.energyJ, b.energyJ, a.timeMS, b.timeMS, p.attributed),
		N:      p.calls(a.n, b.n), Psi: newAmount(before.psi, now.psi), PsiApart: p.sameAnalysis() && before.apart(now),
		BaseZone: before.zone, HeadZone: now.zone, BaseRank: before.rank, HeadRank: now.rank,
		BelowResolution: base.BelowResolution || head.BelowResolution, Restricted: a.inOtherTests || b.inOtherTests,
	}
	if base.ID != head.ID {
		c.BaseID = base.ID
	}
	return c
}

// calls compares numbers of calls; it is none where one run did not count them.
func (p *pair) calls(base, head float64) Amount {
	if !p.base.run.CallsCounted() || !p.head.run.CallsCounted() {
		return newAmount(0, 0)
	}
	return newAmount(base, head)
}

// change has the values of both runs, without verdicts.
func change(base, head record.Energy, baseMS, headMS float64, domains []spell.Domain) Change {
	c := Change{
		EnergyJ:  Quantity{Amount: newAmount(joules(base, domains), joules(head, domains))},
		TimeMS:   Quantity{Amount: newAmount(baseMS, headMS)},
		ByDomain: make(map[spell.Domain]Amount, len(domains)),
	}
	for _, d := range domains {
		c.ByDomain[d] = newAmount(base[d], head[d])
	}
	c.setRatios(len(domains) > 0)
	return c
}

// addTrials adds energy and time of a component to their families.
func (p *pair) addTrials(c *Component, m match, all [2]amounts, energy, time *family) {
	base, head := &p.base.run.Components[m.base], &p.head.run.Components[m.head]
	x, y := roundsOf(base.RoundEnergyJ, base.RoundTimeMS, p.attributed), roundsOf(head.RoundEnergyJ, head.RoundTimeMS, p.attributed)
	var reason note.Note
	switch {
	case c.BelowResolution:
		reason = note.BelowResolution()
	case p.small(&p.base.of[m.base], &all[0]) && p.small(&p.head.of[m.head], &all[1]):
		reason = note.TooSmall(minTestedShare)
	case p.short(m):
		reason = note.TooShort(record.MinSamples * max(p.base.run.SamplePeriodMS(), p.head.run.SamplePeriodMS()))
	case c.Restricted:
		reason = note.RanInOtherTests()
	}
	minSpread := [2]float64{sampling(&p.base, m.base), sampling(&p.head, m.head)}
	powerHalfWidth, apart := p.powerError(base, head)
	energy.add(len(p.attributed) > 0, &trial{q: &c.EnergyJ, base: x.energyJ, head: y.energyJ, minSpread: minSpread, powerHalfWidth: powerHalfWidth, apart: apart, reason: reason})
	time.add(true, &trial{q: &c.TimeMS, base: x.timeMS, head: y.timeMS, minSpread: minSpread, apart: true, reason: reason})
}

// add adds a trial, if the quantity is known.
func (f *family) add(known bool, t *trial) {
	if !known {
		t.q.Verdict, t.q.Why = Undecided, f.reasons.of(note.EnergyNotKnown())
		return
	}
	f.trials = append(f.trials, t)
}

// small tells whether a component uses too little of its run to be tested.
func (p *pair) small(a, all *amounts) bool {
	if whole := joules(all.energyJ, p.attributed); whole > 0 {
		return joules(a.energyJ, p.attributed) < minTestedShare*whole
	}
	return a.timeMS < minTestedShare*all.timeMS || all.timeMS == 0
}

// sampling is the relative standard deviation of a time that was sampled: that of the number
// of samples (Poisson). A record does not tell which components were sampled, so this holds
// for all.
func sampling(s *restricted, component int) float64 {
	if ms := s.of[component].sampledMS; ms > 0 && !s.run.Meter.OfMatrix() {
		return math.Sqrt(s.run.SamplePeriodMS() / ms)
	}
	return 0
}

// short tells whether neither run can have enough samples of a component.
func (p *pair) short(m match) bool {
	most := max(p.base.of[m.base].sampledMS/p.base.run.SamplePeriodMS(), p.head.of[m.head].sampledMS/p.head.run.SamplePeriodMS())
	return most < record.MinSamples && !p.head.run.Meter.OfMatrix()
}

// powerError returns half of the 95 % interval of head - base from the uncertainty of the
// powers, in joules, and whether the energies differ by more than their intervals explain.
// Errors of the domains are added, as if they were fully correlated: an upper bound.
func (p *pair) powerError(base, head *record.Component) (half float64, apart bool) {
	var whole, change float64
	for _, d := range p.attributed {
		change += head.EnergyJ[d] - base.EnergyJ[d]
		a, known := base.EnergyCI[d]
		b, alsoKnown := head.EnergyCI[d]
		if !known || !alsoKnown {
			continue
		}
		x, y := a[1]-base.EnergyJ[d], b[1]-head.EnergyJ[d]
		powers := record.Normal95 * math.Hypot(
			record.PowerError(base.EnergyJ[d], a, base.RoundEnergyJ[d], p.base.run.Nodes),
			record.PowerError(head.EnergyJ[d], b, head.RoundEnergyJ[d], p.head.run.Nodes))
		half += powers
		if whole += math.Hypot(x, y); p.pairing.rounds != nil { // what differs between nodes cancels out
			whole += powers - math.Hypot(x, y)
		}
	}
	if len(p.attributed) == 1 && p.pairing.rounds == nil {
		return half, base.Apart(head, p.attributed[0])
	}
	return half, whole == 0 || math.Abs(change) > whole
}

// bodyNote says how the body relates to the verdict; nil if there is nothing to say. Equal
// notes are one, by what became of the costs ("" = the body changed).
func (c *Component) bodyNote(notes map[string]*note.Note) *note.Note {
	verdict := c.EnergyJ.Verdict
	if verdict != Better && verdict != Worse {
		verdict = c.TimeMS.Verdict
	}
	became := map[Verdict]string{Better: "cheaper", Worse: "dearer"}[verdict]
	switch {
	case c.Body == ChangedBody:
		became = ""
	case became == "" || c.Body == UnknownBody:
		return nil
	}
	if notes[became] == nil {
		n := note.BodyChanged()
		if became != "" {
			n = note.SameBody(became)
		}
		notes[became] = &n
	}
	return notes[became]
}

// only lists the components that only one run has, the costliest first.
func (p *pair) only() (base, head []Only) {
	inBase, inHead := make(map[int]bool), make(map[int]bool)
	for _, m := range p.matched {
		inBase[m.base], inHead[m.head] = true, true
	}
	return p.missing(&p.base, inBase), p.missing(&p.head, inHead)
}

func (p *pair) missing(s *restricted, matched map[int]bool) []Only {
	list := []Only{}
	for i := range s.run.Components {
		if c, a := &s.run.Components[i], &s.of[i]; !matched[i] {
			list = append(list, Only{ID: c.ID, File: c.File, Line: c.Line, EnergyJ: joules(a.energyJ, p.attributed), TimeMS: a.timeMS, N: a.n, Zone: s.ranked[i].zone})
		}
	}
	slices.SortStableFunc(list, func(a, b Only) int { return compareCosts(a.EnergyJ, b.EnergyJ, a.TimeMS, b.TimeMS, a.ID, b.ID) })
	return list
}
