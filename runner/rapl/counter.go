package rapl

import (
	"errors"
	"fmt"
	"io"
	"time"

	"spell-lsp/runner/meter"
)

// A file is an open energy_uj.
type file interface {
	io.ReaderAt
	io.Closer
}

// A counter adds up the increments of one zone's energy_uj. Its file stays open:
// opening it for every reading would cost ten times as much.
type counter struct {
	zone zone
	// number is that of the package; "" where it has none.
	number string
	open   func(path string) (file, error)
	file   file
	last   Energy    // the latest reading
	at     time.Time // of the latest reading
	total  Energy    // since start
	missed bool      // the latest reading failed or was discarded; only of those that are read apart
	peak   peak
	// buf has room for the 20 digits of a uint64 with padding. Its size is no multiple
	// of 8, so that reading a file of binary records that is no counter, such as
	// /proc/self/pagemap, fails.
	buf [63]byte
}

// start opens the file and takes the first reading.
func (c *counter) start(now time.Time) error {
	v, err := c.value()
	if err != nil {
		return err
	}
	c.last, c.at = v, now
	c.peak = peak{since: now}
	return nil
}

// advance reads the counter and adds the increment since the latest reading. After
// an error other than meter.ErrDiscarded the latest reading stays the same.
func (c *counter) advance(now time.Time) error {
	v, err := c.value()
	if err != nil {
		return err
	}
	moved, err := step(c.last, v, c.zone.wrap, now.Sub(c.at), c.peak.watts)
	gap := now.Sub(c.at)
	c.last, c.at = v, now
	if err != nil {
		c.peak = peak{since: now, watts: c.peak.watts}
		return fmt.Errorf("zone %s, %v after the reading before: %w", c.zone.path, gap.Round(time.Microsecond), err)
	}
	c.total += moved
	c.peak.add(moved, now)
	return nil
}

// value reads the counter. A failed reading is retried once with the file opened
// anew, because a zone that disappeared and came back has a new file.
func (c *counter) value() (Energy, error) {
	v, err := c.readOnce()
	if err != nil {
		v, err = c.readOnce()
	}
	return v, err
}

func (c *counter) readOnce() (Energy, error) {
	if c.file == nil {
		f, err := c.open(c.zone.counterPath())
		if err != nil {
			return 0, err
		}
		c.file = f
	}
	v, err := c.read()
	if err != nil {
		_ = c.close() // the reading has failed already
		return 0, fmt.Errorf("reading %s: %w", c.zone.counterPath(), err)
	}
	return v, nil
}

func (c *counter) read() (Energy, error) {
	n, err := c.file.ReadAt(c.buf[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if n == len(c.buf) {
		return 0, fmt.Errorf("%w: more than %d characters", errTooLarge, n-1)
	}
	v, err := parseEnergy(c.buf[:n])
	if err == nil && c.zone.wrap > 0 && v > c.zone.wrap {
		return 0, fmt.Errorf("%w: %d is above max_energy_range_uj, %d", errTooLarge, uint64(v), uint64(c.zone.wrap))
	}
	return v, err
}

func (c *counter) close() error {
	if c.file == nil {
		return nil
	}
	f := c.file
	c.file = nil
	return f.Close()
}

const (
	// impossibleW is above the power of any zone: the largest packages have a thermal
	// design power of 500 W and peak at twice that.
	impossibleW = 10_000
	// peakMargin is the factor by which the power in a gap may exceed the highest power
	// before it.
	peakMargin = 1.25
	// updateSlack bounds the time between the update of a counter and its reading: two
	// readings a microsecond apart can differ by the energy of a whole update interval,
	// 1.65 ms at p99 on the slowest machine known.
	updateSlack = 10 * time.Millisecond
)

// step is the increment of a counter from one reading to the next. A counter that
// steps back has wrapped once, at wrap. The interval is discarded if it steps back and
// wrap is unknown (0), if the power would be impossible, or if the gap between the
// readings is so long that a zone of peakW watts may have wrapped more than once. peakW
// is 0 while unknown.
func step(last, v, wrap Energy, gap time.Duration, peakW float64) (Energy, error) {
	moved := v - last
	if v < last {
		if wrap == 0 {
			return 0, fmt.Errorf("the counter stepped back from %d to %d µJ and max_energy_range_uj does not say where it wraps: %w", uint64(last), uint64(v), meter.ErrDiscarded)
		}
		moved = wrap - last + v
	}
	if watts := moved.Joules() / (gap + updateSlack).Seconds(); watts > impossibleW {
		return 0, fmt.Errorf("the counter went from %d to %d µJ, which would be %.3g W: %w", uint64(last), uint64(v), watts, meter.ErrDiscarded)
	}
	if wrap > 0 && peakMargin*peakW*gap.Seconds() > wrap.Joules() {
		return 0, fmt.Errorf("at up to %.3g W the counter, which wraps at %v, may have wrapped more than once: %w", peakW, wrap, meter.ErrDiscarded)
	}
	return moved, nil
}

// A peak is the highest mean power of a zone over windows of at least peakWindow.
type peak struct {
	since time.Time // start of the current window
	moved Energy    // in the current window
	watts float64   // highest of all complete windows, 0 without one
}

// peakWindow is long enough that the counter's update interval hardly matters.
const peakWindow = 50 * time.Millisecond

func (p *peak) add(moved Energy, now time.Time) {
	p.moved += moved
	length := now.Sub(p.since)
	if length < peakWindow {
		return
	}
	p.watts = max(p.watts, p.moved.Joules()/length.Seconds())
	p.since, p.moved = now, 0
}
