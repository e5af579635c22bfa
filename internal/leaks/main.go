// Command leaks is a benchmark of localization: it measures programs whose energy leaks are
// known, and scores how early each way to order functions has the leak.
//
//	go run ./internal/leaks [-sample N] [-seed N] [-held-out] [-modules M,...] [-state DIR] [-rounds N] [-advice] [-o FILE]
//
// An energy leak is code that uses energy without need, so that a repair saves energy and
// changes no result. Seeded leaks are put into modules by transformations of their source
// (packages seeding and checking); real ones were repaired by the authors of a module, and
// are measured before and after that (package real). What is ordered are the functions that
// the module's tests execute (package contest); package score has the measures.
//
// Modules are split once: those that anybody may look at, to find a better order, and those
// that are held out for its final score (score.HeldOut).
//
// With -advice it asks spell-lsp advise about the leaks instead, and about programs in testdata/advice:
// it counts those that are found, makes all rewrites, and compares the CPU time of the tests.
//
// Results are kept in the state folder as they come: a benchmark that was interrupted goes
// on where it was, and one with other contestants measures nothing again. The tables are
// written as Markdown.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/internal/leaks/contest"
	"spell-lsp/internal/leaks/score"
)

func main() {
	harness.Main(func(ctx context.Context, args []string) error { return run(ctx, args, os.Stdout) })
}

// modules are some of internal/bench/probes, and others that no order was tuned to. Left out are
// those whose tests take ten seconds or are in many packages (gjson, raft, chroma, ristretto):
// each leak builds and executes them some thirty times.
var modules = []string{
	"github.com/google/btree@v1.1.3",
	"github.com/BurntSushi/toml@v1.6.0",
	"github.com/gorilla/mux@v1.8.1",
	"github.com/hashicorp/golang-lru/v2@v2.0.7",
	"github.com/pelletier/go-toml/v2@v2.4.3",
	"github.com/gin-gonic/gin@v1.12.0",
	"github.com/google/go-cmp@v0.7.0",
	"github.com/yuin/goldmark@v1.7.13",
	"github.com/sergi/go-diff@v1.4.0",
	"github.com/antchfx/xmlquery@v1.5.2",
	"github.com/aymerick/douceur@v0.2.0",
	"github.com/emirpasic/gods@v1.18.1",
	"github.com/valyala/fastjson@v1.6.10",
	"examples/parking",
}

// options are the flags.
type options struct {
	sample  int
	seed    uint64
	heldOut bool
	modules string
	state   string
	rounds  int
	advice  bool
	out     string
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("leaks", flag.ContinueOnError)
	flags.IntVar(&o.sample, "sample", 12, "measure `N` leaks, spread over the modules; real ones count as one more module")
	flags.Uint64Var(&o.seed, "seed", 1, "`seed` of the draw and of the bootstrap")
	flags.BoolVar(&o.heldOut, "held-out", false, "score the modules that are held out, instead of the others; single leaks are not listed")
	flags.StringVar(&o.modules, "modules", strings.Join(modules, ","), "seed leaks in these modules: `path@version` of the module proxy, or folders of this repository")
	flags.StringVar(&o.state, "state", filepath.Join("bin", "leaks"), "keep results in `DIR`")
	flags.IntVar(&o.rounds, "rounds", 3, "execute the tests `N` times for each run record and profile")
	flags.BoolVar(&o.advice, "advice", false, "ask spell-lsp advise about the leaks, and measure what its rewrites save")
	flags.StringVar(&o.out, "o", "", "write the tables to `FILE` too")
	err = harness.Parse(flags, args, "go run ./internal/leaks [flags]")
	switch {
	case err != nil:
	case flags.NArg() > 0:
		err = harness.UsageError{Err: fmt.Errorf("%q is not understood: only flags are taken", flags.Arg(0))}
	case o.sample < 1 || o.rounds < 1:
		err = harness.UsageError{Err: errors.New("-sample and -rounds must be at least 1")}
	}
	return o, err
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	programs, err := programsOf(o.modules, o.heldOut)
	if err != nil {
		return err
	}
	if o.state, err = filepath.Abs(o.state); err != nil {
		return err
	}
	scratch, err := harness.Folder("")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // it is in the folder for temporary files
	b, lab, err := newBenchmark(ctx, o, scratch)
	if err != nil {
		return err
	}
	var text string
	if o.advice {
		if text, err = b.advise(ctx, lab, programs, o); err != nil {
			return err
		}
	} else {
		text = report(o, b.toolchain, b.collect(ctx, programs, o))
	}
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("writing the tables: %w", err)
	}
	if o.out != "" {
		if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil {
			return fmt.Errorf("making the folder of the tables: %w", err)
		}
		if err := os.WriteFile(o.out, []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing the tables: %w", err)
		}
	}
	return ctx.Err()
}

// programsOf are the modules of a comma-separated list that are on one side of the split.
func programsOf(list string, heldOut bool) ([]Program, error) {
	var programs []Program
	for _, name := range strings.Split(list, ",") {
		path, version, _ := strings.Cut(name, "@")
		if version == "" {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err != nil {
				return nil, harness.UsageError{Err: fmt.Errorf("%q is neither path@version nor a folder with a module: %w", name, err)}
			}
		}
		if score.HeldOut(path) == heldOut {
			programs = append(programs, Program{Module: path, Version: version})
		}
	}
	return programs, nil
}

// report is the page of tables, with the command that makes it again.
func report(o options, toolchain string, r *results) string {
	var b strings.Builder
	side := "modules that anybody may look at"
	if o.heldOut {
		side = "modules that are held out"
	}
	fmt.Fprintf(&b, "# Localization of energy leaks: %s\n\n    %s\n\n%s; energy is estimated by the meter `model`; %d rounds.\n\n", side, o.command(), toolchain, o.rounds)
	var names []string
	for _, c := range contest.All() {
		names = append(names, c.Name)
	}
	b.WriteString(score.Tables(r.trials, score.Options{Contestants: names, Reference: contest.Reference, Seed: o.seed, Leaks: !o.heldOut}))
	b.WriteString("\n## Contestants in words\n\n")
	for _, c := range contest.All() {
		fmt.Fprintf(&b, "- %s: %s.\n", c.Name, c.About)
	}
	r.writeLosses(&b)
	return b.String()
}

// command makes the same tables again.
func (o options) command() string {
	text := fmt.Sprintf("go run ./internal/leaks -sample %d -seed %d -rounds %d", o.sample, o.seed, o.rounds)
	if o.heldOut {
		text += " -held-out"
	}
	if o.modules != strings.Join(modules, ",") {
		text += " -modules " + o.modules
	}
	return text
}
