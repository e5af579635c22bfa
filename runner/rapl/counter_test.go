package rapl

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"spell-lsp/runner/meter"
)

// step returns the increment of a counter between two readings, or an error if the
// increment cannot be known.
func TestStep(t *testing.T) {
	const full = 262143328850
	tests := []struct {
		why           string
		last, v, wrap Energy
		gap           time.Duration
		peakW         float64
		want          Energy
		discarded     string // a substring of the error; "" for no error
	}{
		{"no update in between", 100, 100, full, time.Millisecond, 20, 0, ""},
		{"forward", 100, 150, full, time.Millisecond, 20, 50, ""},
		{"one wrap: the rest of the range and the new value", full - 30, 12, full, time.Millisecond, 20, 42, ""},
		{"a wrap to exactly zero", full - 1, 0, full, time.Millisecond, 20, 1, ""},
		{"the last reading equals the range, then a wrap", full, 5, full, time.Millisecond, 20, 5, ""},
		{"forward, the range is unknown", 100, 150, 0, time.Millisecond, 20, 50, ""},
		{"back, the range is unknown", 150, 100, 0, time.Millisecond, 20, 0, "stepped back from 150 to 100"},
		{"a small step back: as a wrap it would be 262 kJ in a millisecond", 5_000_000, 4_000_000, full, time.Millisecond, 20, 0, "W"},
		{"forward by 200 kJ in a millisecond", 0, 200_000_000_000, full, time.Millisecond, 0, 0, "W"},
		{"200 kJ in half an hour", 0, 200_000_000_000, full, time.Hour / 2, 60, 200_000_000_000, ""},
		{"one update of 1 ms at 500 W between readings 1 µs apart", 0, 500_000, full, time.Microsecond, 500, 500_000, ""},
		{"an hour between readings at up to 80 W, 288 kJ: more than one wrap is possible", 0, 10_000_000, full, time.Hour, 80, 0, "more than once"},
		{"an hour between readings, the peak power is not known yet", 0, 10_000_000, full, time.Hour, 0, 10_000_000, ""},
		{"an hour between readings, the range is unknown", 0, 10_000_000, 0, time.Hour, 80, 10_000_000, ""},
		{"a small range that wraps every 50 ms at 20 W, read in time", 900_000, 100_000, 1_000_000, 10 * time.Millisecond, 20, 200_000, ""},
		{"the same counter, read too late", 900_000, 100_000, 1_000_000, 60 * time.Millisecond, 20, 0, "more than once"},
	}
	for _, tt := range tests {
		got, err := step(tt.last, tt.v, tt.wrap, tt.gap, tt.peakW)
		if tt.discarded == "" {
			if err != nil || got != tt.want {
				t.Errorf("%s: increment %d, %v; want %d", tt.why, got, err, tt.want)
			}
			continue
		}
		if !errors.Is(err, meter.ErrDiscarded) || !strings.Contains(err.Error(), tt.discarded) {
			t.Errorf("%s: error %v, want a discarded interval and %q", tt.why, err, tt.discarded)
		}
	}
}

// The peak power of a counter comes from windows of at least 50 ms, and never falls.
func TestPeakPower(t *testing.T) {
	start := time.Now()
	p := peak{since: start}
	p.add(10*Joule, start.Add(time.Millisecond)) // not 10 kW: the window is too short
	if p.watts != 0 {
		t.Errorf("the peak after 1 ms is %v W, want 0", p.watts)
	}
	p.add(0, start.Add(100*time.Millisecond))
	if p.watts != 100 {
		t.Errorf("the peak after 10 J in 100 ms is %v W, want 100", p.watts)
	}
	p.add(Joule, start.Add(1100*time.Millisecond))
	if p.watts != 100 {
		t.Errorf("the peak after a second of 1 W is %v W, want 100", p.watts)
	}
}

// A script is an energy_uj file that returns the given answers in turn: texts or errors.
type script struct {
	answers *[]any
	closed  bool
}

func (s *script) ReadAt(p []byte, _ int64) (int, error) {
	if s.closed {
		return 0, errors.New("read after close")
	}
	if len(*s.answers) == 0 {
		return 0, errors.New("read more often than expected")
	}
	answer := (*s.answers)[0]
	*s.answers = (*s.answers)[1:]
	if err, ok := answer.(error); ok {
		return 0, err
	}
	return copy(p, answer.(string)), io.EOF
}

