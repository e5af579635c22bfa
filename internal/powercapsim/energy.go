package powercapsim

import (
	"math"
	"sort"
	"time"
)

// A history is the exact energy of a zone: pieces of constant power, or a function
// of time, plus a fraction of a ledger's energy.
type history struct {
	joules func(time.Duration) float64
	start  int64
	pieces []piece
	load   float64 // fraction of the ledger's energy
	ledger *ledger
}

// A piece has constant power from its begin until the next piece, and holds the
// energy that was used before it.
type piece struct {
	at     int64 // ns
	joules float64
	watts  float64
}

func newHistory(z Zone, now int64, l *ledger) *history {
	return &history{joules: z.Joules, start: now, pieces: []piece{{now, 0, z.Watts}}, load: z.Load, ledger: l}
}

// until is the energy in joules from the start until t, plus the zone's fraction of
// the ledger as it was last read, which does not depend on t.
func (h *history) until(t int64) float64 {
	if h.load == 0 {
		return h.own(t)
	}
	return h.own(t) + h.load*h.ledger.joules
}

// own is the energy until t without that of accounts; 0 before the start.
func (h *history) own(t int64) float64 {
	if t <= h.start {
		return 0
	}
	if h.joules != nil {
		return h.joules(time.Duration(t - h.start))
	}
	i := sort.Search(len(h.pieces), func(i int) bool { return h.pieces[i].at > t }) - 1
	p := h.pieces[i]
	return p.joules + p.watts*float64(t-p.at)/1e9
}

func (h *history) setWatts(watts float64, now int64) {
	h.pieces = append(h.pieces, piece{now, h.own(now), watts})
}

// counterUJ is the value of a counter that started at startUJ, after joules.
func counterUJ(joules float64, startUJ, rangeUJ uint64) uint64 {
	whole := math.Floor(joules/unitJ) * unitJ
	return (startUJ + uint64(whole*1e6)) % rangeUJ
}

// Square returns a function for Zone.Joules: power is lowW for half a period, then
// highW for the other half.
func Square(lowW, highW float64, period time.Duration) func(time.Duration) float64 {
	return func(elapsed time.Duration) float64 {
		half := period / 2
		full := float64(elapsed / period)
		rest := elapsed % period
		low, high := min(rest, half), max(rest-half, 0)
		return full*(lowW*half.Seconds()+highW*(period-half).Seconds()) + lowW*low.Seconds() + highW*high.Seconds()
	}
}
