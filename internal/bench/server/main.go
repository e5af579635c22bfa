// Command bench proves what is claimed of the language server, over standard
// input and output as an editor has it: how soon it answers, how soon results
// are seen, what it needs at rest, and that nothing of a measurement is left
// when it is cancelled. Where gopls can be asked the same, it is, in the same
// run and the same workspace.
//
//	go run ./internal/bench/server [flags] [table ...]
//
// It prints the tables that are named, or all of them, and writes them as
// Markdown. The exit code is 1 if a bar is missed or a table could not be made,
// 2 for bad usage. It needs Linux: what a process uses stands in /proc.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"spell-lsp/internal/bench/table"
)

// A bench makes tables.
type bench struct {
	server  string // the executable of spell-lsp
	gopls   string // that of gopls; "" to do without
	starts  int
	samples int
	cancels int
	scratch string // a folder of its own, without links in its name
	large   *workspace
	middle  *workspace
}

// tables are all of them, in the order in which they are made.
func (b *bench) tables() table.Set {
	return table.Set{
		{Name: "start", Make: b.start},
		{Name: "latency", Make: b.latency},
		{Name: "diagnostics", Make: b.diagnostics},
		{Name: "first", Make: b.first},
		{Name: "rest", Make: b.rest},
		{Name: "cancel", Make: b.cancel},
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
	flags.StringVar(&b.server, "server", "", "the `executable` of spell-lsp that is put to the test. Default: it is built")
	flags.StringVar(&b.gopls, "gopls", "", "the `executable` of gopls. Default: none, its rows are left out")
	flags.IntVar(&b.starts, "starts", 40, "starts of each server")
	flags.IntVar(&b.samples, "samples", 100, "requests of a kind in each state and pass")
	flags.IntVar(&b.cancels, "cancels", 40, "measurements that are ended in each way")
	out := flags.String("o", filepath.Join("bin", "bench-lsp.md"), "write the tables to `FILE`")
	editor := flags.String("editor", "", "only be an editor that measures `FOLDER` until it is killed; the table cancel starts it")
	flags.Usage = func() {
		fmt.Fprintf(os.Stderr, "usage: go run ./internal/bench/server [flags] [table ...]\nThe tables: %s.\n", strings.Join(b.tables().Names(), ", "))
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if *editor != "" {
		return exitCode(beEditor(ctx, b.server, *editor))
	}
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
	if min(b.starts, b.samples, b.cancels) < 1 {
		return errors.New("-starts, -samples and -cancels must be 1 or more")
	}
	return b.tables().Check(tables)
}

// functionsInFile are more than spell-lsp gives lenses with their commands at
// once for.
const functionsInFile = 125

// all makes the tables of those names, or all, and writes them to standard
// output and to the file of that name. It says whether every bar is reached.
func (b *bench) all(ctx context.Context, tables []string, name string) (ok bool, err error) {
	if b.scratch, err = scratch(); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.scratch)) }()
	// The runs of the bench are none of the user's.
	if err := os.Setenv("SPELL_LSP_DATA", filepath.Join(b.scratch, "data")); err != nil {
		return false, fmt.Errorf("setting the folder of the runs: %w", err)
	}
	if b.server == "" {
		b.server = filepath.Join(b.scratch, "spell-lsp")
		progress("building the server")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", b.server, "spell-lsp/cmd/spell-lsp").CombinedOutput(); err != nil {
			return false, fmt.Errorf("building the server: %w\n%s", err, out)
		}
	}
	progress("writing the workspaces")
	if b.large, err = newWorkspace(filepath.Join(b.scratch, "large"), 100, 8, functionsInFile); err != nil {
		return false, err
	}
	if b.middle, err = newWorkspace(filepath.Join(b.scratch, "middle"), 5, 8, functionsInFile); err != nil {
		return false, err
	}
	return b.tables().WriteFile(ctx, "Benchmarks of the language server", name, tables)
}

// scratch makes the folder.
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

// folder makes a folder in the scratch folder, whose name begins as given.
func (b *bench) folder(name string) (string, error) {
	dir, err := os.MkdirTemp(b.scratch, name+"-*")
	if err != nil {
		return "", fmt.Errorf("making a temporary folder: %w", err)
	}
	return dir, nil
}

// progress says on standard error what is going on.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
