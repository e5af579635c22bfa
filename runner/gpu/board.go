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
	integrated bool      // it has no counter: power is added up over time
	last       uint64    // the counter's latest reading, mJ; of an integrated board, the power, mW
	at         time.Time // when it was made
	millijoule float64   // since start
}

func (b *board) joules() float64 { return b.millijoule / 1000 }

// start takes the first reading, and with it the way in which the board is read.
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

// advance adds what was used since the latest reading. After an error that is no
// meter.ErrDiscarded the latest reading stays what it was.
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

// impossibleW is more than any board uses.
const impossibleW = 10_000

// step is the energy between the latest reading and v, in mJ. A counter that
// steps back began anew, with the driver.
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

// value asks for the counter or the power, and once more if that fails.
func (b *board) value() (uint64, error) {
	v, err := b.try()
	if err != nil && !errors.Is(err, errNotSupported) {
		v, err = b.try()
	}
	if err != nil {
		return 0, fmt.Errorf("GPU %d: %w", b.number, err)
	}
	return v, nil
}

func (b *board) try() (uint64, error) {
	if !b.integrated {
		return b.lib.energy(b.number)
	}
	milliwatt, err := b.lib.power(b.number)
	return uint64(milliwatt), err
}
