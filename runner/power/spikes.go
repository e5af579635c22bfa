package power

import "math"

// Spikes knows which power is impossible: counters have hiccups, and least
// squares would follow them. A tick's power is impossible above spikeFactor
// times what all but one tick in spikeRare (and one more) stay below. A burst
// that comes more often than that sets the bar itself.
type spikes struct {
	counts [][]uint32 // ticks by domain and bin of power
	bars   []float64  // W by domain
	ticks  int
}

const (
	spikeFactor = 5
	spikeRare   = 500
	spikeLeast  = 20      // ticks, before which nothing is impossible
	spikeRenew  = 1 << 12 // ticks, after which the bars are set anew
	binShift    = 49      // bins are the sign, exponent and three bits of the fraction
)

func newSpikes(domains int) spikes {
	s := spikes{counts: make([][]uint32, domains), bars: make([]float64, domains)}
	for d := range s.counts {
		s.counts[d] = make([]uint32, 1<<(63-binShift))
		s.bars[d] = math.Inf(1)
	}
	return s
}

// add counts a valid tick.
func (s *spikes) add(t *Tick) {
	for d, j := range t.Joules {
		s.counts[d][math.Float64bits(j/t.Seconds)>>binShift]++
	}
	if s.ticks++; s.ticks%spikeRenew == 0 {
		s.learn()
	}
}

// learn sets the bars by the ticks so far.
func (s *spikes) learn() {
	if s.ticks < spikeLeast {
		return
	}
	for d, counts := range s.counts {
		above, bin := 0, len(counts)-1
		for ; bin > 0; bin-- {
			if above += int(counts[bin]); above > 1+s.ticks/spikeRare {
				break
			}
		}
		s.bars[d] = spikeFactor * math.Float64frombits(uint64(bin+1)<<binShift)
	}
}

// impossible reports whether no processor can have drawn what the tick says.
func (s *spikes) impossible(t *Tick) bool {
	for d, j := range t.Joules {
		if j > s.bars[d]*t.Seconds {
			return true
		}
	}
	return false
}
