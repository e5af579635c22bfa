package frequency

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"spell-lsp/runner/meter"
	"spell-lsp/spell/regularfile"
)

// ticksPerSecond is the unit of CPU time in /proc/stat and of time_in_state (USER_HZ, proc_stat(5)).
const ticksPerSecond = 100

// Busy is how long each processor was busy, from /proc/stat.
type Busy struct {
	file *os.File
	text []byte
	last []int64 // ticks, by the number of the processor; -1 for one that was off
	// Seconds are those of the last interval, by the number of the processor.
	Seconds []float64
}

// OpenBusy begins the first interval.
func OpenBusy(o meter.Options) (*Busy, error) {
	file, err := regularfile.Open(o.Proc("stat"))
	if err != nil {
		return nil, fmt.Errorf("reading how busy processors are: %w", err)
	}
	b := &Busy{file: file, text: make([]byte, 1<<20)}
	if _, err := b.Next(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return b, nil
}

// Next ends an interval, fills Seconds, and begins another. It returns the sum.
func (b *Busy) Next() (seconds float64, err error) {
	n, err := b.file.ReadAt(b.text, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("reading how busy processors are: %w", err)
	}
	clear(b.Seconds)
	found := false
	for line := range bytes.Lines(b.text[:n]) {
		name, ok := bytes.CutPrefix(line, []byte("cpu"))
		if !ok {
			break // the other lines follow
		}
		number, times := numberAt(name)
		if number < 0 || number > maxCPU {
			continue // the sum of all
		}
		ticks, ok := busyTicks(times)
		if !ok {
			return 0, fmt.Errorf("%s: %q does not say how busy a processor is", b.file.Name(), bytes.TrimSpace(line))
		}
		found = true
		seconds += b.add(int(number), ticks)
	}
	if !found {
		return 0, fmt.Errorf("%s names no processor", b.file.Name())
	}
	return seconds, nil
}

const maxCPU = 1 << 13 // CONFIG_NR_CPUS is at most that

func (b *Busy) add(number int, ticks int64) float64 {
	for len(b.last) <= number {
		b.last, b.Seconds = append(b.last, -1), append(b.Seconds, 0)
	}
	if b.last[number] >= 0 && ticks > b.last[number] {
		b.Seconds[number] = float64(ticks-b.last[number]) / ticksPerSecond
	}
	b.last[number] = ticks
	return b.Seconds[number]
}

// busyTicks adds up user, nice, system, irq and softirq; idle and iowait are the fourth and the fifth column.
func busyTicks(times []byte) (ticks int64, ok bool) {
	for column := range 7 {
		var n int64
		if n, times = numberAt(bytes.TrimLeft(times, " ")); n < 0 {
			return 0, false
		}
		if column != 3 && column != 4 {
			ticks += n
		}
	}
	return ticks, true
}

// numberAt is the number at the start of a text, and the rest; -1 if there is none.
func numberAt(text []byte) (int64, []byte) {
	n, i := int64(0), 0
	for ; i < len(text) && i < 18 && text[i] >= '0' && text[i] <= '9'; i++ {
		n = n*10 + int64(text[i]-'0')
	}
	if i == 0 || i < len(text) && text[i] >= '0' && text[i] <= '9' {
		return -1, text
	}
	return n, text[i:]
}

// Close closes the file.
func (b *Busy) Close() error { return b.file.Close() }