func (s *script) Close() error { s.closed = true; return nil }

// A failed reading is retried once, with the file opened again. If the second attempt
// fails too, the result is an error and not 0; the next reading includes the energy of
// the failed interval.
func TestFailedReadingIsRetriedOnce(t *testing.T) {
	tests := []struct {
		why     string
		answers []any
		want    Energy // after the last reading
		errors  []error
	}{
		{"EINVAL once", []any{"1000", syscall.EINVAL, "1500"}, 500, []error{nil}},
		{"EIO once", []any{"1000", syscall.EIO, "1500"}, 500, []error{nil}},
		{"empty once", []any{"1000", "", "1500"}, 500, []error{nil}},
		{"EINVAL twice, then a reading", []any{"1000", syscall.EINVAL, syscall.EINVAL, "1800"}, 800, []error{syscall.EINVAL, nil}},
		{"EIO twice", []any{"1000", syscall.EIO, syscall.EIO}, 0, []error{syscall.EIO}},
		{"the zone is gone", []any{"1000", syscall.ENODEV, syscall.ENODEV}, 0, []error{syscall.ENODEV}},
		{"empty twice", []any{"1000", "\n", "\n"}, 0, []error{errEmpty}},
		{"negative twice", []any{"1000", "-5", "-5"}, 0, []error{errNegative}},
		{"not a number twice", []any{"1000", "nan", "nan"}, 0, []error{errNoNumber}},
		{"above the range twice", []any{"1000", "2000001", "2000001"}, 0, []error{errTooLarge}},
		{"too long twice", []any{"1000", strings.Repeat("0", 80), strings.Repeat("0", 80)}, 0, []error{errTooLarge}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			answers := tt.answers
			c := counter{zone: zone{path: "/z", wrap: 2 * Joule}, open: func(string) (file, error) { return &script{answers: &answers}, nil }}
			now := time.Now()
			if err := c.start(now); err != nil {
				t.Fatal(err)
			}
			for i, want := range tt.errors {
				err := c.advance(now.Add(time.Duration(i+1) * time.Millisecond))
				if !errors.Is(err, want) || (err == nil) != (want == nil) {
					t.Errorf("reading %d: error %v, want %v", i+1, err, want)
				}
				if err != nil && !strings.Contains(err.Error(), "/z/energy_uj") {
					t.Errorf("error %q does not name the file", err)
				}
			}
			if c.total != tt.want || len(answers) != 0 {
				t.Errorf("total %d µJ, %d answers left; want %d µJ, 0", c.total, len(answers), tt.want)
			}
		})
	}
}

// If a zone disappears and its file cannot be opened again, the reading fails with the
// error of opening.
func TestZoneDisappears(t *testing.T) {
	answers := []any{"1000", syscall.ENODEV}
	opened := false
	c := counter{zone: zone{path: "/z"}, open: func(string) (file, error) {
		if opened {
			return nil, syscall.ENOENT
		}
		opened = true
		return &script{answers: &answers}, nil
	}}
	if err := c.start(time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := c.advance(time.Now()); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("error %v, want %v", err, syscall.ENOENT)
	}
}

// The energy of a discarded interval is lost, and counting continues from the reading
// that ended it.
func TestDiscardedIntervalIsNotCounted(t *testing.T) {
	answers := []any{"5000", "6000", "400", "900"}
	c := counter{zone: zone{path: "/z"}, open: func(string) (file, error) { return &script{answers: &answers}, nil }}
	now := time.Now()
	if err := c.start(now); err != nil {
		t.Fatal(err)
	}
	for i, discarded := range []bool{false, true, false} {
		err := c.advance(now.Add(time.Duration(i+1) * time.Millisecond))
		if errors.Is(err, meter.ErrDiscarded) != discarded {
			t.Errorf("reading %d: error %v, want a discarded interval: %t", i+1, err, discarded)
		}
	}
	if c.total != 1500 {
		t.Errorf("total %d µJ, want 1500: 1000 before the discarded interval and 500 after it", c.total)
	}
}
