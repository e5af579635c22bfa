// Command bench proves what is claimed of the probes: what they cost, that they
// change no test's outcome, and that counts and times are right. Plain and
// instrumented programs are compared within one run, in turns, by medians. It
// also proves how long the analysis of large files takes.
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
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"spell-lsp/internal/bench/table"
)

// A bench makes tables.
type bench struct {
	rounds  int
	modules []string // of the corpus
	scratch string   // a folder of its own
}

// tables are all of them.
func (b *bench) tables() table.Set {
	return table.Set{
		{Name: "corpus", Make: b.corpus},
		{Name: "large", Make: b.large},
		{Name: "probe", Make: b.probe},
		{Name: "exact", Make: b.exact},
		{Name: "time", Make: b.time},
		{Name: "empty", Make: b.empty},
		{Name: "memory", Make: b.memory},
		{Name: "analysis", Make: b.analysis},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	var b bench
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&b.rounds, "count", 5, "runs of the plain and of the instrumented program each")
	modules := flags.String("modules", strings.Join(corpusModules, ","), "the modules of the corpus")
	out := flags.String("o", filepath.Join("bin", "bench.md"), "write the tables to `FILE`")
	input := flags.String("input", "", "only write to `FILE` the input of the table analysis that has its name")
	flags.Usage = func() {
		fmt.Fprintf(os.Stderr, "usage: go run ./internal/bench/probes [flags] [table ...]\nThe tables: %s.\n", strings.Join(b.tables().Names(), ", "))
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if *input != "" {
		return exitCode(writeInput(*input))
	}
	b.modules = strings.Split(*modules, ",")
	if err := b.check(flags.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	ok, err := b.all(ctx, flags.Args(), *out)
	if code := exitCode(err); ok || code != 0 {
		return code
	}
	return 1
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "bench:", err)
	return 1
}

func (b *bench) check(tables []string) error {
	if b.rounds < 1 {
		return fmt.Errorf("-count is %d, must be 1 or more", b.rounds)
	}
	return b.tables().Check(tables)
}

// all makes the tables of those names, or all, and writes them to standard
// output and to the file of that name. It says whether every bar is reached.
func (b *bench) all(ctx context.Context, tables []string, name string) (ok bool, err error) {
	if b.scratch, err = scratch(); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.scratch)) }()
	return b.tables().WriteFile(ctx, "Benchmarks", name, tables)
}

// scratch makes the folder, under the name that it has without links: overlays
// and the go command must agree on names.
func scratch() (string, error) {
	dir, err := os.MkdirTemp("", "spell-lsp-bench-*")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("making a temporary folder: %w", err)
	}
	return dir, nil
}

// folder makes a folder in the scratch folder.
func (b *bench) folder(name ...string) (string, error) {
	dir := filepath.Join(append([]string{b.scratch}, name...)...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making a temporary folder: %w", err)
	}
	return dir, nil
}

// progress says on standard error what is going on.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}
