package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spell-lsp/runner"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/scaling"
	"spell-lsp/spell/scaling/rendering"
	"spell-lsp/spell/settings"
)

// growFlags are those of grow. The file and the settings are as in output.
type growFlags struct {
	output
	dir, bench, on string
	function       growFunction
}

// grownRounds is how many rounds grow measures unless it is told: a formula has many points, so that each may be
// less exact than where two are compared.
const grownRounds = 5

// growPages are the formats of grow, in the order of the help.
var growPages = []string{"text", "json", "csv", "markdown"}

func growCommand() *cobra.Command {
	var f growFlags
	cmd := &cobra.Command{
		Use:   "grow [flags] [FUNC | RUN | packages]",
		Short: "Say how energy grows with the size of the input",
		Long: `Grow finds the formula by which energy or, where none was measured, time grows with the
size of the input: constant, log n, n, n log n, n^2, n^3, 2^n or another power of n, with the
95 % interval of the exponent, and what the formula says of ten and a hundred times the
largest size. It takes sub-benchmarks whose names differ in one or two sizes:

  BenchmarkSort/n=16   BenchmarkSort/n=256   BenchmarkSort/n=4096

A size is a part of the name that is a whole number, or key=number. A formula takes five sizes
or more, the largest at least eight times the smallest. The functions that have a tenth of the
cost at the largest size have formulas of their own. So have functions that were called with
arguments of several sizes in whatever tests were measured, by call.

With --bench it measures first, in ` + fmt.Sprint(grownRounds) + ` rounds, and saves the run. With FUNC, a function or method by
its ID or the end of it, it measures a benchmark that it makes: one that calls the function with
arguments of growing size, in several orders. No file is written. Else it takes a saved run, the
latest or the one that is named.

` + referenceHelp + `

Exit codes: 0 done; 2 bad usage or input, also no sizes; 3 nothing could be measured;
130 interrupted.`,
		Example: `  spell-lsp grow --bench Sort
  spell-lsp grow park.Sort
  spell-lsp grow Park.Find --sizes 16..4096 --arg r=element
  spell-lsp grow park.Sort --print
  spell-lsp grow --bench . --rounds 10 ./sets
  spell-lsp grow
  spell-lsp grow --format markdown run.json`,
		RunE: f.grow,
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "dir", "C", ".", "measure the module in `DIR`, or take settings and saved runs of the module that it is in")
	flags.StringVar(&f.bench, "bench", "", "measure the benchmarks that match `RE`")
	flags.StringVar(&f.format, "format", "text", "`FORMAT` of the result: text, json, csv (a line for each point) or markdown")
	flags.StringVar(&f.on, "on", "", "build here and measure on `HOST`, as measure does")
	f.function.register(flags)
	f.registerFile(flags, "result")
	forceFlag(flags)
	f.flags.register(cmd, measuringFlags...)
	roundsFlag(flags, grownRounds)
	return cmd
}

func (f *growFlags) grow(cmd *cobra.Command, args []string) error {
	function, err := f.namesFunction(cmd, args)
	if err != nil {
		return err
	}
	measures := function || cmd.Flags().Changed("bench")
	if err := f.check(cmd, measures, args); err != nil {
		return err
	}
	if function {
		return f.growFunction(cmd, args[0])
	}
	if measures {
		return f.measure(cmd, args)
	}
	name := "latest"
	if len(args) > 0 {
		name = args[0]
	}
	run, err := readNamed(cmd, f.dir, name, false)
	if err != nil {
		return err
	}
	return f.write(cmd, run)
}

// check refuses bad values before anything is measured or read.
func (f *growFlags) check(cmd *cobra.Command, measures bool, args []string) error {
	if !slices.Contains(growPages, f.format) {
		return fmt.Errorf("--format %q: must be one of %s", f.format, strings.Join(growPages, ", "))
	}
	if !measures {
		if err := measuresNothing(cmd, args, "--bench RE"); err != nil {
			return err
		}
	}
	if _, err := regexp.Compile(f.bench); err != nil {
		return fmt.Errorf("--bench %q: %w", f.bench, err)
	}
	return f.checkFile()
}

// measure measures benchmarks alone, saves the run and fits. What was measured until an interrupt is fitted, too.
func (f *growFlags) measure(cmd *cobra.Command, packages []string) error {
	s, err := f.settings(f.dir)
	if err != nil {
		return err
	}
	p, err := f.params(s, packages)
	if err != nil {
		return err
	}
	run, err := measureFirst(cmd, f.on, s, p)
	if run == nil {
		return err
	}
	return errors.Join(err, f.write(cmd, run))
}

func (f *growFlags) params(s settings.Settings, packages []string) (runner.Params, error) {
	dir, err := filepath.Abs(f.dir)
	p := params(s)
	p.Dir, p.Patterns, p.Run, p.Bench, p.Subtests = dir, packages, runner.NoTests, f.bench, true
	p.Mode, p.Granularity = runner.ModeInstrument, spell.KindFunction
	if p.Rounds == 0 {
		p.Rounds = grownRounds
	}
	return p, err
}

// write fits the formulas of a run and writes them.
func (f *growFlags) write(cmd *cobra.Command, run *record.Run) error {
	result, err := scaling.Of(run, scaling.Options{})
	if err != nil {
		return err
	}
	return f.emit(cmd, func(w io.Writer) error {
		switch f.format {
		case "json":
			return rendering.JSON(w, result)
		case "csv":
			return rendering.CSV(w, result)
		case "markdown":
			return rendering.Markdown(w, result)
		}
		width := 0
		if f.file == "" {
			width = columns(w)
		}
		return rendering.Text(w, result, width)
	})
}
