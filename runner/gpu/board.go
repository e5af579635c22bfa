package gpu

import (
	"errors"
	"fmt"
	"time"

	"spell-lsp/runner/meter"
)

// A board is one GPU.
type board struct {
	number     int
	lib        library
	integrated bool      // it has no counter: its power is integrated over time
	last       uint64    // latest reading of the counter, mJ; of an integrated board, of its power, mW
	at         time.Time // of the latest reading
	millijoule float64   // since start
}

func (b *board) joules() float64 { return b.millijoule / 1000 }

// start takes the first reading, and finds out whether the board has a counter.
func (b *board) start(now time.Time) error {
	v, err := b.value()
	if errors.Is(err, errNotSupported) {
		b.integrated = true
		v, err = b.value()
	}
	if err != nil {
		return err
	}
	b.last, b.at = v, now
	return nil
}

// advance adds the energy since the latest reading. After an error other than
// meter.ErrDiscarded the latest reading stays the same.
func (b *board) advance(now time.Time) error {
	v, err := b.value()
	if err != nil {
		return err
	}
	gap := now.Sub(b.at)
	moved, err := b.step(v, gap)
	b.last, b.at = v, now
	if err != nil {
		return fmt.Errorf("GPU %d, %v after the reading before: %w", b.number, gap.Round(time.Microsecond), err)
	}
	b.millijoule += moved
	return nil
}

// impossibleW is above the power of any board.
const impossibleW = 10_000

// step is the energy between the latest reading and v, in mJ. A counter steps back
// when the driver is loaded anew.
func (b *board) step(v uint64, gap time.Duration) (float64, error) {
	moved := (float64(b.last) + float64(v)) / 2 * gap.Seconds()
	if !b.integrated {
		if v < b.last {
			return 0, fmt.Errorf("the counter stepped back from %d to %d mJ: %w", b.last, v, meter.ErrDiscarded)
		}
		moved = float64(v - b.last)
	}
	if watts := moved / 1000 / (gap + resolution).Seconds(); watts > impossibleW {
		return 0, fmt.Errorf("it would have used %.3g W: %w", watts, meter.ErrDiscarded)
	}
	return moved, nil
}

// value reads the counter or the power, with one retry.
func (b *board) value() (uint64, error) {
	v, err := b.readOnce()
	if err != nil && !errors.Is(err, errNotSupported) {
		v, err = b.readOnce()
	}
	if err != nil {
		return 0, fmt.Errorf("GPU %d: %w", b.number, err)
	}
	return v, nil
}

func (b *board) readOnce() (uint64, error) {
	if !b.integrated {
		return b.lib.energy(b.number)
	}
	milliwatt, err := b.lib.power(b.number)
	return uint64(milliwatt), err
}
