package main

import (
	"context"
	"flag"
	"io"
	"math/rand/v2"
	"time"

	"spell-lsp/internal/powercapsim/burn"
)

// The neighbour's energy is booked under a number that no function of a workload has.
const (
	neighbourFunction = 250
	neighbourW        = 15
)

// neighbour is another process on the machine, which computes for a fraction of the
// time, in bursts of one to five milliseconds, until it is interrupted or standard
// input ends.
func neighbour(ctx context.Context, args []string, in io.Reader, _ io.Writer) error {
	flags := flag.NewFlagSet("neighbour", flag.ContinueOnError)
	part := flags.Float64("part", 1, "of a processor")
	if err := parse(flags, args); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, in) // a read error counts as the end of the input
	}()
	random := rand.New(rand.NewPCG(1, 1))
	for ctx.Err() == nil {
		burst := time.Millisecond + time.Duration(random.Int64N(int64(4*time.Millisecond)))
		burn.CPU(neighbourFunction, neighbourW, burst)
		time.Sleep(time.Duration(float64(burst) * (1/(*part) - 1)))
	}
	return nil
}
