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
	// PerByte is, by domain, how many joules the meter counts for a byte read or received (0)
	// and written or sent (1); nil where it counts none, or where the bytes of functions are
	// not known.
	PerByte [][2]float64
	Whole   []bool // by domain: its energy is not divided among functions; nil: of none
	// Separate are counters beside the domains, by name, whose energy is never divided.
	Separate []string
	// CoreCPUs are, by counter of a core, the processors of that core; empty without such counters.
	CoreCPUs     [][]int
	Counter      bool // hardware counts by itself
	WholeMachine bool // the meter sees what every process uses
	Cores        int
}

// FineNS is the longest update interval of a counter that can tell what ran in a tick. Energy
// of slower domains is divided by CPU time.
const FineNS = 10_000_000

// A Model estimates the power of every row from the ticks of all executions of a measurement.
type Model struct {
	machine    Machine
	components int
	rest       Rest
	inSolver   []int        // by domain: its number in the solver, -1 if it is not in the solver
	solver     *power.Model // nil if no domain is fine enough, or if ticks are not known
	// Length of all ticks, and the CPU time of the sampler and of programs in them, in s.
	seconds, samplerS, programS float64
	childrenS                   float64      // of child processes, with and without probes
	othersS                     float64      // of other processes
	callers                     *callerModel // nil if solver is
	before                      *Timeline    // of the tick that the solver was given last
	reading                     int          // of that tick
	cores                       *coreModel   // nil without counters of cores
	pooled                      bool         // see Pool
	sequels                     sequels      // of programs without probes
}

// NewModel makes the model of programs with so many components. ticks says whether it is known
// what runs in a tick; without that, or without a fine counter, all rows have the same power.
func NewModel(machine Machine, components int, ticks bool) *Model {
	m := &Model{machine: machine, components: components, sequels: make(sequels)}
	if !machine.Counter || !ticks {
		return m
	}
	m.inSolver = make([]int, len(machine.Domains))
	fine := 0
	for d := range m.inSolver {
		m.inSolver[d] = -1
		if machine.UpdateNS[d] <= FineNS {
			m.inSolver[d] = fine
			fine++
		}
	}
	if fine > 0 {
		m.solver = power.New(fine, powerRows(components))
		m.solver.SetProcessors(machine.Cores)
		m.solver.SetOthers(othersRow(components))
		m.callers = newCallerModel(fine, components)
		m.cores = newCoreModel(m)
	}
	return m
}

// NeedsTicks says whether the model learns from what ran in each tick.
func (m *Model) NeedsTicks() bool { return m.solver != nil }

// Solves says whether the powers of a domain come from ticks.
func (m *Model) Solves(domain int) bool { return m.solver != nil && m.inSolver[domain] >= 0 }

// NeedsCPUs says whether the model learns from which CPU it was on.
func (m *Model) NeedsCPUs() bool { return m.cores != nil }

// Pool says that of what runs in a tick only the program's CPU time is known. All of its rows have
// the power of the program then.
func (m *Model) Pool() { m.pooled = true }

// Linear leaves out all terms beside the watts of rows, whatever the ticks call for.
func (m *Model) Linear() {
	if m.solver != nil {
		m.solver.SetProcessors(0)
	}
}

// SetRest says what the machine was like before the first round.
func (m *Model) SetRest(r Rest) {
	m.rest = r
	m.cores.setRest(r)
}

// Add takes ticks of a timeline in.
func (m *Model) Add(k *Timeline, ticks []Tick) {
	for _, t := range ticks {
		m.add(k, t)
	}
}

// add gives a tick to the solver. CPU time of the program beyond that of its goroutines is the
// scheduler's; the sampler's is in the idle power, see fit. The time of goroutines is limited
// to the program's CPU time, and to what the processors had left for child processes: probes do
// not see interruptions below a tenth of a millisecond.
func (m *Model) add(k *Timeline, t Tick) {
	tick, entries := t.reading, t.entries
	if m.solver == nil || k.faulty[tick] {
		return
	}
	var ran float64
	for _, e := range entries {
		ran += e.Seconds
	}
	m.seconds += k.tickS(tick)
	m.samplerS += float64(k.own[tick]-k.own[tick-1]) / 1e9
	family := min(t.familyS, k.room(tick))
	used := k.tickCPU(tick) + family
	m.programS += used
	m.childrenS += family + t.childrenS
	m.othersS += t.othersS
	m.solver.SetDelayed(m.childrenS > mostChildren*m.programS)
	rest := used - ran
	if rest < 0 {
		for i := range entries {
			entries[i].Seconds *= used / ran
		}
	}
	n := m.components
	for _, more := range []power.Entry{
		{Row: uint32(schedulerRow(n)), Seconds: rest},
		{Row: uint32(othersRow(n)), Seconds: t.othersS},
		{Row: uint32(childrenRow(n)), Seconds: min(t.childrenS, k.room(tick)-family)},
	} {
		if more.Seconds > 0 {
			entries = append(entries, more)
		}
	}
	// Occupancy is known between moments of publication, energy between moments of updates,
	// a few hundredths of a millisecond earlier. Energy is scaled to the length of the tick:
	// otherwise a program that never waits would seem to pause, and its energy would go to the
	// idle machine.
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
	whole := power.Tick{Seconds: seconds, Joules: joules, Entries: entries, First: m.before != k || m.reading != tick-1, Weight: k.weight[tick]}
	m.before, m.reading = k, tick
	m.solver.Add(whole)
	m.callers.add(k, whole, t.called)
	m.cores.add(k, whole, t, seconds/length)
}

