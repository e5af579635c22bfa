package runner

import (
	"math"
	"slices"
	"time"

	"spell-lsp/runner/execution"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// resolutionMS is the time between changes of a reading that is made once in a period, in ms.
func resolutionMS(info meter.Info, period time.Duration) float64 {
	if !info.Counter {
		period = max(period, sampler.Tick)
	}
	return milliseconds(max(info.Resolution, period))
}

// maxGapP99MS is the largest 99th percentile of gaps between readings of a run that is not
// degraded, unless its period is half as long or longer.
const maxGapP99MS = 5

// describe adds to the record how evenly the meter was read.
func describe(r *record.Meter, q execution.Quality, period time.Duration) {
	r.GapP99MS, r.TimingMS, r.SamplerCPU = q.GapP99MS, q.UncertainMS, q.SamplerLoad
	if r.GapP99MS > max(maxGapP99MS, 2*milliseconds(period)) {
		r.Quality = record.Degraded
		r.Notes = append(slices.Clone(r.Notes), note.ReadUnevenly(r.GapP99MS))
	}
}

// markShortTests marks the tests that are too short for a meter whose instants have an error of
// uncertainMS. The error of the edges of n windows is sqrt(n) times that of one.
//
// The host's share has a resolution of a second in place of a millisecond: it resolves tests that are
// as many times longer.
func markShortTests(r *record.Run, rounds []*round, uncertainMS float64, info meter.Info) {
	lengths, windows := make(map[string]float64), make(map[string]float64)
	for _, round := range rounds {
		for _, o := range round.tests {
			name := o.pkg + "." + o.name
			o.each(func(part *observation) {
				lengths[name] += part.ownMS() * part.executions
				windows[name] += part.edges()
			})
		}
	}
	needed := resolvedMS * min(1, 2*uncertainMS)
	if slices.Contains(info.Whole, true) {
		needed = resolvedMS * milliseconds(info.Resolution)
	}
	for i := range r.Tests {
		name := r.Tests[i].Name
		r.Tests[i].BelowResolution = lengths[name] < needed*math.Sqrt(windows[name])
	}
}
