package attribution

import (
	"maps"
	"slices"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell/record"
)

// Attribute divides the energy of an interval among the components that ran in it. What the
// counter gained beyond the idle machine's energy is divided by CPU time x power; what
// belongs to no component is in parts, by cause. Components and parts add up to what the
// counter gained.
func (t *Totals) Attribute(v *Interval, w *Powers) (shares map[int]Share, parts map[record.Part]Amount) {
	rows := t.split(v, w)
	var running float64
	for _, row := range sortedRows(rows) {
		running += rows[row].SelfNS + rows[row].ProbesNS
	}
	scale := onCPU(running, v.ProgramNS)
	program := max(v.ProgramNS, running*scale)
	shares, parts = make(map[int]Share, len(rows)), make(map[record.Part]Amount)
	probes := Amount{Joules: make([]float64, w.domains)}
	for _, row := range sortedRows(rows) {
		s := rows[row]
		s.SelfNS, s.CumNS = s.SelfNS*scale, s.CumNS*scale
		for d := range s.Joules {
			s.Joules[d] *= scale
			probes.Joules[d] += w.Watts(row, d) * s.ProbesNS * scale
		}
		probes.NS += s.ProbesNS * scale
		switch row {
		case 0:
			parts[record.TestCode] = Amount{s.SelfNS, s.Joules}
		case probe.RuntimeRow(t.components):
			parts[record.Collector] = Amount{s.SelfNS, s.Joules}
		case probe.RuntimeRow(t.components) + 1:
			probes.NS += s.SelfNS
			for d := range s.Joules {
				probes.Joules[d] += s.Joules[d]
			}
		case probe.StraysRow(t.components):
			parts[record.Strays] = Amount{s.SelfNS, s.Joules}
		default:
			shares[row-1] = s
		}
	}
	parts[record.Probes] = probes
	rest := program - running*scale
	if t.Sampled {
		seen := min(rest, v.SchedulerNS*scale)
		parts[record.Unsampled] = w.amount(rest-seen, schedulerRow(t.components))
		rest = seen
	}
	parts[record.Scheduler] = w.amount(rest, schedulerRow(t.components))
	parts[record.Children] = w.amount(v.ChildrenNS, childrenRow(t.components))
	parts[record.Others] = w.amount(v.OthersNS, othersRow(t.components))
	parts[record.Sampler] = w.amount(v.SamplerNS, samplerRow(t.components))
	v.scaleToCounter(shares, parts, w)
	v.cause(shares, parts[record.Collector])
	return shares, parts
}

// amount is the energy of a row that ran for so many ns.
func (w *Powers) amount(ns float64, row int) Amount {
	p := Amount{max(0, ns), make([]float64, w.domains)}
	for d := range p.Joules {
		p.Joules[d] = w.Watts(row, d) * p.NS
	}
	return p
}

// scaleToCounter scales shares and parts, whose energies so far are only in proportion, so
// that they add up to what the counter gained, together with the idle machine. Energy that
// depends on bytes is left to divideBytes.
func (v *Interval) scaleToCounter(shares map[int]Share, parts map[record.Part]Amount, w *Powers) {
	idle := Amount{Joules: make([]float64, w.domains)}
	for d, gained := range v.Joules {
		var sum, ns float64
		for _, c := range sortedRows(shares) {
			sum, ns = sum+shares[c].Joules[d], ns+shares[c].SelfNS
		}
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			sum, ns = sum+parts[name].Joules[d], ns+parts[name].NS
		}
		idle.Joules[d] = min(gained, w.idleW[d]*v.LengthNS/1e9)
		factor, mean := 0.0, 0.0
		switch {
		case w.ofBytes(d):
		case sum > 0:
			factor, mean = (gained-idle.Joules[d])/sum, (gained-idle.Joules[d])/ns
		default:
			idle.Joules[d] = gained
		}
		for c, s := range shares {
			s.Joules[d] *= factor
			// What the callees drew for this caller is not known: they get the mean power.
			s.CumJoules[d] = s.Joules[d] + mean*(s.CumNS-s.SelfNS)
			shares[c] = s
		}
		for _, p := range parts {
			p.Joules[d] *= factor
		}
	}
	for name, p := range parts {
		if p.NS == 0 {
			delete(parts, name)
		}
	}
	parts[record.Idle] = idle
	v.divideBytes(shares, parts, w)
}

// clockErrorNS is how far the program's CPU time may be off in an interval: one tick at each
// end.
const clockErrorNS = 2e6

// onCPU is the ratio of the CPU time of the program to the time in which goroutines were
// running. It is below 1 where other processes preempted the program.
func onCPU(running, programNS float64) float64 {
	if programNS <= 0 || running <= programNS+clockErrorNS {
		return 1
	}
	return programNS / running
}
