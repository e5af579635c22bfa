package power

import (
	"math"
	"slices"
)

// An Entry says for how long a row was running within a tick, over all threads.
type Entry struct {
	Row     uint32  // 0 to rows-1
	Seconds float64 // 0 or more, above the tick's own where several threads ran it
}

// A Tick is the time between two readings of the meter.
type Tick struct {
	Seconds float64
	Joules  []float64 // what the counters gained, by domain
	Entries []Entry   // no row twice
}

// valid reports whether the tick says something about a model of so many
// domains and rows.
func (t *Tick) valid(domains, rows int) bool {
	if !(t.Seconds >= shortest) || !sane(t.Seconds) || len(t.Joules) != domains {
		return false
	}
	for _, j := range t.Joules {
		if !sane(j) {
			return false
		}
	}
	for _, e := range t.Entries {
		if !sane(e.Seconds) || uint64(e.Row) >= uint64(rows) {
			return false
		}
	}
	return true
}

const (
	shortest = 1e-9 // s, of a tick
	largest  = 1e12 // s, J or W: products of what is larger could overflow
)

// sane reports whether x is a number, 0 or more, that a machine can have.
func sane(x float64) bool { return x >= 0 && x <= largest }

// A Model takes ticks in and keeps what a fit needs of them: the first ones as
// they are, until the rows with terms of their own are chosen, of the others
// sums only. Not safe for concurrent use.
type Model struct {
	domains int
	first   backlog
	sums    *sums // nil while all ticks are in first
	spikes  spikes
	occ     []float64 // seconds of running by row
	idle    []normal  // what is known of the idle machine beforehand, by domain; sd 0: nothing
	rest    []Rest    // what was measured at rest, by domain; SD 0: nothing
	leftOut int       // ticks that say nothing
}

// New makes a model of so many domains and rows.
func New(domains, rows int) *Model {
	return &Model{
		domains: domains,
		spikes:  newSpikes(domains),
		occ:     make([]float64, rows),
		idle:    make([]normal, domains),
		rest:    make([]Rest, domains),
	}
}

// SetIdle says what was known of the idle machine's power before the run, in W:
// the mean and standard deviation of a normal distribution. Without it, idle
// power may be anything from nothing to the mean power of all ticks. Values
// that are not finite, negative watts and an sd of 0 or less take it back.
func (m *Model) SetIdle(domain int, watts, sd float64) {
	if !sane(watts) || !sane(sd) {
		sd = 0
	}
	m.idle[domain] = normal{watts, sd}
}

// A Rest is what was measured while the program did not run: the power of the idle
// machine, and of Load processors that Row kept busy.
type Rest struct {
	Watts, SD float64 // W: the mean and standard deviation of what was measured
	Row       uint32
	Load      float64 // 0 or more
}

// SetRest says what was measured at rest, in one domain. It holds however little the
// ticks tell of the idle machine, and whatever errors of the ticks' occupancy make
// it seem to be; how much of it was the idle machine's, the ticks may tell.
// Values that are not finite, and an SD of 0 or less, take it back.
func (m *Model) SetRest(domain int, r Rest) {
	if !sane(r.Watts) || !sane(r.SD) || !sane(r.Load) || int(r.Row) >= len(m.occ) {
		r = Rest{}
	}
	m.rest[domain] = r
}

// Add takes a tick in; it keeps none of its slices. Ticks that say nothing
// (less than a nanosecond, values that are negative, not finite or above 1e12,
// a row or a number of domains that the model has not) are left out and counted; those
// with an impossible power too, see Fit.Ticks.
func (m *Model) Add(t Tick) {
	if !t.valid(m.domains, len(m.occ)) {
		m.leftOut++
		return
	}
	for _, e := range t.Entries {
		m.occ[e.Row] += e.Seconds
	}
	m.spikes.add(&t)
	if m.sums != nil {
		m.add(&t)
		return
	}
	m.first.add(&t)
	if m.first.full() {
		m.sums = m.sumUp()
		m.first = backlog{}
	}
}

