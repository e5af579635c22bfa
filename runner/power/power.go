package power

import (
	"math"
	"slices"
)

// A Model accumulates ticks. It keeps the first ticks as they are, until the rows with
// terms of their own and the terms beside them are chosen, and only sums of the others. It is
// not safe for concurrent use.
type Model struct {
	domains    int
	processors int
	delayed    bool // see SetDelayed
	aligned    bool // ticks that are left out keep their places in blocks, see Cores
	others     int  // row of other processes; -1 for none
	first      backlog
	parts      []*part // nil while all ticks are in first
	chosen     choice
	spikes     spikes
	occ        []float64 // seconds of running by row
	idle       []normal  // prior of the idle machine's power by domain; sd 0 for none
	rest       []Rest    // measurements at rest by domain; SD 0 for none
	leftOut    int       // number of invalid ticks, and of those with an impossible power that are not in first
}

// New makes a model with these numbers of domains and rows.
func New(domains, rows int) *Model {
	return &Model{
		domains: domains,
		others:  -1,
		spikes:  newSpikes(domains),
		occ:     make([]float64, rows),
		idle:    make([]normal, domains),
		rest:    make([]Rest, domains),
	}
}

// SetProcessors lets the model have Terms where the ticks call for them, and says how many
// threads can run at a time.
func (m *Model) SetProcessors(n int) { m.processors = n }

// SetOthers says which row is the running time of other processes. Beside much of it the model
// has no Terms.
func (m *Model) SetOthers(row int) { m.others = row }

// SetDelayed says whether running times are late themselves: then a late counter cannot be told from them.
func (m *Model) SetDelayed(delayed bool) { m.delayed = delayed }

// SetIdle sets the prior of the idle machine's power, in W: the mean and standard
// deviation of a normal distribution. Without it, idle power may be anything from 0 to the
// mean power of all ticks. Values that are negative or not finite, and an sd of 0, remove
// the prior.
func (m *Model) SetIdle(domain int, watts, sd float64) {
	if !inRange(watts) || !inRange(sd) {
		sd = 0
	}
	m.idle[domain] = normal{watts, sd}
}

// SetRest sets the measurement at rest in one domain. It constrains the sum of idle power
// and Row's load, also where the ticks say little about the idle machine, or are biased by
// errors of their running times; the ticks may decide how the sum is divided. Values that
// are negative or not finite, and an SD of 0, remove the measurement.
func (m *Model) SetRest(domain int, r Rest) {
	if !inRange(r.Watts) || !inRange(r.SD) || !inRange(r.Load) || int(r.Row) >= len(m.occ) {
		r = Rest{}
	}
	m.rest[domain] = r
}

// Add adds a tick; it keeps none of its slices. Invalid ticks (shorter than a nanosecond,
// with values that are negative, not finite or above 1e12, or with rows or domains that the
// model lacks) are left out and counted. So are ticks with an impossible power, see
// Fit.Ticks.
func (m *Model) Add(t Tick) {
	if !t.valid(m.domains, len(m.occ)) {
		m.leftOut++
		return
	}
	for _, e := range t.Entries {
		m.occ[e.Row] += e.Seconds
	}
	m.spikes.add(&t)
	if m.parts != nil {
		m.add(&t)
		return
	}
	m.first.add(&t)
	if m.first.full() {
		var spikes int
		m.ChooseAgain()
		m.parts, spikes = m.sumUp(fewTicks)
		m.leftOut += spikes
		m.first = backlog{}
	}
}

// add adds a tick to the sums.
func (m *Model) add(t *Tick) {
	if m.spikes.impossible(t) {
		m.leftOut++
		m.skip(m.parts)
		return
	}
	for _, p := range m.parts {
		p.add(t, m.occ)
	}
}

// skip leaves out a tick. Where blocks are aligned, one of no length takes its place, of which each equation is true.
func (m *Model) skip(parts []*part) {
	if !m.aligned {
		return
	}
	for _, p := range parts {
		p.sums.carry(0)
	}
}

// sumUp turns the ticks in the backlog into sums, and counts those with an impossible power. It chooses
// terms from about so many ticks.
func (m *Model) sumUp(most int) (parts []*part, spikes int) {
	m.spikes.learn()
	m.update(most)
	parts = m.split()
	for t := range m.first.all() {
		if m.spikes.impossible(t) {
			spikes++
			m.skip(parts)
			continue
		}
		for _, p := range parts {
			p.add(t, nil)
		}
	}
	return parts, spikes
}

