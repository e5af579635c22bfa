package runner

import (
	"fmt"
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

// worstGapMS is how far readings may be apart, 99 of 100, for the run to be good.
const worstGapMS = 5

// describe says in the record how well the meter was read.
func describe(r *record.Meter, q execution.Quality) {
	r.GapP99MS, r.TimingMS, r.SamplerCPU = q.GapP99MS, q.UncertainMS, q.SamplerLoad
	if r.GapP99MS > worstGapMS {
		r.Quality = record.Degraded
		r.Warnings = append(slices.Clone(r.Warnings), fmt.Sprintf("The meter was read unevenly: 1 of 100 readings came more than %.1f ms after the one before, as the machine was busy. What ran for a short time is known less well.", r.GapP99MS))
	}
}
