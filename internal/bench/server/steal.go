package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	// most is the largest accepted steal time in a timed span, as a fraction of one
	// processor's time.
	most  = 0.01
	tries = 4
)

// leastStolen repeats a measurement, tries times at most, until the steal time is at most
// most of it, and keeps the repetition with the least steal: a disturbed measurement says
// nothing about the server. again is the number of discarded repetitions. do returns its
// steal time as a fraction of one processor's time.
func leastStolen[T any](do func() (made T, part float64, err error)) (best T, again int, err error) {
	least := math.Inf(1)
	for again = range tries {
		made, part, err := do()
		if err != nil {
			return best, again, err
		}
		if part < least {
			best, least = made, part
		}
		if least <= most {
			break
		}
	}
	return best, again, nil
}

// A span is the time from its begin until now.
type span struct {
	begun  time.Time
	stolen time.Duration // steal time since the machine's start, at the span's begin
}

func begin() span { return span{time.Now(), stolen()} }

// part is the steal time of the span, as a fraction of one processor's time.
func (s span) part() float64 { return float64(stolen()-s.stolen) / float64(time.Since(s.begun)) }

// disturbed is the note under a table about the repetitions of leastStolen.
func disturbed(what string, again int) string {
	return fmt.Sprintf("%s from which other virtual machines took more than %g %% of a processor's time (steal, proc(5)) were made again, %d times at most: %d were thrown away.",
		what, 100*most, tries-1, again)
}

// stolen is the steal time of all processors since the machine's start, to 10 ms
// (proc(5), /proc/stat, steal): other virtual machines ran although this one was ready
// to. It is zero where the kernel does not report it.
func stolen() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	fields := strings.Fields(string(text))
	const steal = 8
	if err != nil || len(fields) <= steal {
		return 0
	}
	ticks, _ := strconv.ParseInt(fields[steal], 10, 64)
	return time.Duration(ticks) * (time.Second / 100)
}
