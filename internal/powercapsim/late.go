package powercapsim

import "time"

// Lateness is the delay of updates after their intended times.
type Lateness struct {
	Updates  int           `json:"updates"`
	P50      time.Duration `json:"p50_ns"`
	P99      time.Duration `json:"p99_ns"`
	Max      time.Duration `json:"max_ns"`
	Schedule string        `json:"schedule"` // SCHED_FIFO, nice -20, ...; "" for the default policy
}

// A histogram counts durations by microseconds; the last bin counts all longer ones.
type histogram struct {
	bins [5001]int
	n    int
	max  time.Duration
}

func (h *histogram) add(d time.Duration) {
	h.bins[min(max(int(d/time.Microsecond), 0), len(h.bins)-1)]++
	h.n++
	h.max = max(h.max, d)
}

func (h *histogram) lateness(schedule string) Lateness {
	return Lateness{h.n, h.quantile(0.5), h.quantile(0.99), h.max, schedule}
}

// quantile is the upper end of the bin with the q-quantile, at most the longest duration.
func (h *histogram) quantile(q float64) time.Duration {
	below := 0
	for i, n := range h.bins {
		below += n
		if below > 0 && float64(below) >= q*float64(h.n) {
			return min(time.Duration(i+1)*time.Microsecond, h.max)
		}
	}
	return 0
}
