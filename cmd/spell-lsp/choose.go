package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"spell-lsp/runner"
	"spell-lsp/spell"
	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/alternatives/rendering"
	"spell-lsp/spell/benchfmt"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// chooseFlags are those of choose. The file and the settings are as in output.
type chooseFlags struct {
	output
	calls
	dir, bench, on string
	options        alternatives.Options
}

// chosenRounds is how many rounds choose measures unless it is told: they find a difference of a tenth on a busy machine,
// see TestEqualIsTiedAndDifferentIsOrdered of spell/alternatives.
const chosenRounds = 20

func chooseCommand() *cobra.Command {
	var f chooseFlags
	cmd := &cobra.Command{
		Use:   "choose [flags] [FUNC FUNC... | RUN | packages]",
		Short: "Say which of several alternatives is greenest, and for which sizes",
		Long: `Choose compares alternatives for one purpose: sub-benchmarks or subtests whose names
differ in the value of a key. It ranks them for each size by energy or, where no energy was
measured, by time, says which are tied, and where the best one changes with the size:

  BenchmarkSet/impl=map/n=10     BenchmarkSet/impl=map/n=1000
  BenchmarkSet/impl=slice/n=10   BenchmarkSet/impl=slice/n=1000

The key of the alternatives is the one whose values are not all numbers, or --key. The size is
n, size or len, or --size. Names that differ in anything else are compared apart.

With --bench or --run it measures first, in ` + fmt.Sprint(chosenRounds) + ` rounds and without probes in the functions, and
saves the run. With two functions or more, or methods, that have the same parameters and results,
each named by its ID or the end of it, it measures benchmarks that it makes: they call each of the
functions with the same arguments of growing size. No file is written. Else it takes a saved run, the
latest or the one that is named, in which each subtest is a row (measure --subtests).

` + referenceHelp + `

Exit codes: 0 compared; 2 bad usage or input, also no alternatives; 3 nothing could be measured;
130 interrupted.`,
		Example: `  spell-lsp choose --bench Set
  spell-lsp choose sets.Sorted sets.Unique --sizes 10,100,1000
  spell-lsp choose --bench . --rounds 20 ./sets
  spell-lsp choose --run TestConvert
  spell-lsp choose --key impl --size length
  spell-lsp choose --format markdown run.json`,
		RunE: f.choose,
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "dir", "C", ".", "measure the module in `DIR`, or take settings and saved runs of the module that it is in")
	flags.StringVar(&f.bench, "bench", "", "measure the benchmarks that match `RE`")
	flags.StringVar(&f.options.Key, "key", "", "the values of `KEY` are the alternatives")
	flags.StringVar(&f.options.Size, "size", "", "the values of `KEY` are the sizes (default n, size or len)")
	flags.StringVar(&f.format, "format", "text", "`FORMAT` of the result: text, markdown, json, or benchfmt (the rounds of the alternatives, for benchstat)")
	flags.StringVar(&f.on, "on", "", "build here and measure on `HOST`, as measure does")
	f.calls.register(flags, chosenSizes)
	f.registerFile(flags, "result")
	forceFlag(flags)
	f.flags.register(cmd, append([]string{"run"}, measuringFlags...)...)
	roundsFlag(flags, chosenRounds)
	return cmd
}

func (f *chooseFlags) choose(cmd *cobra.Command, args []string) error {
	functions, err := f.namesFunctions(cmd, args)
	if err != nil {
		return err
	}
	measures := functions || f.measures(cmd)
	if err := f.check(cmd, measures, args); err != nil {
		return err
	}
	if functions {
		return f.compareFunctions(cmd, args)
	}
	if measures {
		return f.compare(cmd, args)
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

// measures tells whether the command is to measure.
func (f *chooseFlags) measures(cmd *cobra.Command) bool {
	return cmd.Flags().Changed("bench") || cmd.Flags().Changed("run")
}

// check refuses bad values before anything is measured or read.
func (f *chooseFlags) check(cmd *cobra.Command, measures bool, args []string) error {
	if !slices.Contains([]string{"text", "markdown", "json", "benchfmt"}, f.format) {
		return fmt.Errorf("--format %q: must be one of text, markdown, json, benchfmt", f.format)
	}
	if !measures {
		if err := measuresNothing(cmd, args, "--bench RE or --run RE"); err != nil {
			return err
		}
	}
	if _, err := regexp.Compile(f.bench); err != nil {
		return fmt.Errorf("--bench %q: %w", f.bench, err)
	}
	return f.checkFile()
}

// params are those of a measurement without probes in the functions, which would take a larger part of the time of a
// short one.
func (f *chooseFlags) params(cmd *cobra.Command, s settings.Settings, packages []string) (runner.Params, error) {
	dir, err := filepath.Abs(f.dir)
	p := params(s)
	p.Dir, p.Patterns, p.Bench, p.Subtests, p.Exclude, p.Mode = dir, packages, f.bench, true, []string{"*"}, runner.ModeInstrument
	p.Granularity = spell.KindFunction
	p.Settings["exclude"] = p.Exclude
	if !cmd.Flags().Changed("run") {
		p.Run = runner.NoTests
	}
	if p.Rounds == 0 {
		p.Rounds = chosenRounds
	}
	return p, err
}

// compare measures, saves the run and compares. What was measured until an interrupt is compared, too.
func (f *chooseFlags) compare(cmd *cobra.Command, packages []string) error {
	s, err := f.settings(f.dir)
	if err != nil {
		return err
	}
	p, err := f.params(cmd, s, packages)
	if err != nil {
		return err
	}
	// Without alternatives, further rounds would be pointless.
	p.Ran = func(tests []record.Test) error { return alternatives.Check(tests, f.options) }
	run, err := measureFirst(cmd, f.on, s, p)
	if run == nil {
		return err
	}
	return errors.Join(err, f.write(cmd, run))
}

// write compares the alternatives of a run and writes the result.
func (f *chooseFlags) write(cmd *cobra.Command, run *record.Run) error {
	result, err := alternatives.Of(run, f.options)
	if err != nil {
		return err
	}
	return f.emit(cmd, func(w io.Writer) error {
		switch f.format {
		case "json":
			return rendering.JSON(w, result)
		case "markdown":
			return rendering.Markdown(w, result)
		case "benchfmt":
			return benchfmt.Write(w, rowsOf(run, result), benchfmt.Options{})
		}
		width := 0
		if f.file == "" {
			width = columns(w)
		}
		return rendering.Text(w, result, width)
	})
}

// rowsOf is the run with the alternatives alone.
func rowsOf(run *record.Run, result *alternatives.Result) *record.Run {
	tests := make(map[string]bool)
	for i := range result.Groups {
		for k := range result.Groups[i].Sizes {
			for _, a := range result.Groups[i].Sizes[k].Alternatives {
				tests[a.Test] = true
			}
		}
	}
	rows := *run
	rows.Components = nil
	rows.Tests = slices.DeleteFunc(slices.Clone(run.Tests), func(t record.Test) bool { return !tests[t.Name] })
	return &rows
}
