// Command orders checks what spell-lsp grow says of functions whose order is known: it measures
// the module in testdata, its benchmarks and then its ordinary tests, and counts the orders that are
// right and the intervals that hold the exponent.
//
//	go run ./internal/bench/orders [flags] [table ...]
//
// It prints the tables that are named, or all of them, and writes them as
// Markdown. The exit code is 1 if a bar is missed or a table could not be made,
// 2 for bad usage. Other load on the machine makes the results worse; the tables say how much there was.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/internal/powercapsim"
)

// A bench makes tables.
type bench struct {
	command string // the executable of spell-lsp
	rounds  int
	scratch string // a folder of its own
	dir     string // the module whose orders are known
	known   []known
}

func (b *bench) tables() harness.Set {
	return harness.Set{
		{Name: "benchmarks", Make: b.benchmarks},
		{Name: "counter", Make: b.benchmarksByEnergy},
		{Name: "calls", Make: b.calls},
	}
}

func main() {
	simulate()
	harness.Main(run)
}

// simulate simulates counters, and ends, in a process that withCounter started.
func simulate() {
	if len(os.Args) > 1 && os.Args[1] == counterRole {
		os.Exit(powercapsim.Main(os.Args[2:]))
	}
}

func run(ctx context.Context, args []string) (err error) {
	var b bench
	flags := flag.NewFlagSet("orders", flag.ContinueOnError)
	flags.StringVar(&b.command, "command", "", "the `executable` of spell-lsp that is put to the test. Default: it is built")
	flags.IntVar(&b.rounds, "rounds", 5, "rounds of each measurement")
	out := flags.String("o", filepath.Join("bin", "bench-orders.md"), "write the tables to `FILE`")
	usage := "go run ./internal/bench/orders [flags] [table ...]\nThe tables: " + strings.Join(b.tables().Names(), ", ") + "."
	if err := harness.Parse(flags, args, usage); err != nil {
		return err
	}
	if b.rounds < 1 {
		return harness.UsageError{Err: errors.New("-rounds must be 1 or more")}
	}
	if err := b.tables().Check(flags.Args()); err != nil {
		return err
	}
	if b.scratch, err = harness.Folder(""); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.scratch)) }()
	if err := b.prepare(ctx); err != nil {
		return err
	}
	return b.tables().WriteFile(ctx, "Growth of functions whose order is known", *out, flags.Args())
}

// prepare builds the command, unless one was given, and lays out the module.
func (b *bench) prepare(ctx context.Context) (err error) {
	// The runs of the bench must not be stored among the user's.
	if err := os.Setenv("SPELL_LSP_DATA", filepath.Join(b.scratch, "data")); err != nil {
		return fmt.Errorf("choosing a folder for runs: %w", err)
	}
	if b.command == "" {
		if b.command, err = harness.BuildCommand(ctx, b.scratch); err != nil {
			return err
		}
	}
	b.dir = filepath.Join(b.scratch, "orders")
	b.known, err = layOut(b.dir)
	return err
}