// Last has Powers depend on all ticks alone, and not on when it was called before.
func (m *Model) Last() {
	if m.solver != nil {
		m.solver.ChooseAgain()
	}
}

// Powers are the estimates from all ticks so far.
func (m *Model) Powers() *Powers {
	w := &Powers{domains: len(m.machine.Domains), components: m.components, idleW: m.rest.IdleW, inFit: m.inSolver, pooled: m.pooled, bytes: byteCosts(&m.machine)}
	if m.solver == nil {
		return w
	}
	fit, idleSD := m.fit()
	w.fit = fit
	if w.coresFault = m.coresFault(); w.coresFault == nil {
		w.cores = m.cores.fit(fit)
	}
	w.pulls, w.meanW = m.sequels.pulls(), make([]float64, w.domains)
	w.idleW, w.idleSD = slices.Clone(m.rest.IdleW), make([]float64, w.domains)
	ticks, _ := w.fit.Ticks()
	for d, i := range m.inSolver {
		if i >= 0 && ticks > 0 {
			w.idleW[d] = max(0, w.fit.Idle(i).Watts-m.load(m.samplerS)*w.fit.Mean(i))
			w.idleSD[d] = idleSD[i] / max(minLoad, m.load(m.programS))
			w.meanW[d] = m.sequels.mean(func(row int) float64 { return w.Watts(row, d) })
		}
	}
	return w
}

// load is the number of processors that a CPU time keeps busy over all ticks.
func (m *Model) load(cpuS float64) float64 { return cpuS / max(m.seconds, 1e-9) }

// minLoad limits how much an error of the idle power weighs in a program that hardly runs.
const minLoad = 0.05

const (
	idleError   = 0.01 // relative error of the power of the machine at rest
	othersError = 0.25 // relative error of the power of what ran beside it
	// othersSpread is how far that power is taken to be from the mean of all rows, in the fit, where others kept fewer processors busy
	// than littleOthers, at rest and since: a wrong one shifts the idle power by little then, and a fitted one takes up errors of all
	// other times.
	othersSpread = 0.05
	littleOthers = 0.2
	// restPrior scales idleError to the standard deviation of the prior that the solver gets.
	restPrior = 0.1
	minSD     = 1e-6 // W; the solver takes 0 for no prior
	// mostChildren is the CPU time of child processes, by that of the program, from which on a late counter cannot be told: theirs is
	// known late.
	mostChildren = 0.1
)

// fit solves the model twice. What was measured before the first round is the power of the
// idle machine with the sampler and with other processes, as busy as they were then; the second
// solution corrects it for the sampler's load since. This prior is strong, because the rounds
// tell little of idle power: a busy machine never shows it, and as the idle machine's time is
// known best of all, errors of other times would end up in its power. idleSD is the standard
// deviation of the idle power, by domain of the solver.
func (m *Model) fit() (f *power.Fit, idleSD []float64) {
	m.pinRest(m.solver, func(int) float64 { return 0 })
	f = m.solver.Fit()
	more := m.load(m.samplerS) - m.rest.SamplerLoad
	m.pinRest(m.solver, func(d int) float64 { return more * f.Mean(d) })
	f = m.solver.Fit()
	idleSD = make([]float64, len(m.inSolver))
	for d, i := range m.inSolver {
		switch {
		case i < 0:
		case m.rest.MeanW == nil:
			idleSD[i] = f.Idle(i).SD
		default:
			others := m.rest.OthersLoad * f.Watts(uint32(othersRow(m.components)), i).Watts
			idleSD[i] = math.Hypot(idleError*m.rest.MeanW[d], othersError*others)
		}
	}
	return f, idleSD
}

// pinRest gives a solver the power at rest as a prior, plus what the sampler draws more since
// then.
func (m *Model) pinRest(solver *power.Model, more func(domain int) float64) {
	if m.rest.MeanW == nil {
		return
	}
	near := 0.0
	if max(m.rest.OthersLoad, m.load(m.othersS)) < littleOthers {
		near = othersSpread
	}
	for d, i := range m.inSolver {
		if i >= 0 {
			watts := m.rest.MeanW[d]
			solver.SetRest(i, power.Rest{
				Watts: max(0, watts+more(i)), SD: restPrior*idleError*watts + minSD,
				Row: uint32(othersRow(m.components)), Load: m.rest.OthersLoad, Near: near,
			})
		}
	}
}
