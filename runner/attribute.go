package runner

import (
	"spell-lsp/instrument/probe"
	"spell-lsp/spell/record"
)

// A share is what one component used in one test of one round.
type share struct {
	n, selfNS, cumNS, wallNS float64
	probesNS                 float64   // time of its probes, taken out of the others
	joules, cumJoules        []float64 // by domain
}

// An interval is a time in which one test ran, and what was read in it.
type interval struct {
	counts       map[int]probe.Count // by row: 0 is outside of components
	cost         probeCost
	joules, idle []float64 // the counter's gain, and the idle machine's part of it, by domain
	programNS    float64   // CPU time of the program; 0 if it is not known
	othersNS     float64   // CPU time of other processes that the meter sees
}

// A portion of the energy of a test that belongs to no component: CPU time, if it
// is a part of that, and joules by domain.
type portion struct {
	ns     float64
	joules []float64
}

// attribute shares the energy of an interval among the components that ran in
// it. What the counter gained beyond the idle machine's power is what running
// cost; each component gets the part of it that its running time is of all CPU
// time. All the rest is in parts, by what it is. Components and parts add up to
// what the counter gained.
func (p *pool) attribute(v *interval) (shares map[int]share, parts map[record.Part]portion) {
	rows := p.shares(v)
	var running float64
	for _, row := range sortedRows(rows) {
		running += rows[row].selfNS + rows[row].probesNS
	}
	scale := onCPU(running, v.programNS)
	program := max(v.programNS, running*scale)
	a := sharing{v, program + v.othersNS}
	shares = make(map[int]share, len(rows))
	probesNS := 0.0
	times := map[record.Part]float64{record.Others: v.othersNS, record.Scheduler: program - running*scale}
	for _, row := range sortedRows(rows) {
		s := rows[row]
		s.selfNS, s.cumNS, probesNS = s.selfNS*scale, s.cumNS*scale, probesNS+s.probesNS*scale
		switch row {
		case 0:
			times[record.TestCode] = s.selfNS
		case probe.RuntimeRow(p.components):
			times[record.Collector] = s.selfNS
		case probe.RuntimeRow(p.components) + 1:
			probesNS += s.selfNS
		default:
			s.joules, s.cumJoules = a.joules(s.selfNS), a.joules(s.cumNS)
			shares[row-1] = s
		}
	}
	times[record.Probes] = probesNS
	parts = map[record.Part]portion{record.Idle: {joules: a.idle()}}
	for name, ns := range times {
		if ns > 0 {
			parts[name] = portion{ns, a.joules(ns)}
		}
	}
	return shares, parts
}

// sharing is the division of an interval's energy by CPU time.
type sharing struct {
	*interval
	busyNS float64 // CPU time of all that the meter sees
}

// joules is what so much CPU time gets, by domain.
func (a sharing) joules(ns float64) []float64 {
	got := make([]float64, len(a.interval.joules))
	if a.busyNS > 0 {
		for d, e := range a.interval.joules {
			got[d] = max(0, e-a.interval.idle[d]) * min(1, ns/a.busyNS)
		}
	}
	return got
}

// idle is what the machine would have used without anything running; all, if
// nothing ran.
func (a sharing) idle() []float64 {
	idle := make([]float64, len(a.interval.joules))
	for d, e := range a.interval.joules {
		idle[d] = min(e, a.interval.idle[d])
		if a.busyNS == 0 {
			idle[d] = e
		}
	}
	return idle
}

// clockErrorNS is how far the program's CPU time may be off at the ends of an
// interval: a tick at each.
const clockErrorNS = 2e6

// onCPU is the factor from the time that goroutines were running to the time
// that the program had a processor. It is below 1 where other processes took
// the processors away.
func onCPU(running, programNS float64) float64 {
	if programNS <= 0 || running <= programNS+clockErrorNS {
		return 1
	}
	return programNS / running
}

// probeCost is what a timed probe adds, in ns a call, and a change of blocks.
type probeCost struct{ inner, outer, change float64 }

// remove takes the probes' own time out of what they timed. A cumulative time
// keeps the probes of callees that are not its own: they cannot be told from it.
func (p probeCost) remove(c probe.Count) share {
	s := share{n: float64(c.N), selfNS: float64(c.SelfNS), cumNS: float64(c.CumNS), wallNS: float64(c.WallNS)}
	s.probesNS = min(s.selfNS, float64(c.Timed+c.Literals)*p.inner+float64(c.Calls)*p.outer+float64(c.Switches)*p.change/2)
	s.selfNS -= s.probesNS
	s.cumNS = max(s.selfNS, s.cumNS-s.probesNS)
	s.wallNS = max(s.cumNS, s.wallNS-s.probesNS)
	return s
}

// probeError is how well a probe's cost is known, as a part of it. A component
// whose own time is less than that part of its probes' is below resolution.
const probeError = 0.1

// resolved says whether the own time can be told from that of the probes.
func (s share) resolved() bool { return s.selfNS >= probeError*s.probesNS }
