package power

import "math"

// spikes finds ticks with an impossible power: counters have glitches, and least squares
// would follow them. A power is impossible above spikeFactor times the power that all but
// one tick in spikeOneIn (and one more) stay below. A burst that occurs more often raises
// this limit itself.
type spikes struct {
	counts [][]uint32 // ticks by domain and bin of power
	limits []float64  // W, by domain
	ticks  int
}

const (
	spikeFactor   = 5
	spikeOneIn    = 500
	spikeMinTicks = 20      // with fewer ticks nothing is impossible
	spikeRelearn  = 1 << 12 // ticks after which the limits are computed anew
	binShift      = 49      // a bin is the exponent and three bits of the fraction
)

func newSpikes(domains int) spikes {
	s := spikes{counts: make([][]uint32, domains), limits: make([]float64, domains)}
	for d := range s.counts {
		s.counts[d] = make([]uint32, 1<<(63-binShift))
		s.limits[d] = math.Inf(1)
	}
	return s
}

// add counts a valid tick.
func (s *spikes) add(t *Tick) {
	for d, j := range t.Joules {
		s.counts[d][math.Float64bits(j/t.Seconds)>>binShift]++
	}
	if s.ticks++; s.ticks%spikeRelearn == 0 {
		s.learn()
	}
}

// learn computes the limits from the ticks so far.
func (s *spikes) learn() {
	if s.ticks < spikeMinTicks {
		return
	}
	for d, counts := range s.counts {
		above, bin := 0, len(counts)-1
		for ; bin > 0; bin-- {
			if above += int(counts[bin]); above > 1+s.ticks/spikeOneIn {
				break
			}
		}
		s.limits[d] = spikeFactor * math.Float64frombits(uint64(bin+1)<<binShift)
	}
}

// impossible reports whether the power of a tick is above the limit in any domain.
func (s *spikes) impossible(t *Tick) bool {
	for d, j := range t.Joules {
		if j > s.limits[d]*t.Seconds {
			return true
		}
	}
	return false
}
