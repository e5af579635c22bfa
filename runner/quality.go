package runner

import (
	"fmt"
	"math"
	"slices"

	"spell-lsp/runner/execution"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/record"
)

// resolutionMS is how often a reading changes, in ms.
func resolutionMS(info meter.Info) float64 {
	if !info.Counter {
		return float64(max(info.Resolution, sampler.Tick)) / 1e6
	}
	return float64(info.Resolution) / 1e6
}

// maxGapP99MS is how far readings may be apart, 99 of 100, for the run to be good.
const maxGapP99MS = 5

// describe says in the record how well the meter was read.
func describe(r *record.Meter, q execution.Quality) {
	r.GapP99MS, r.TimingMS, r.SamplerCPU = q.GapP99MS, q.UncertainMS, q.SamplerLoad
	if r.GapP99MS > maxGapP99MS {
		r.Quality = record.Degraded
		r.Warnings = append(slices.Clone(r.Warnings), fmt.Sprintf("The meter was read unevenly: 1 of 100 readings came more than %.1f ms after the one before, as the machine was busy. What ran for a short time is known less well.", r.GapP99MS))
	}
}

// markShortTests marks the tests whose windows are too short for a meter whose
// moments are known within so many ms: errors of the edges of n windows add up to
// the root of n of one's.
func markShortTests(r *record.Run, rounds []*round, uncertainMS float64) {
	lengths, windows := make(map[string]float64), make(map[string]float64)
	for _, round := range rounds {
		for _, o := range round.tests {
			name := o.pkg + "." + o.name
			lengths[name] += o.timeMS * o.executions
			windows[name] += o.executions
		}
	}
	needed := resolvedMS * min(1, 2*uncertainMS)
	for i := range r.Tests {
		name := r.Tests[i].Name
		r.Tests[i].BelowResolution = lengths[name] < needed*math.Sqrt(windows[name])
	}
}
