package runner

import (
	"fmt"
	"slices"

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
func (m *measurement) describe(r *record.Meter) {
	if !m.info.Counter {
		return
	}
	r.GapP99MS, r.TimingMS, r.SamplerCPU = m.gaps.p99(), m.gaps.uncertain(), m.gaps.load()
	if r.GapP99MS > worstGapMS {
		r.Quality = record.Degraded
		r.Warnings = append(slices.Clone(r.Warnings), fmt.Sprintf("The meter was read unevenly: 1 of 100 readings came more than %.1f ms after the one before, as the machine was busy. What ran for a short time is known less well.", r.GapP99MS))
	}
}

// A gapCount tells how evenly the meter was read.
type gapCount struct {
	before        int64
	counts        [500]int // by tenth of a millisecond, the last for all above
	n             int
	uncertainNS   float64
	start, end    int64
	ownNS, ownEnd int64
}

func (g *gapCount) add(r sampler.Reading) {
	if g.start == 0 {
		g.start, g.ownNS = r.PublishedNS, r.OwnNS
	}
	if gap := r.PublishedNS - g.before; g.before != 0 && gap >= 0 {
		g.counts[min(int(gap/100_000), len(g.counts)-1)]++
		g.n++
		g.uncertainNS += float64(r.UncertainNS)
	}
	g.before, g.end, g.ownEnd = r.PublishedNS, r.PublishedNS, r.OwnNS
}

// pause leaves out the time until the next reading.
func (g *gapCount) pause() { g.before = 0 }

// p99 is the gap that 99 of 100 do not exceed, in ms.
func (g *gapCount) p99() float64 {
	seen := 0
	for i, n := range g.counts {
		if seen += n; seen*100 >= g.n*99 && g.n > 0 {
			return float64(i+1) / 10
		}
	}
	return 0
}

// uncertain is how far off the moments of readings are on average, in ms.
func (g *gapCount) uncertain() float64 {
	if g.n == 0 {
		return 0
	}
	return g.uncertainNS / float64(g.n) / 1e6
}

// load is how many processors the sampler kept busy.
func (g *gapCount) load() float64 {
	if g.end <= g.start {
		return 0
	}
	return float64(g.ownEnd-g.ownNS) / float64(g.end-g.start)
}
