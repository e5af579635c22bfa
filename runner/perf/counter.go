package perf

import (
	"fmt"
	"time"

	"spell-lsp/runner/meter"
)

// An event is an open perf event.
type event interface {
	read() (reading, error)
	close() error
}

// A reading is the result of read(2) on an event with the read format
// PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING.
type reading struct {
	count   uint64        // in the PMU's unit, since the event was opened
	enabled time.Duration // time for which it was enabled
	running time.Duration // time for which it counted
}

// A counter adds up the increments of one event.
type counter struct {
	name  string // for errors
	event event
	scale float64 // joules of one count
	now   func() time.Time
	last  reading
	at    time.Time
	total uint64 // counts since start
	// missed says that the latest reading failed or was discarded, of a counter that is read apart.
	missed bool
}

func (c *counter) joules() float64 { return float64(c.total) * c.scale }

func (c *counter) start() error {
	r, err := c.value()
	if err != nil {
		return err
	}
	c.last, c.at = r, c.now()
	return nil
}

// advance reads the event and adds its increment. After an error other than
// meter.ErrDiscarded the latest reading stays the same.
func (c *counter) advance() error {
	r, err := c.value()
	if err != nil {
		return err
	}
	now := c.now()
	moved, err := step(c.last, r, c.scale, now.Sub(c.at))
	gap := now.Sub(c.at)
	c.last, c.at = r, now
	if err != nil {
		return fmt.Errorf("%s, %v after the reading before: %w", c.name, gap.Round(time.Microsecond), err)
	}
	c.total += moved
	return nil
}

// value reads the event, with one retry.
func (c *counter) value() (reading, error) {
	r, err := c.event.read()
	if err != nil {
		r, err = c.event.read()
	}
	if err != nil {
		return reading{}, fmt.Errorf("reading %s: %w", c.name, err)
	}
	return r, nil
}

const (
	// impossibleW is above the power of any package.
	impossibleW = 10_000
	// updateSlack bounds the time between the update of a counter and its reading.
	updateSlack = 10 * time.Millisecond
)

// step is the increment of an event from one reading to the next, in counts. The
// interval is discarded if the event did not count all the time, if it steps back, which
// the kernel rules out, or if the power would be impossible.
func step(last, r reading, scale float64, gap time.Duration) (uint64, error) {
	if r.count < last.count {
		return 0, fmt.Errorf("the counter stepped back from %d to %d: %w", last.count, r.count, meter.ErrDiscarded)
	}
	moved := r.count - last.count
	if watts := float64(moved) * scale / (gap + updateSlack).Seconds(); watts > impossibleW {
		return 0, fmt.Errorf("the counter went from %d to %d, which would be %.3g W: %w", last.count, r.count, watts, meter.ErrDiscarded)
	}
	enabled, running := r.enabled-last.enabled, r.running-last.running
	if running < enabled {
		return 0, fmt.Errorf("the event counted for %v of %v only: %w", running, enabled, meter.ErrDiscarded)
	}
	return moved, nil
}
