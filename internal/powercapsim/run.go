package powercapsim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// A Line is what Run writes: the energy used until a moment of Now.
type Line struct {
	Time   int64              `json:"t_ns"`    // CLOCK_MONOTONIC, to be compared across processes
	Joules map[string]float64 `json:"joules"`  // by zone ID, since the start
	Late   time.Duration      `json:"late_ns"` // the longest by which the counters were ever behind
}

// reportInterval is how often Run writes a line.
const reportInterval = 10 * time.Millisecond

// Run simulates until ctx is done and writes the truth to w, one Line of JSON
// when the tree stands, one each 10 ms and one at the end.
func Run(ctx context.Context, p Params, w io.Writer) error {
	s, err := New(p)
	if err != nil {
		return err
	}
	s.Start(ctx)
	err = s.report(ctx, json.NewEncoder(w))
	return errors.Join(err, s.Stop())
}

func (s *Sim) report(ctx context.Context, out *json.Encoder) error {
	for ended := false; ; {
		t := s.params.Clock()
		if err := out.Encode(Line{t, s.Truth(t), s.Lateness().Max}); err != nil {
			return fmt.Errorf("writing the truth: %w", err)
		}
		if ended {
			return nil
		}
		select {
		case <-ctx.Done():
			ended = true
		case <-time.After(reportInterval):
		}
	}
}

// Main is Run as a separate program, for a test binary that starts itself again:
// args is one word, Params as JSON. It runs until standard input ends, which is
// also the case when the parent process ends, and returns the exit code.
func Main(args []string) int {
	if err := runUntilEOF(args, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "powercapsim:", err)
		return 1
	}
	return 0
}

func runUntilEOF(args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("one argument is needed, the parameters as JSON; there are %d", len(args))
	}
	var p Params
	if err := json.Unmarshal([]byte(args[0]), &p); err != nil {
		return fmt.Errorf("reading the parameters: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, stdin) // a read error counts as the end of the input
	}()
	return Run(ctx, p, stdout)
}
