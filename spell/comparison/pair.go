package comparison

import (
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A pair is two runs while they are compared.
type pair struct {
	base, head restricted
	o          Options
	machine    machine
	pairing    pairing
	domains    []spell.Domain // with energy in both
	attributed []spell.Domain // domains with energy by component in both
	matched    []match
}

// restricted is a run, restricted to the tests that count in both runs.
type restricted struct {
	run    *record.Run
	common []bool   // by test
	own    []string // tests that count in this run and not in the other
	failed []string // tests that count in neither, and did not pass in this run
	of     []amounts
	ranked []standing
}

// amounts are the values of a component over the common tests.
type amounts struct {
	n, timeMS    float64
	energyJ      record.Energy // by domain of the run
	sampledMS    float64       // running time over all rounds and repetitions
	inOtherTests bool          // it ran in other tests too
}

func newPair(base, head *record.Run, o Options) *pair {
	p := &pair{o: o, machine: machineOf(base, head), pairing: pairingOf(base, head), domains: []spell.Domain{}, attributed: []spell.Domain{}}
	for _, d := range spell.Domains() {
		if base.Meter.KnowsEnergy() && head.Meter.KnowsEnergy() && slices.Contains(base.Meter.Domains, d) && slices.Contains(head.Meter.Domains, d) {
			p.domains = append(p.domains, d)
			if slices.Contains(base.Matrix.Domains, d) && slices.Contains(head.Matrix.Domains, d) {
				p.attributed = append(p.attributed, d)
			}
		}
	}
	p.base, p.head = restrict(base, head, o.IncludeFailed), restrict(head, base, o.IncludeFailed)
	p.matched = matchComponents(base.Components, head.Components)
	for _, side := range []*restricted{&p.base, &p.head} {
		side.ranked = standings(side.run, side.common, p.attributed, head.Analysis.RankedBy())
	}
	return p
}

func (p *pair) has(d spell.Domain) bool { return slices.Contains(p.domains, d) }

// testOnly lists the domains that are compared by test, but not by component.
func (p *pair) testOnly() []spell.Domain {
	return slices.DeleteFunc(slices.Clone(p.domains), func(d spell.Domain) bool { return slices.Contains(p.attributed, d) })
}

// restrict adds up the cells of r in the tests that count in both runs.
func restrict(r, other *record.Run, includeFailed bool) restricted {
	s := restricted{run: r, common: make([]bool, len(r.Tests)), own: []string{}, of: make([]amounts, len(r.Components))}
	type unit struct {
		name      string
		operation bool // that is what the values of the test are of
	}
	counts := make(map[unit]bool, len(other.Tests))
	for i := range other.Tests {
		t := &other.Tests[i]
		counts[unit{t.Name, t.PerOperation}] = t.InAnalysis(includeFailed)
	}
	for i := range r.Tests {
		t := &r.Tests[i]
		both := counts[unit{t.Name, t.PerOperation}]
		s.common[i] = t.InAnalysis(includeFailed) && both
		switch {
		case both:
		case t.InAnalysis(includeFailed):
			s.own = append(s.own, t.Name)
		case t.LeftOut(includeFailed):
			s.failed = append(s.failed, t.Name)
		}
	}
	for i := range s.of {
		s.of[i].energyJ = make(record.Energy, len(r.Matrix.Domains))
	}
	for i, cell := range r.Matrix.Cells {
		s.add(i, cell)
	}
	return s
}

func (s *restricted) add(i int, cell spell.Cell) {
	a := &s.of[cell.Component]
	if !s.common[cell.Test] {
		a.inOtherTests = a.inOtherTests || cell.N > 0 || cell.TimeMS > 0
		return
	}
	a.n += cell.N
	a.timeMS += cell.TimeMS
	a.sampledMS += s.run.SampledMS(i)
	for d, domain := range s.run.Matrix.Domains {
		a.energyJ[domain] += s.run.Matrix.EnergyJ[i*len(s.run.Matrix.Domains)+d]
	}
}

// joules is the energy of the domains together.
func joules(e record.Energy, domains []spell.Domain) float64 {
	sum := 0.0
	for _, d := range domains {
		sum += e[d]
	}
	return sum
}

// sum adds up all components over the common tests.
func (s *restricted) sum() amounts {
	all := amounts{energyJ: make(record.Energy)}
	for i := range s.of {
		a := &s.of[i]
		all.n += a.n
		all.timeMS += a.timeMS
		all.inOtherTests = all.inOtherTests || a.inOtherTests
		for _, d := range s.run.Matrix.Domains {
			all.energyJ[d] += a.energyJ[d]
		}
	}
	return all
}

// rounds are energy (of all compared domains) and time by round, of a component, a test or a
// program; nil if they are not known.
type rounds struct{ energyJ, timeMS []float64 }

// roundsOf adds up the domains.
func roundsOf(energyJ map[spell.Domain][]float64, timeMS []float64, domains []spell.Domain) rounds {
	var list [][]float64
	for _, d := range domains {
		list = append(list, energyJ[d])
	}
	return rounds{energyJ: record.AddSeries(list), timeMS: timeMS}
}

// sumRounds adds up rounds; an unknown one makes the sum unknown.
func sumRounds(list []rounds) rounds {
	var energies, times [][]float64
	for _, r := range list {
		energies, times = append(energies, r.energyJ), append(times, r.timeMS)
	}
	return rounds{energyJ: record.AddSeries(energies), timeMS: record.AddSeries(times)}
}
