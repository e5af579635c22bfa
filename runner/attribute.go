package runner

import "spell-lsp/instrument/probe"

// A share is what one component used in one test of one round.
type share struct {
	n, selfNS, cumNS, wallNS float64
	joules, cumJoules        []float64 // by domain
}

// attribute shares the energy of a window of time among the components that
// ran in it. What the counter gained beyond the idle machine's power is what
// running cost; each component gets the part of it that its running time is
// of all CPU time. The rest (the idle machine, other processes, the runtime,
// the test's own code) is left unattributed: joules less the sum of the
// result's.
//
// joules is the counter's gain and idle the idle machine's energy, both by
// domain for the whole window; busyNS is the CPU time of all that the meter
// sees.
func attribute(counts map[int]probe.Count, cost probeCost, joules, idle []float64, busyNS float64) map[int]share {
	shares := make(map[int]share, len(counts))
	var running float64
	for row, c := range counts {
		s := cost.remove(c)
		running += s.selfNS
		if row > 0 {
			shares[row-1] = s
		}
	}
	busyNS = max(busyNS, running)
	for i, s := range shares {
		s.joules, s.cumJoules = make([]float64, len(joules)), make([]float64, len(joules))
		if busyNS > 0 {
			for d := range joules {
				above := max(0, joules[d]-idle[d])
				s.joules[d] = above * s.selfNS / busyNS
				s.cumJoules[d] = above * min(1, s.cumNS/busyNS)
			}
		}
		shares[i] = s
	}
	return shares
}

// probeCost is what a probe adds, in ns a call.
type probeCost struct{ inner, outer float64 }

// remove takes the probes' own time out of what they counted. A cumulative
// time keeps the probes of callees that are not its own: they cannot be told
// from it.
func (p probeCost) remove(c probe.Count) share {
	s := share{n: float64(c.N), cumNS: float64(c.CumNS), wallNS: float64(c.WallNS)}
	own := float64(c.N)*p.inner + float64(c.Calls)*p.outer
	s.selfNS = max(0, float64(c.SelfNS)-own)
	s.cumNS = max(s.selfNS, s.cumNS-own)
	return s
}
