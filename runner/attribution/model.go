package attribution

import (
	"math"
	"slices"

	"spell-lsp/runner/power"
	"spell-lsp/spell"
)

// A Machine is what is measured on, as its meter sees it.
type Machine struct {
	Domains []spell.Domain // of all energies, in this order
	// UpdateNS is how often the counter of a domain is updated, by domain.
	UpdateNS []int64
	// PerCPUSecond is, by domain, how many joules the meter leaves out for each second of
	// CPU time of the program's descendants; nil where it leaves out none.
	PerCPUSecond []float64
	Counter      bool // hardware counts by itself
	WholeMachine bool // the meter sees what every process uses
	Cores        int
}

// fineNS is how often a counter has to be updated for it to tell what ran
// in a tick. Energy of a slower domain is shared by CPU time.
const fineNS = 10_000_000

// A Model finds the powers of everything that runs in a measurement, from the ticks of all
// its executions.
type Model struct {
	machine    Machine
	components int
	rest       Rest
	inSolver   []int        // by domain: which of the solver's it is, -1 for none
	solver     *power.Model // nil where no domain is fine enough, or it is not known what runs in a tick
	// Length of all ticks, and the CPU time of the sampler and of programs in them, in s.
	seconds, samplerS, programS float64
}

// NewModel is of programs with so many components. With ticks false it is not known what
// runs in a tick: then, and on a machine without a fine counter, all draw the same power.
func NewModel(machine Machine, components int, ticks bool) *Model {
	m := &Model{machine: machine, components: components}
	if !machine.Counter || !ticks {
		return m
	}
	m.inSolver = make([]int, len(machine.Domains))
	fine := 0
	for d := range m.inSolver {
		m.inSolver[d] = -1
		if machine.UpdateNS[d] <= fineNS {
			m.inSolver[d] = fine
			fine++
		}
	}
	if fine > 0 {
		m.solver = power.New(fine, powerRows(components))
	}
	return m
}

// NeedsTicks says whether the model learns from what ran in each tick.
func (m *Model) NeedsTicks() bool { return m.solver != nil }

// SetRest says what the machine was like before the first round.
func (m *Model) SetRest(r Rest) { m.rest = r }

// Add takes ticks of a timeline in.
func (m *Model) Add(k *Timeline, ticks []Tick) {
	for _, t := range ticks {
		m.add(k, t.reading, t.entries, t.othersS)
	}
}

// add gives the solver what ran between a reading and the one before it, and
// what the counters gained. What the program used beyond its goroutines' time is
// its scheduler's. What the sampler draws is in the idle machine's power, see fit.
// Goroutines cannot have run for longer than the program had
// processors, though interruptions of less than a tenth of a millisecond are not
// seen.
func (m *Model) add(k *Timeline, tick int, entries []power.Entry, others float64) {
	if m.solver == nil || k.faulty[tick] {
		return
	}
	var ran float64
	for _, e := range entries {
		ran += e.Seconds
	}
	m.seconds += k.tickS(tick)
	m.samplerS += float64(k.own[tick]-k.own[tick-1]) / 1e9
	m.programS += k.tickCPU(tick)
	rest := k.tickCPU(tick) - ran
	if rest < 0 {
		for i := range entries {
			entries[i].Seconds *= k.tickCPU(tick) / ran
		}
	}
	n := m.components
	for _, more := range []power.Entry{
		{Row: uint32(schedulerRow(n)), Seconds: rest},
		{Row: uint32(othersRow(n)), Seconds: others},
		{Row: uint32(childrenRow(n)), Seconds: min(k.childrenS(tick-1, tick), k.room(tick))},
	} {
		if more.Seconds > 0 {
			entries = append(entries, more)
		}
	}
	// What ran is known between the moments of publication, energy between those of
	// updates, a few hundredths of a millisecond before. Both are put to one length: else
	// a program that never waits would seem to pause, and the idle machine to
	// draw what it does.
	seconds := k.tickS(tick)
	length := float64(k.updated[tick]-k.updated[tick-1]) / 1e9
	if length < seconds/2 || length > 2*seconds {
		return
	}
	var joules []float64
	for d, i := range m.inSolver {
		if i >= 0 {
			joules = append(joules, (k.joules[tick*k.domains+d]-k.joules[(tick-1)*k.domains+d])*seconds/length)
		}
	}
	m.solver.Add(power.Tick{Seconds: seconds, Joules: joules, Entries: entries})
}

// Powers are those that all ticks so far tell.
func (m *Model) Powers() *Powers {
	w := &Powers{domains: len(m.machine.Domains), idleW: m.rest.IdleW, inFit: m.inSolver, testOnly: testOnly(m.machine.Domains)}
	if m.solver == nil {
		return w
	}
	fit, idleSD := m.fit()
	w.fit = fit
	w.idleW, w.idleSD = slices.Clone(m.rest.IdleW), make([]float64, w.domains)
	ticks, _ := w.fit.Ticks()
	for d, i := range m.inSolver {
		if i >= 0 && ticks > 0 {
			w.idleW[d] = max(0, w.fit.Idle(i).Watts-m.load(m.samplerS)*w.fit.Mean(i))
			w.idleSD[d] = idleSD[i] / max(minLoad, m.load(m.programS))
		}
	}
	return w
}

// load is how many processors were busy with that CPU time in all ticks.
func (m *Model) load(cpuS float64) float64 { return cpuS / max(m.seconds, 1e-9) }

// minLoad bounds what an error of the idle machine's power makes of a program that
// hardly runs.
const minLoad = 0.05

const (
	idleError   = 0.01 // of the power of the machine at rest
	othersError = 0.25 // of the power of what ran beside it
	// pinned is how firmly the solver is told what was measured at rest, as a part of
	// these errors.
	pinned = 0.1
	minSD  = 1e-6 // W: 0 would say that nothing is known
)

// fit solves the model. What was measured before the first round is the power of the
// idle machine, with the sampler, which may do more or less now, and of what others did
// meanwhile. The rounds themselves are hardly asked for it: a machine that is busy
// throughout never shows what it draws at rest, and where time is known less
// exactly than energy, the idle machine, whose time is known best, seems to draw what
// others do. idleSD is how well that is known, by domain of the solver.
func (m *Model) fit() (f *power.Fit, idleSD []float64) {
	m.pinRest(func(int) float64 { return 0 })
	f = m.solver.Fit()
	more := m.load(m.samplerS) - m.rest.SamplerLoad
	m.pinRest(func(d int) float64 { return more * f.Mean(d) })
	f = m.solver.Fit()
	idleSD = make([]float64, len(m.inSolver))
	for d, i := range m.inSolver {
		if i >= 0 {
			others := m.rest.OthersLoad * f.Watts(uint32(othersRow(m.components)), i).Watts
			idleSD[i] = math.Hypot(idleError*m.rest.MeanW[d], othersError*others)
		}
	}
	return f, idleSD
}

// pinRest tells the solver what was measured at rest, in each of its domains, with what
// the sampler draws more since then.
func (m *Model) pinRest(more func(domain int) float64) {
	for d, i := range m.inSolver {
		if i >= 0 {
			watts := m.rest.MeanW[d]
			m.solver.SetRest(i, power.Rest{
				Watts: max(0, watts+more(i)), SD: pinned*idleError*watts + minSD,
				Row: uint32(othersRow(m.components)), Load: m.rest.OthersLoad,
			})
		}
	}
}
