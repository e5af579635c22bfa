package main

import (
	"errors"
	"time"

	"spell-lsp/runner/stacks"
	"spell-lsp/runner/stacks/frames"
)

// samplePeriod is that of the first measurement of a program.
const samplePeriod = 2 * time.Millisecond

// sample takes samples of a program until it ends, as a measurement does, and finds what they are
// of. end is called after the program's end.
func sample(pid int) (end func() error, err error) {
	s, err := stacks.Open(pid, stacks.Options{Period: samplePeriod, Started: true})
	if errors.Is(err, stacks.ErrEnded) {
		return func() error { return nil }, nil
	}
	if err != nil {
		return func() error { return nil }, err
	}
	over, names := make(chan struct{}), frames.New()
	go func() {
		defer close(over)
		for s.Read(func(one *stacks.Sample) { names.Stack(one) }) {
			time.Sleep(s.Pause())
		}
	}()
	return func() error { <-over; return s.Close() }, nil
}
