package probe

import (
	"fmt"
	"slices"
	"time"
)

// A Moment is what a program had counted while it ran.
type Moment struct {
	At     time.Duration // since the machine was started (CLOCK_MONOTONIC)
	totals []counters
	stacks []uint64
	groups *groupTable
	sizes  *sizeTable
	moved  []Moved
	lostNS uint64
	family uint64 // running time of child processes with probes, ticks
	stops  uint64 // see Log.Stops
}

// Moment reads what a program has counted so far; at is the time. A processor adds what runs on
// it when a probe fires or its goroutine stops running, at the latest after 10 ms.
func (f *File) Moment(at time.Duration) (*Moment, error) {
	m, err := f.moment(at)
	if err != nil {
		return nil, fmt.Errorf("reading the probe's file: %w", err)
	}
	return m, nil
}

func (f *File) moment(at time.Duration) (*Moment, error) {
	t, err := f.table()
	if err != nil {
		return nil, err
	}
	m := &Moment{At: at, lostNS: t.head[headLost]}
	if m.totals, err = t.totals(); err != nil {
		return nil, err
	}
	if m.moved, err = t.moves(); err != nil {
		return nil, err
	}
	if m.family, err = t.family(); err != nil {
		return nil, err
	}
	if m.groups, err = t.grouped(); err != nil {
		return nil, err
	}
	if m.sizes, err = t.sizeTable(f.setup.Sized); err != nil {
		return nil, err
	}
	if m.stops, err = t.stops(); err != nil {
		return nil, err
	}
	m.stacks, err = t.words(t.stacks(), callSlots*callWords)
	return m, err
}

// ReadProgram makes a log of what a program counted between two moments: one window, of a test of
// that name, in place of those of package testing. The program need not have ended.
func (f *File) ReadProgram(test string, from, to *Moment) (*Log, error) {
	if f.damage != nil {
		return nil, f.damage
	}
	log, err := f.readProgram(test, from, to)
	if err != nil {
		return nil, fmt.Errorf("reading the probe's file: %w", err)
	}
	return log, nil
}

func (f *File) readProgram(test string, from, to *Moment) (*Log, error) {
	t, err := f.table()
	if err != nil {
		return nil, err
	}
	log := &Log{}
	if err := t.describe(log); err != nil {
		return nil, err
	}
	log.LostNS, log.Stops = to.lostNS-from.lostNS, to.stops-min(to.stops, from.stops)
	counts, err := from.until(to, t.scale())
	if err != nil {
		return nil, err
	}
	children := float64(to.family-min(to.family, from.family)) * t.scale()
	if children > mostCounted {
		return nil, fmt.Errorf("child processes ran for %g ns", children)
	}
	log.Windows = []Window{{Test: test, Start: int64(from.At), End: int64(to.At), Counts: counts, ChildrenNS: children}}
	if log.Groups, err = to.groups.since(from.groups).of([]string{test}); err != nil {
		return nil, err
	}
	if log.Sizes, err = to.sizes.since(from.sizes).of([]string{test}); err != nil {
		return nil, err
	}
	log.Calls, log.Parts, err = t.calls(slotsSince(from.stacks, to.stacks), []string{test})
	return log, err
}

// slotsSince are the slots of a table with the time that was booked between two moments.
func slotsSince(from, to []uint64) []uint64 {
	slots := slices.Clone(to)
	for slot := 0; slot < len(slots); slot += callWords {
		if from[slot] == slots[slot] {
			slots[slot+1] -= min(slots[slot+1], from[slot+1])
		}
	}
	return slots
}

// until is what each row counted between two moments.
func (m *Moment) until(to *Moment, scale float64) (map[int]Count, error) {
	counts := make(map[int]Count)
	for row, c := range to.totals {
		for i := range c {
			c[i] -= m.totals[row][i]
		}
		if c == (counters{}) {
			continue
		}
		var err error
		if counts[row], err = c.count(scale); err != nil {
			return nil, fmt.Errorf("row %d: %w", row, err)
		}
	}
	for row, moved := range to.moved {
		if moved = moved.minus(m.moved[row]); moved.Largest() > mostCounted {
			return nil, fmt.Errorf("row %d moved %d bytes", row, moved.Largest())
		} else if moved != (Moved{}) {
			counts[row] = counts[row].Plus(Count{Moved: moved})
		}
	}
	return counts, nil
}

// SelfNS is the running time of each component since a moment, of its own code, as probes and
// samples tell it. It costs little enough to be asked for each second.
func (f *File) SelfNS(from *Moment) (map[int]float64, error) {
	t, err := f.table()
	if err != nil {
		return nil, fmt.Errorf("reading the probe's file: %w", err)
	}
	now := &Moment{}
	if now.totals, err = t.totals(); err != nil {
		return nil, fmt.Errorf("reading the probe's file: %w", err)
	}
	counts, err := from.until(now, t.scale())
	if err != nil {
		return nil, fmt.Errorf("reading the probe's file: %w", err)
	}
	own := make(map[int]float64)
	for row, c := range counts {
		kept := 1.0
		if seen := c.KeptNS + c.LostNS; seen > 0 {
			kept = float64(c.KeptNS) / float64(seen)
		}
		if component := row - 1; component >= 0 && component < f.setup.Components {
			own[component] = float64(c.SelfNS)*kept + float64(c.GainedNS)
		}
	}
	return own, nil
}