// add takes a tick into the sums.
func (m *Model) add(t *Tick) {
	if m.spikes.impossible(t) {
		m.sums.spikes++
		return
	}
	m.sums.add(t, m.occ)
}

// sumUp makes sums of the ticks in the backlog.
func (m *Model) sumUp() *sums {
	m.spikes.learn()
	s := newSums(m.domains, m.first.medianSeconds(), chooseRows(m.occ), len(m.occ))
	for t := range m.first.all() {
		if m.spikes.impossible(t) {
			s.spikes++
			continue
		}
		s.add(t, nil)
	}
	return s
}

// Fit solves the model with all ticks so far. May be called again after more
// Add. It takes a fraction of a second a domain, with a thousand terms.
func (m *Model) Fit() *Fit {
	var s *sums
	if m.sums == nil {
		s = m.sumUp()
	} else {
		s = m.sums.clone()
	}
	s.flush()
	f := &Fit{ticks: s.ticks, leftOut: m.leftOut + s.spikes, term: s.term, seen: make([]bool, len(m.occ))}
	for r, o := range m.occ {
		f.seen[r] = o > 0
	}
	scales := s.haar()
	for d := range m.domains {
		f.domains = append(f.domains, solve(s, scales, d, m.idle[d], m.rest[d]))
	}
	return f
}

// A Fit is the model solved.
type Fit struct {
	ticks, leftOut int
	term           []int32 // term by row
	seen           []bool  // rows that ran
	domains        []solution
}

// An Estimate is a power and how well it is known.
type Estimate struct {
	Watts float64 // 0 or more
	SD    float64 // standard deviation of the posterior; infinite where there were no ticks
	Own   bool    // the row has a term of its own; otherwise it shares the one of the many small rows
}

// Idle is the power of the idle machine, in W.
func (f *Fit) Idle(domain int) Estimate {
	s := &f.domains[domain]
	return Estimate{Watts: s.watts[idleTerm], SD: s.sd[idleTerm], Own: true}
}

// Watts is the power of a row, in W: joules per second of one thread's running
// time. A row without a term of its own has what the small rows have together,
// as uncertain as rows differ; one that never ran has the mean.
func (f *Fit) Watts(row uint32, domain int) Estimate {
	s := &f.domains[domain]
	switch t := f.term[row]; {
	case t != restTerm:
		return Estimate{Watts: s.watts[t], SD: s.sd[t], Own: true}
	case f.seen[row]:
		return Estimate{Watts: s.watts[t], SD: math.Hypot(s.sd[t], s.tau)}
	default:
		return Estimate{Watts: s.mean.mean, SD: math.Hypot(s.mean.sd, s.tau)}
	}
}

// Mean is the program's mean power for each running thread, in W, the one that
// rows are shrunk towards: a mean of rows, in which none counts for more because
// it runs longer.
func (f *Fit) Mean(domain int) float64 { return f.domains[domain].mean.mean }

// Ticks says how many ticks the fit rests on, and how many were left out:
// those that say nothing, and those whose power is impossible, above five times
// what all but one tick in 500 stay below.
func (f *Fit) Ticks() (used, leftOut int) { return f.ticks, f.leftOut }

// The backlog holds ticks as they came. It is full, at about 25 MB, after half
// a minute of ticks with 20 entries.
type backlog struct {
	seconds []float64
	joules  []float64 // by tick and domain
	ends    []int     // where a tick's entries end
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
			t = Tick{Seconds: s, Joules: b.joules[i*d : (i+1)*d], Entries: b.entries[start:b.ends[i]]}
			start = b.ends[i]
			if !yield(&t) {
				return
			}
		}
	}
}

// medianSeconds is the usual length of a tick, 0 without ticks.
func (b *backlog) medianSeconds() float64 {
	if len(b.seconds) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(b.seconds))
	return s[len(s)/2]
}
