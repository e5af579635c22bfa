package runner

import (
	"slices"

	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// learnSizes chooses functions whose calls note their sizes from now on: those that take long, where
// functions are ranked. One that was chosen stays so. The function with blocks has none: the blocks
// have its time.
func (m *measurement) learnSizes(log *probe.Log, programNS float64) {
	if m.Granularity != spell.KindFunction && m.Granularity != spell.KindBlock {
		return
	}
	for _, component := range log.WorthSizing(programNS, m.build.Sizes) {
		blocks := m.build.LastBlock > 0 && component == m.build.Owner
		if len(m.setUp.Sized) < probe.MostSized && !blocks && !slices.Contains(m.setUp.Sized, component) {
			m.setUp.Sized = append(slices.Clip(m.setUp.Sized), component) // rounds may be under way with the list
		}
	}
}

// addSizes adds the calls by size to the functions that noted them: for each test the mean of one
// execution, added up.
func (m *measurement) addSizes(r *record.Run) {
	of := m.placesIn(r)
	for _, component := range m.setUp.Sized {
		i := of[component]
		if i < 0 || r.Components[i].Kind != spell.KindFunction {
			continue
		}
		var noted record.Component
		var selfMS, cumMS float64 // of all timed calls
		m.eachObservation(func(_, o *observation, weight float64) {
			for _, v := range o.intervals {
				c := v.Counts[component+1]
				probes := float64(c.Timed+c.Literals) * v.Cost.InnerNS
				selfMS += weight * max(0, float64(c.SelfNS)-probes) / 1e6
				cumMS += weight * max(0, float64(c.CumNS)-probes) / 1e6
			}
			for _, s := range o.sizes {
				if s.Row == component+1 && s.Size < len(m.build.Sizes[component]) {
					noted.AddSizedCalls([]record.SizedCalls{sizedCalls(m.build.Sizes[component][s.Size], s)}, weight)
				}
			}
		})
		slices.SortFunc(noted.SizedCalls, func(a, b record.SizedCalls) int {
			names := m.build.Sizes[component]
			return slices.Index(names, a.Size) - slices.Index(names, b.Size)
		})
		c := &r.Components[i]
		c.SetSizedCalls(noted.SizedCalls, part(c.TimeMS, selfMS), part(c.CumTimeMS, cumMS))
	}
}

func sizedCalls(size string, s probe.Sized) record.SizedCalls {
	return record.SizedCalls{Size: size, Buckets: []record.SizeBucket{{
		Low: s.Low, High: s.High, Mean: s.Mean, N: float64(s.N), TimeMS: float64(s.SelfNS) / 1e6, CumTimeMS: float64(s.CumNS) / 1e6,
	}}}
}

// withoutProbes takes out of the calls what the probe of each adds to it. That matters where they are short:
// it would make the smallest sizes too dear.
func withoutProbes(calls []probe.Sized, innerNS float64) []probe.Sized {
	for i := range calls {
		s := &calls[i]
		probes := min(s.SelfNS, uint64(float64(s.N)*innerNS))
		s.SelfNS, s.CumNS = s.SelfNS-probes, s.CumNS-probes
	}
	return calls
}

// part is what of a time that probes measured, without those of its own calls, is the function's: the rest is that of
// its callees' probes, and of callees which only samples see. Where calls were not timed, the function has more.
func part(own, measured float64) float64 {
	if measured <= 0 {
		return 1
	}
	return min(1, own/measured)
}
