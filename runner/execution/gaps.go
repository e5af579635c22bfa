package execution

import "spell-lsp/runner/sampler"

// Quality describes how evenly a meter was read while programs ran.
type Quality struct {
	GapP99MS    float64 // 99th percentile of the time between readings
	UncertainMS float64 // mean error of the instants of readings
	SamplerLoad float64 // number of processors that the sampler kept busy
}

// Quality covers all executions since the meter was opened.
func (m *Meter) Quality() Quality { return Quality{m.gaps.p99(), m.gaps.uncertain(), m.gaps.load()} }

// gaps counts the times between readings.
type gaps struct {
	before        int64
	counts        [500]int // by tenth of a millisecond, the last for all above
	n             int
	uncertainNS   float64
	start, end    int64
	ownNS, ownEnd int64
}

func (g *gaps) add(r sampler.Reading) {
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

// pause leaves out the time up to the next reading.
func (g *gaps) pause() { g.before = 0 }

// p99 is the 99th percentile of the gaps, in ms.
func (g *gaps) p99() float64 {
	seen := 0
	for i, n := range g.counts {
		if seen += n; seen*100 >= g.n*99 && g.n > 0 {
			return float64(i+1) / 10
		}
	}
	return 0
}

// uncertain is the mean error of the instants of readings, in ms.
func (g *gaps) uncertain() float64 {
	if g.n == 0 {
		return 0
	}
	return g.uncertainNS / float64(g.n) / 1e6
}

// load is the number of processors that the sampler kept busy.
func (g *gaps) load() float64 {
	if g.end <= g.start {
		return 0
	}
	return float64(g.ownEnd-g.ownNS) / float64(g.end-g.start)
}