// Fit solves the model with all ticks so far. It may be called again after more calls of
// Add. With a thousand terms it takes a fraction of a second per domain.
func (m *Model) Fit() *Fit {
	f := &Fit{leftOut: m.leftOut, seen: make([]bool, len(m.occ)), domains: make([]fitted, m.domains)}
	for r, o := range m.occ {
		f.seen[r] = o > 0
	}
	parts := m.parts
	if parts == nil {
		var spikes int
		parts, spikes = m.sumUp(mostTicks)
		f.leftOut += spikes
	}
	for _, p := range parts {
		s := p.sums
		if m.parts != nil {
			s = s.clone()
		}
		s.flush()
		if p.bend != nil {
			_, s.share = p.bend.shares()
		}
		scales := s.haar()
		f.ticks = s.ticks
		for i, d := range p.domains {
			f.domains[d] = p.fitted(s, solve(s, scales, i, m.idle[d], m.rest[d]))
		}
	}
	return f
}

// A Fit is the model solved.
type Fit struct {
	ticks, leftOut int
	seen           []bool // by row: it ran
	domains        []fitted
}

// An Estimate is a power with its uncertainty.
type Estimate struct {
	Watts float64 // 0 or more
	SD    float64 // standard deviation of the posterior, in W; infinite without ticks
	Own   bool    // the row has a term of its own; otherwise it shares that of all small rows
}

// Domains is the number of domains.
func (f *Fit) Domains() int { return len(f.domains) }

// Terms are what the model has beside the watts of rows.
func (f *Fit) Terms(domain int) Terms { return f.domains[domain].terms }

// Idle is the power of the idle machine, in W.
func (f *Fit) Idle(domain int) Estimate {
	s := &f.domains[domain]
	return Estimate{Watts: s.watts[idleTerm], SD: s.sd[idleTerm], Own: true}
}

// Watts is the power of a row, in W: joules per second of one thread's running time, in the mean
// over the time that it ran, beside whatever else did. A row
// without a term of its own has the power of the small rows together, with the spread of
// rows as additional uncertainty; a row that never ran has the mean power.
func (f *Fit) Watts(row uint32, domain int) Estimate {
	s := &f.domains[domain]
	switch t := s.term[row]; {
	case t != restTerm:
		return s.estimate(row, s.sd[t], true)
	case f.seen[row]:
		return s.estimate(row, math.Hypot(s.sd[t], s.tau), false)
	default:
		return Estimate{Watts: f.Mean(domain), SD: s.meanShare * math.Hypot(s.mean.sd, s.tau)}
	}
}

// Mean is the mean power of a running thread, in W, towards which rows are shrunk. It is a
// mean over rows: a row that runs longer does not weigh more.
func (f *Fit) Mean(domain int) float64 {
	return f.domains[domain].meanShare * f.domains[domain].mean.mean
}

// Ticks returns the number of ticks that the fit rests on, and of those left out: invalid
// ticks, and ticks with an impossible power, above five times the power that all but one
// tick in 500 stay below.
func (f *Fit) Ticks() (used, leftOut int) { return f.ticks, f.leftOut }

// A backlog holds ticks as they came. It is full at about 25 MB, after half a minute of
// ticks with 20 entries.
type backlog struct {
	seconds []float64
	joules  []float64 // by tick and domain
	ends    []int     // where a tick's entries end
	firsts  []bool
	weights []float64
	entries []Entry
}

const (
	backlogTicks   = 1 << 16
	backlogEntries = 1 << 20
)

func (b *backlog) add(t *Tick) {
	b.seconds = append(b.seconds, t.Seconds)
	b.joules = append(b.joules, t.Joules...)
	b.entries = append(b.entries, t.Entries...)
	b.ends = append(b.ends, len(b.entries))
	b.firsts, b.weights = append(b.firsts, t.First), append(b.weights, t.Weight)
}

func (b *backlog) full() bool {
	return len(b.seconds) >= backlogTicks || len(b.entries) >= backlogEntries
}

// all yields the ticks; they are valid until the next one.
func (b *backlog) all() func(func(*Tick) bool) {
	return func(yield func(*Tick) bool) {
		start, t := 0, Tick{}
		for i, s := range b.seconds {
			d := len(b.joules) / len(b.seconds)
			t = Tick{Seconds: s, Joules: b.joules[i*d : (i+1)*d], Entries: b.entries[start:b.ends[i]], First: b.firsts[i], Weight: b.weights[i]}
			start = b.ends[i]
			if !yield(&t) {
				return
			}
		}
	}
}

// medianSeconds is the median length of a tick, 0 without ticks.
func (b *backlog) medianSeconds() float64 {
	if len(b.seconds) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(b.seconds))
	return s[len(s)/2]
}
