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

// A counter adds up what one zone's energy_uj advances by. Its file is kept
// open: opening it for every reading would cost ten times as much.
type counter struct {
	zone  zone
	open  func(path string) (file, error)
	file  file
	last  Energy    // the latest reading
	at    time.Time // when it was made
	total Energy    // since start
	pace  pace
	// buf has room for any padding of the 20 digits of a uint64. Its size is no
	// multiple of 8 because some files that are no counter, such as
	// /proc/self/pagemap, tell themselves apart by refusing such a size.
	buf [63]byte
}

// start opens the file and takes the first reading.
func (c *counter) start(now time.Time) error {
	v, err := c.value()
	if err != nil {
		return err
	}
	c.last, c.at = v, now
	c.pace = pace{since: now}
	return nil
}

// advance reads the counter and adds what it moved by since the latest reading.
// After an error that is no meter.ErrDiscarded the latest reading stays what it
// was.
func (c *counter) advance(now time.Time) error {
	v, err := c.value()
	if err != nil {
		return err
	}
	moved, err := step(c.last, v, c.zone.wrap, now.Sub(c.at), c.pace.peakW)
	gap := now.Sub(c.at)
	c.last, c.at = v, now
	if err != nil {
		c.pace = pace{since: now, peakW: c.pace.peakW}
		return fmt.Errorf("zone %s, %v after the reading before: %w", c.zone.path, gap.Round(time.Microsecond), err)
	}
	c.total += moved
	c.pace.add(moved, now)
	return nil
}

// value reads the counter. A reading that fails is made once more with the file
// opened anew, because a zone that went away and came back has a new one.
func (c *counter) value() (Energy, error) {
	v, err := c.try()
	if err != nil {
		v, err = c.try()
	}
	return v, err
}

func (c *counter) try() (Energy, error) {
	if c.file == nil {
		f, err := c.open(c.zone.counterPath())
		if err != nil {
			return 0, err
		}
		c.file = f
	}
	v, err := c.read()
	if err != nil {
		_ = c.close() // it gave no reading: there is nothing to lose
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
	// impossibleW is more than any zone uses: the largest packages are sold for
	// 500 W and peak at twice that.
	impossibleW = 10_000
	// peakMargin is how far the power in a gap may be above the highest one that
	// was seen before it.
	peakMargin = 1.25
	// updateSlack is how far the update of a counter may lie from its reading:
	// two readings a microsecond apart can differ by what was used in a whole
	// update interval, 1.65 ms at p99 on the slowest machine known.
	updateSlack = 10 * time.Millisecond
)

// step is how far a counter moved from one reading to the next. A counter that
// steps back has wrapped once at wrap. The interval is discarded if the wrap
// is not known (0), if it would mean a power that no zone has, or if the gap
// between the readings is so long that a zone of peakW watts may have wrapped
// more than once. peakW is 0 while it is not known.
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

// A pace knows the highest power of a zone so far.
type pace struct {
	since time.Time
	moved Energy
	peakW float64
}

// paceWindow is long enough that the counter's own update interval hardly
// matters.
const paceWindow = 50 * time.Millisecond

func (p *pace) add(moved Energy, now time.Time) {
	p.moved += moved
	length := now.Sub(p.since)
	if length < paceWindow {
		return
	}
	p.peakW = max(p.peakW, p.moved.Joules()/length.Seconds())
	p.since, p.moved = now, 0
}
