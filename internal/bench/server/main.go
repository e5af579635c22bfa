// Command bench checks the claims about the language server, over standard input and
// output like an editor: its response times, the time until results are visible, its
// memory and CPU time at rest, and that a cancelled measurement leaves nothing behind.
// Where gopls supports the same request, it is timed in the same run and workspace.
//
//	go run ./internal/bench/server [flags] [table ...]
//
// It prints the tables that are named, or all of them, and writes them as
// Markdown. The exit code is 1 if a bar is missed or a table could not be made,
// 2 for bad usage. It needs Linux, because it reads the usage of processes in /proc.
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
)

// A bench makes tables.
type bench struct {
	server  string // the executable of spell-lsp
	gopls   string // the executable of gopls; "" = do not compare
	starts  int
	samples int
	cancels int
	scratch string // a temporary folder, without symbolic links in its path
	large   *workspace
	middle  *workspace
}

// tables are all of them, in the order in which they are made.
func (b *bench) tables() harness.Set {
	return harness.Set{
		{Name: "start", Make: b.start},
		{Name: "latency", Make: b.latency},
		{Name: "diagnostics", Make: b.diagnostics},
		{Name: "first", Make: b.first},
		{Name: "rest", Make: b.rest},
		{Name: "cancel", Make: b.cancel},
	}
}

func main() { harness.Main(run) }

func run(ctx context.Context, args []string) (err error) {
	var b bench
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.StringVar(&b.server, "server", "", "the `executable` of spell-lsp that is put to the test. Default: it is built")
	flags.StringVar(&b.gopls, "gopls", "", "the `executable` of gopls. Default: none, its rows are left out")
	flags.IntVar(&b.starts, "starts", 40, "starts of each server")
	flags.IntVar(&b.samples, "samples", 100, "requests of a kind in each state and pass")
	flags.IntVar(&b.cancels, "cancels", 40, "measurements that are ended in each way")
	out := flags.String("o", filepath.Join("bin", "bench-lsp.md"), "write the tables to `FILE`")
	editor := flags.String("editor", "", "only be an editor that measures `FOLDER` until it is killed; the table cancel starts it")
	usage := "go run ./internal/bench/server [flags] [table ...]\nThe tables: " + strings.Join(b.tables().Names(), ", ") + "."
	if err := harness.Parse(flags, args, usage); err != nil {
		return err
	}
	if *editor != "" {
		return beEditor(ctx, b.server, *editor)
	}
	if min(b.starts, b.samples, b.cancels) < 1 {
		return harness.UsageError{Err: errors.New("-starts, -samples and -cancels must be 1 or more")}
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
	return b.tables().WriteFile(ctx, "Benchmarks of the language server", *out, flags.Args())
}

// functionsInFile is large enough that spell-lsp sends lenses without their commands.
const functionsInFile = 125

// prepare builds the server, unless one was given, and makes the workspaces.
func (b *bench) prepare(ctx context.Context) (err error) {
	// The runs of the bench must not be stored among the user's.
	if err := os.Setenv("SPELL_LSP_DATA", filepath.Join(b.scratch, "data")); err != nil {
		return fmt.Errorf("setting the folder of the runs: %w", err)
	}
	if b.server == "" {
		harness.Progress("building the server")
		if b.server, err = harness.BuildCommand(ctx, b.scratch); err != nil {
			return err
		}
	}
	harness.Progress("writing the workspaces")
	if b.large, err = newWorkspace(filepath.Join(b.scratch, "large"), 100, 8, functionsInFile); err != nil {
		return err
	}
	b.middle, err = newWorkspace(filepath.Join(b.scratch, "middle"), 5, 8, functionsInFile)
	return err
}

// folder makes a folder in the scratch folder, with a name that begins with name.
func (b *bench) folder(name string) (string, error) {
	dir, err := os.MkdirTemp(b.scratch, name+"-*")
	if err != nil {
		return "", fmt.Errorf("making a temporary folder: %w", err)
	}
	return dir, nil
}
