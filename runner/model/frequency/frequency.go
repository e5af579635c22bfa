package frequency

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"spell-lsp/runner/meter"
)

// ErrNone says that the kernel shows no frequency, as in most virtual machines.
var ErrNone = errors.New("the kernel shows no frequency of a processor")

// Window is the interval for which one weight holds: ten units of what the kernel counts.
const Window = 100 * time.Millisecond

// A Weigher knows the mean weight of the processors that were busy. It is not safe for concurrent use.
type Weigher struct {
	cores  []core
	busy   *Busy
	most   float64
	at     time.Duration
	weight float64
	// seconds is how long processors were busy in all windows so far, and weighed the same with the weight of
	// each window.
	seconds, weighed float64
}

// Open finds the processors whose frequency is shown. most is how many times the dynamic power of all
// processors at the base frequency the power limit of the machine allows, 0 if that is not known. The
// error is ErrNone where the kernel shows no frequency; any other says what is missing.
func Open(o meter.Options, cpuName string, most float64) (*Weigher, error) {
	list, err := cores(o, cpuName)
	if err != nil {
		return nil, err
	}
	busy, err := OpenBusy(o)
	if err != nil {
		return nil, errors.Join(err, closeCores(list))
	}
	return &Weigher{cores: list, busy: busy, most: most, weight: 1}, nil
}

// Weight is that of the Window before an instant, counted from Open. A window in which nobody was busy,
// or whose frequencies could not be read, leaves it as it is.
func (w *Weigher) Weight(now time.Duration) float64 {
	if length := now - w.at; length >= Window {
		w.at = now
		w.advance(length)
	}
	return w.weight
}

// Totals are the seconds for which processors were busy in all windows so far, as they are and weighed.
func (w *Weigher) Totals() (seconds, weighed float64) { return w.seconds, w.weighed }

func (w *Weigher) advance(length time.Duration) {
	all, err := w.busy.Next()
	defer func() { w.seconds, w.weighed = w.seconds+all, w.weighed+all*w.weight }()
	var sum, seconds float64
	for i := range w.cores {
		c := &w.cores[i]
		var busy float64
		if c.number < len(w.busy.Seconds) {
			busy = w.busy.Seconds[c.number]
		}
		if busy == 0 && !c.states {
			continue // reading the present frequency can wake the processor
		}
		if weight, ok := c.mean(); ok {
			sum, seconds = sum+busy*weight, seconds+busy
		}
	}
	if err != nil || seconds == 0 {
		return
	}
	w.weight = sum / seconds
	if use := all / (length.Seconds() * float64(len(w.busy.Seconds))); w.most > 0 {
		w.weight = min(w.weight, w.most/min(use, 1))
	}
}

// Basis says in a few words what weights rest on.
func (w *Weigher) Basis() string {
	from := fmt.Sprintf("scaling_cur_freq each %v", Window)
	if w.cores[0].states {
		from = fmt.Sprintf("time_in_state over %v", Window)
	}
	low := slices.MinFunc(w.cores, func(a, b core) int { return int(a.Base - b.Base) }).Base
	high := slices.MaxFunc(w.cores, func(a, b core) int { return int(a.Base - b.Base) }).Base
	base := fmt.Sprintf("%.2f", low/1e6)
	if low != high {
		base += fmt.Sprintf(" to %.2f", high/1e6)
	}
	return fmt.Sprintf("%s, base frequency %s GHz", from, base)
}

// Close closes the files.
func (w *Weigher) Close() error { return errors.Join(w.busy.Close(), closeCores(w.cores)) }
