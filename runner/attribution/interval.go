package attribution

import (
	"math"

	"spell-lsp/instrument/probe"
)

// An Interval is the time in which one test ran in one process, and what was counted, used
// and read in it. A test may have several windows of time, which are added up.
type Interval struct {
	Counts map[int]probe.Count // by row
	Cost   ProbeCost
	Joules []float64 // what the counter gained, by domain
	// Separate is what the counters beside the domains gained; not a number where that is not known.
	Separate []float64
	// CPU time: of the program, with that of child processes whose goroutines are in Counts, 0 if it
	// is not known; of other processes and of the sampler, 0 for a meter that does not see them; and
	// of child processes beyond that.
	LengthNS, ProgramNS, OthersNS, SamplerNS, ChildrenNS float64
	SchedulerNS                                          float64 // what samples saw of the scheduler, of programs without probes
	// StraysNS is how long goroutines ran that had outlived their tests, by the indices of their
	// go statements in Strays, which are those of the whole process.
	StraysNS map[int]float64
	Strays   []probe.Stray
}

// Interval is one window of a program, whose ticks have all been settled.
func (k *Timeline) Interval(m *Machine, w probe.Window, cost ProbeCost) *Interval {
	from, to := k.at(w.Start), k.at(w.End)
	v := &Interval{
		Counts: w.Counts, Cost: cost, LengthNS: float64(w.End - w.Start), Joules: to.joules, Separate: to.separate,
		ProgramNS: to.cpu - from.cpu, ChildrenNS: to.children - from.children, StraysNS: w.StraysNS,
		SchedulerNS: float64(w.SchedulerNS),
	}
	if w.CPUNS > 0 {
		v.ProgramNS = float64(w.CPUNS)
	}
	family := min(w.ChildrenNS, v.ChildrenNS)
	v.ProgramNS, v.ChildrenNS = v.ProgramNS+family, v.ChildrenNS-family
	if m.WholeMachine {
		v.OthersNS, v.SamplerNS = to.others-from.others, to.own-from.own
	}
	for d := range v.Joules {
		v.Joules[d] -= from.joules[d]
	}
	for s := range v.Separate {
		if v.Separate[s] -= from.separate[s]; k.lacks(s, w.Start, w.End) {
			v.Separate[s] = math.NaN()
		}
	}
	return v
}

// Add makes one of two intervals of one execution.
func (v *Interval) Add(w *Interval) {
	for row, c := range w.Counts {
		v.Counts[row] = v.Counts[row].Plus(c)
	}
	if v.StraysNS == nil {
		v.StraysNS = w.StraysNS
	} else {
		for slot, ns := range w.StraysNS {
			v.StraysNS[slot] += ns
		}
	}
	for d := range v.Joules {
		v.Joules[d] += w.Joules[d]
	}
	for s := range v.Separate {
		v.Separate[s] += w.Separate[s]
	}
	v.SchedulerNS += w.SchedulerNS
	v.LengthNS, v.ProgramNS = v.LengthNS+w.LengthNS, v.ProgramNS+w.ProgramNS
	v.OthersNS, v.SamplerNS, v.ChildrenNS = v.OthersNS+w.OthersNS, v.SamplerNS+w.SamplerNS, v.ChildrenNS+w.ChildrenNS
}
