// Command bench checks the claims about the probes: their cost, that they change no
// test's outcome, and that counts and times are right. Plain and instrumented
// programs run in turns, and their medians are compared. It also times the analysis
// of large files.
//
//	go run ./internal/bench/probes [flags] [table ...]
//
// It prints the tables that are named, or all of them, and writes them as
// Markdown. The exit code is 1 if a bar is missed or a table could not be made,
// 2 for bad usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"spell-lsp/internal/bench/corpus"
	"spell-lsp/internal/bench/harness"
)

// A bench makes tables.
type bench struct {
	rounds  int
	modules []string // of the corpus
	scratch string   // a folder of its own
}

// tables are all of them.
func (b *bench) tables() harness.Set {
	return harness.Set{
		{Name: "corpus", Make: b.corpus},
		{Name: "others", Make: b.others},
		{Name: "large", Make: b.large},
		{Name: "probe", Make: b.probe},
		{Name: "exact", Make: b.exact},
		{Name: "time", Make: b.time},
		{Name: "empty", Make: b.empty},
		{Name: "memory", Make: b.memory},
		{Name: "analysis", Make: b.analysis},
	}
}

func main() { harness.Main(run) }

func run(ctx context.Context, args []string) (err error) {
	var b bench
	flags := flag.NewFlagSet("probes", flag.ContinueOnError)
	flags.IntVar(&b.rounds, "count", 5, "runs of the plain and of the instrumented program each")
	modules := flags.String("modules", strings.Join(corpus.Modules, ","), "the modules of the corpus")
	out := flags.String("o", filepath.Join("bin", "bench.md"), "write the tables to `FILE`")
	input := flags.String("input", "", "only write to `FILE` the input of the table analysis that has its name")
	usage := "go run ./internal/bench/probes [flags] [table ...]\nThe tables: " + strings.Join(b.tables().Names(), ", ") + "."
	if err := harness.Parse(flags, args, usage); err != nil {
		return err
	}
	if *input != "" {
		return writeInput(*input)
	}
	if b.rounds < 1 {
		return harness.UsageError{Err: fmt.Errorf("-count is %d, must be 1 or more", b.rounds)}
	}
	if err := b.tables().Check(flags.Args()); err != nil {
		return err
	}
	b.modules = strings.Split(*modules, ",")
	if b.scratch, err = harness.Folder(""); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.scratch)) }()
	return b.tables().WriteFile(ctx, "Benchmarks", *out, flags.Args())
}

// folder makes a folder in the scratch folder.
func (b *bench) folder(name ...string) (string, error) {
	dir := filepath.Join(append([]string{b.scratch}, name...)...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making a temporary folder: %w", err)
	}
	return dir, nil
}
