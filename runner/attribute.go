package runner

import (
	"maps"
	"slices"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/record"
)

// A share is what one component used in one test of one round.
type share struct {
	n, selfNS, cumNS, wallNS float64
	probesNS                 float64   // time of its probes, taken out of the others
	framesNS                 float64   // likewise what they added to its code while it was hot; this went to the probes
	joules, cumJoules        []float64 // by domain
}

// An interval is a time in which one test ran, and what was read in it.
type interval struct {
	counts    map[int]probe.Count // by row: 0 is outside of components
	cost      probeCost
	joules    []float64 // the counter's gain by domain
	lengthNS  float64
	programNS float64 // CPU time of the program; 0 if it is not known
	othersNS  float64 // CPU time of other processes that the meter sees
	samplerNS float64 // and of the sampler
	// childrenNS is the CPU time of processes that descend from the program.
	childrenNS float64
}

// A portion of the energy of a test that belongs to no component: CPU time, if it
// is a part of that, and joules by domain.
type portion struct {
	ns     float64
	joules []float64
}

// attribute shares the energy of an interval among the components that ran in
// it. What the counter gained beyond the idle machine's power is what running
// cost; everything that ran gets of it by its CPU time and its power. What is no
// component's is in parts, by what it is. Components and parts add up to what the
// counter gained.
func (p *pool) attribute(v *interval, w *powers) (shares map[int]share, parts map[record.Part]portion) {
	rows := p.shares(v, w)
	var running float64
	for _, row := range sortedRows(rows) {
		running += rows[row].selfNS + rows[row].probesNS
	}
	scale := onCPU(running, v.programNS)
	program := max(v.programNS, running*scale)
	shares, parts = make(map[int]share, len(rows)), make(map[record.Part]portion)
	probes := portion{joules: make([]float64, w.domains)}
	for _, row := range sortedRows(rows) {
		s := rows[row]
		s.selfNS, s.cumNS = s.selfNS*scale, s.cumNS*scale
		for d := range s.joules {
			s.joules[d] *= scale
			probes.joules[d] += w.watts(row, d) * s.probesNS * scale
		}
		probes.ns += s.probesNS * scale
		switch row {
		case 0:
			parts[record.TestCode] = portion{s.selfNS, s.joules}
		case probe.RuntimeRow(p.components):
			parts[record.Collector] = portion{s.selfNS, s.joules}
		case probe.RuntimeRow(p.components) + 1:
			probes.ns += s.selfNS
			for d := range s.joules {
				probes.joules[d] += s.joules[d]
			}
		default:
			shares[row-1] = s
		}
	}
	parts[record.Probes] = probes
	parts[record.Scheduler] = w.portion(program-running*scale, schedulerRow(p.components))
	parts[record.Children] = w.portion(v.childrenNS, childrenRow(p.components))
	parts[record.Others] = w.portion(v.othersNS, othersRow(p.components))
	parts[record.Sampler] = w.portion(v.samplerNS, samplerRow(p.components))
	v.scaleToCounter(shares, parts, w)
	return shares, parts
}

// portion is the energy of a row that ran for so long.
func (w *powers) portion(ns float64, row int) portion {
	p := portion{max(0, ns), make([]float64, w.domains)}
	for d := range p.joules {
		p.joules[d] = w.watts(row, d) * p.ns
	}
	return p
}

// scaleToCounter makes shares and parts, whose energies so far are in proportion,
// add up to what the counter gained, together with the idle machine.
// Energy that is known by test only is in a part of its own.
func (v *interval) scaleToCounter(shares map[int]share, parts map[record.Part]portion, w *powers) {
	idle := portion{joules: make([]float64, w.domains)}
	unknown := portion{joules: make([]float64, w.domains)}
	for d, gained := range v.joules {
		var sum, ns float64
		for _, c := range sortedRows(shares) {
			sum, ns = sum+shares[c].joules[d], ns+shares[c].selfNS
		}
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			sum, ns = sum+parts[name].joules[d], ns+parts[name].ns
		}
		idle.joules[d] = min(gained, w.idle[d]*v.lengthNS/1e9)
		factor, mean := 0.0, 0.0
		switch {
		case w.testOnly != nil && w.testOnly[d]:
			unknown.joules[d] = gained - idle.joules[d]
		case sum > 0:
			factor, mean = (gained-idle.joules[d])/sum, (gained-idle.joules[d])/ns
		default:
			idle.joules[d] = gained
		}
		for c, s := range shares {
			s.joules[d] *= factor
			// What its callees drew is not known by function.
			s.cumJoules[d] = s.joules[d] + mean*(s.cumNS-s.selfNS)
			shares[c] = s
		}
		for _, p := range parts {
			p.joules[d] *= factor
		}
	}
	for name, p := range parts {
		if p.ns == 0 {
			delete(parts, name)
		}
	}
	parts[record.Idle] = idle
	if slices.Contains(w.testOnly, true) {
		parts[record.NotByFunction] = unknown
	}
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

// probeCost is what a timed probe adds, in ns a call, what that of a hot function
// adds to its function's code, and what a change of blocks takes.
type probeCost struct{ inner, outer, frame, change float64 }

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
func (s share) resolved() bool { return s.selfNS >= probeError*(s.probesNS+s.framesNS) }
