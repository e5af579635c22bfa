package comparison

import (
	"cmp"
	"math"
	"slices"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/significance"
)

// compareCosts puts the higher energy first, then the longer time, then the name.
func compareCosts(energyA, energyB, timeA, timeB float64, nameA, nameB string) int {
	return cmp.Or(cmp.Compare(energyB, energyA), cmp.Compare(timeB, timeA), cmp.Compare(nameA, nameB))
}

// tests compares the tests that count in both runs: the energy that the counter gave, and
// wall time.
func (p *pair) tests(c *Comparison) {
	pairs := p.commonTests()
	c.Tests = make([]Test, len(pairs))
	energy, time := p.family("tests"), p.family("tests")
	var all, ms [2]float64
	for _, t := range pairs {
		for k := range t {
			all[k] += joules(t[k].EnergyJ, p.domains)
			ms[k] += t[k].TimeMS
		}
	}
	for i, t := range pairs {
		c.Tests[i] = Test{Name: t[1].Name, Change: change(t[0].EnergyJ, t[1].EnergyJ, t[0].TimeMS, t[1].TimeMS, p.domains)}
		var reason note.Note
		switch {
		case t[0].BelowResolution || t[1].BelowResolution:
			reason = note.BelowResolution()
		case p.smallTest(t[0], all[0], ms[0]) && p.smallTest(t[1], all[1], ms[1]):
			reason = note.TooSmall(minTestedShare)
		}
		addRounds(&c.Tests[i].Change, p.testRounds(t[0]), p.testRounds(t[1]), reason, len(p.domains) > 0, energy, time)
	}
	energy.decide()
	time.decide()
	slices.SortStableFunc(c.Tests, func(a, b Test) int {
		return compareCosts(math.Abs(a.EnergyJ.Head-a.EnergyJ.Base), math.Abs(b.EnergyJ.Head-b.EnergyJ.Base),
			math.Abs(a.TimeMS.Head-a.TimeMS.Base), math.Abs(b.TimeMS.Head-b.TimeMS.Base), a.Name, b.Name)
	})
	c.TestsOnly = TestsOnly{Base: p.base.own, Head: p.head.own, Neither: p.neither()}
}

// addRounds adds energy, if it is known, and time to their families.
func addRounds(c *Change, base, head rounds, reason note.Note, known bool, energy, time *family) {
	energy.add(known, &trial{q: &c.EnergyJ, base: base.energyJ, head: head.energyJ, apart: true, reason: reason})
	time.add(true, &trial{q: &c.TimeMS, base: base.timeMS, head: head.timeMS, apart: true, reason: reason})
}

// neither lists the tests that count in neither run because they did not pass, each once.
func (p *pair) neither() []string {
	list := append(append([]string{}, p.base.failed...), p.head.failed...)
	slices.Sort(list)
	return slices.Compact(list)
}

func (p *pair) testRounds(t *record.Test) rounds {
	return roundsOf(t.RoundEnergyJ, t.RoundTimeMS, p.domains)
}

func (p *pair) smallTest(t *record.Test, all, ms float64) bool {
	if all > 0 {
		return joules(t.EnergyJ, p.domains) < minTestedShare*all
	}
	return t.TimeMS < minTestedShare*ms || ms == 0
}

// commonTests are the tests that count in both runs, in the order of HEAD.
func (p *pair) commonTests() [][2]*record.Test {
	at := make(map[string]*record.Test)
	for i := range p.base.run.Tests {
		at[p.base.run.Tests[i].Name] = &p.base.run.Tests[i]
	}
	var list [][2]*record.Test
	for i := range p.head.run.Tests {
		if t := &p.head.run.Tests[i]; p.head.common[i] {
			list = append(list, [2]*record.Test{at[t.Name], t})
		}
	}
	return list
}

// total compares the sums over all components. If these are not of the same code, lack the
// energy of a domain, or cannot be restricted to the common tests by round, it compares the
// sums over these tests instead, if their values by round are known.
func (p *pair) total(c *Comparison) {
	a, b := p.base.sum(), p.head.sum()
	c.Total = Total{Of: OfComponents, Change: change(a.energyJ, b.energyJ, a.timeMS, b.timeMS, p.attributed), N: p.calls(a.n, b.n)}
	base, head := p.allRounds(&p.base), p.allRounds(&p.head)
	var reason note.Note
	if tests := p.commonTests(); len(tests) == 0 {
		reason = note.NoCommonTest()
	} else if reason = p.notOfComponents(a.inOtherTests || b.inOtherTests); reason.Code != "" {
		if x, y, ok := p.roundsOfTests(tests); ok {
			base, head, reason = x, y, note.Note{}
			c.Total.Of, c.Total.Change = OfTests, p.changeOfTests(tests)
		}
	}
	energy, time := p.family("totals"), p.family("totals")
	known := len(p.attributed) > 0 || c.Total.Of == OfTests && len(p.domains) > 0
	addRounds(&c.Total.Change, base, head, reason, known, energy, time)
	for _, t := range energy.trials {
		t.apart = c.Total.Of == OfTests || p.counterAgrees(t.q.Head-t.q.Base)
	}
	energy.decide()
	time.decide()
}

// notOfComponents says why the total cannot be the sum over the components; zero if it can.
func (p *pair) notOfComponents(inOtherTests bool) note.Note {
	switch {
	case slices.Contains(p.settings(), "exclude"):
		return note.ExcludesDiffer()
	case inOtherTests:
		return note.TotalRanInOtherTests()
	case len(p.testOnly()) > 0:
		return note.TotalByTestOnly()
	}
	return note.Note{}
}

// counterAgrees tells whether the energy of the tests, as read from the counter, changed
// significantly in the same direction as that of the components. The sum over components
// depends on the fitted idle power, whose error all rounds of a run share; the counter does
// not have that error. It is true if there is no counter, or no values by round.
func (p *pair) counterAgrees(change float64) bool {
	base, head, ok := p.roundsOfTests(p.commonTests())
	if !ok || base.energyJ == nil || head.energyJ == nil || commonSource(p.base.run, p.head.run) != record.Measured {
		return true
	}
	r := significance.SignedRank(p.pairing.differences(base.energyJ, head.energyJ))
	return r.P <= p.o.Level && (r.Z > 0) == (change > 0)
}

// allRounds adds up the rounds of all components.
func (p *pair) allRounds(s *restricted) rounds {
	var list []rounds
	for i := range s.run.Components {
		c := &s.run.Components[i]
		if c.RoundTimeMS == nil && c.RoundEnergyJ == nil && s.of[i].n == 0 && s.of[i].timeMS == 0 {
			continue // it did not run
		}
		list = append(list, roundsOf(c.RoundEnergyJ, c.RoundTimeMS, p.attributed))
	}
	return sumRounds(list)
}

func (p *pair) roundsOfTests(tests [][2]*record.Test) (base, head rounds, ok bool) {
	var a, b []rounds
	for _, t := range tests {
		a, b = append(a, p.testRounds(t[0])), append(b, p.testRounds(t[1]))
	}
	base, head = sumRounds(a), sumRounds(b)
	return base, head, base.timeMS != nil && head.timeMS != nil
}

func (p *pair) changeOfTests(tests [][2]*record.Test) Change {
	var used [2]record.Energy
	var ms [2]float64
	for k := range used {
		used[k] = make(record.Energy)
		for _, t := range tests {
			ms[k] += t[k].TimeMS
			for _, d := range p.domains {
				used[k][d] += t[k].EnergyJ[d]
			}
		}
	}
	return change(used[0], used[1], ms[0], ms[1], p.domains)
}
