package runner

import "spell-lsp/instrument/probe"

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

// attribute shares the energy of an interval among the components that ran in
// it. What the counter gained beyond the idle machine's power is what running
// cost; each component gets the part of it that its running time is of all CPU
// time. The rest (the idle machine, other processes, the runtime, the probes,
// the test's own code) is left unattributed: joules less the sum of the
// result's. probesNS is the time that all probes took.
func attribute(v interval) (shares map[int]share, probesNS float64) {
	shares = make(map[int]share, len(v.counts))
	var running float64
	for row, c := range v.counts {
		s := v.cost.remove(c)
		running, probesNS = running+s.selfNS, probesNS+s.probesNS
		if row > 0 {
			shares[row-1] = s
		}
	}
	scale := onCPU(running, v.programNS)
	busy := max(v.programNS+v.othersNS, running*scale)
	for i, s := range shares {
		s.selfNS, s.cumNS = s.selfNS*scale, s.cumNS*scale
		s.joules, s.cumJoules = make([]float64, len(v.joules)), make([]float64, len(v.joules))
		if busy > 0 {
			for d := range v.joules {
				above := max(0, v.joules[d]-v.idle[d])
				s.joules[d] = above * s.selfNS / busy
				s.cumJoules[d] = above * min(1, s.cumNS/busy)
			}
		}
		shares[i] = s
	}
	return shares, probesNS
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

// probeCost is what a probe adds, in ns a call.
type probeCost struct{ inner, outer float64 }

// remove takes the probes' own time out of what they counted. A cumulative time
// keeps the probes of callees that are not its own: they cannot be told from it.
func (p probeCost) remove(c probe.Count) share {
	s := share{n: float64(c.N), selfNS: float64(c.SelfNS), cumNS: float64(c.CumNS), wallNS: float64(c.WallNS)}
	s.probesNS = min(s.selfNS, float64(c.N+c.Literals)*p.inner+float64(c.Calls)*p.outer)
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
