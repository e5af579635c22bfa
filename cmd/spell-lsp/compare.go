package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/gate"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
)

// compareFlags are those of compare. The file and the settings are as in output.
type compareFlags struct {
	output
	dir     string
	rules   []string
	options comparison.Options
}

// comparisons renders a comparison in each of the formats.
var comparisons = map[string]func(w io.Writer, c *comparison.Comparison, o rendering.Options) error{
	"text":     rendering.Text,
	"markdown": rendering.Markdown,
	"json":     func(w io.Writer, c *comparison.Comparison, _ rendering.Options) error { return rendering.JSON(w, c) },
}

func compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare [flags] BASE [HEAD]",
		Short: "Say what got better or worse from one run to another, and whether that is more than chance",
		Long: `Compare says how energy, time and executions changed from the run BASE to the
run HEAD, which is the latest run if it is left out: in total, by component and by
test. They are ranked anew by the same settings. Matrices have no rounds, and get no
verdict.

` + referenceHelp + `

A change is called better or worse only where it is significant (Wilcoxon's
signed-rank test of paired rounds, with Holm's correction), larger than two runs
of the same code may differ by, and not explained by the error of the fitted
watts. It takes at least 6 rounds to show anything, and more where there are many
components: measure both with --rounds 10 or more.

A rule for --fail-on is like
  energy>+5%  time(Park.Add)>+10%  n>+0%      a change, if it is significant
  energy>10J  time>500ms  psi(Park.Add)>0.3   a value of HEAD, per round
  red  new-red                                any component is red, or newly red
  budget                                      a budget in the source is broken
The end of a component's name is enough, * is each component. Several are separated by commas.

Exit codes: 0 compared, and all rules hold; 1 a rule is broken; 2 bad usage or
input, also runs that must not be compared.`,
		Example: `  spell-lsp compare before
  spell-lsp compare base.json head.json
  spell-lsp compare main latest
  spell-lsp compare --fail-on 'energy>+5%,new-red' base.json head.json
  spell-lsp compare --format markdown base.json head.json >> "$GITHUB_STEP_SUMMARY"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name the run to compare the latest with, or two runs; they are listed by: spell-lsp runs")
			}
			return cobra.MaximumNArgs(2)(cmd, args)
		},
		RunE: f.compare,
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "dir", "C", ".", "take settings and saved runs of the module that `DIR` is in")
	flags.StringVar(&f.format, "format", "text", "`FORMAT` of the result: text, markdown or json")
	f.registerFile(flags, "result")
	flags.StringArrayVar(&f.rules, "fail-on", nil, "exit with code 1 if HEAD breaks the `RULE`; can be repeated")
	flags.BoolVar(&f.options.AcrossMeters, "across-meters", false, "compare measured with estimated energy, or with none")
	flags.BoolVar(&f.options.AcrossMachines, "across-machines", false, "compare runs of different machines")
	flags.BoolVar(&f.full, "full", false, "show the full page, not only the first screen: --top components and tests with intervals, and all notes (markdown and json are always full)")
	forceFlag(flags)
	f.flags.register(cmd, "top", "order", "oracle", "weights", "include-failed", "zones")
	return cmd
}

func (f *compareFlags) compare(cmd *cobra.Command, args []string) error {
	withLatest := len(args) == 1
	if withLatest {
		args = append(args, "latest")
	}
	rules, err := f.check(args)
	if err != nil {
		return err
	}
	s, err := f.settings(f.dir)
	if err != nil {
		return err
	}
	f.options.IncludeFailed = s.IncludeFailed
	var runs [2]*record.Run
	for i, name := range args {
		if runs[i], err = f.read(cmd, name, s); err != nil {
			return err
		}
	}
	if withLatest && runs[0].ID == runs[1].ID {
		return fmt.Errorf("%s is the latest run itself: measure again, or name the run to compare it with", args[0])
	}
	c, err := comparison.Compare(runs[0], runs[1], f.options)
	if err != nil {
		return err
	}
	o := compared(f.output.options(cmd, s))
	o.Command = "--full"
	if args[0] != "-" && args[1] != "-" {
		o.Command = fullCommand(cmd, "compare", f.dir, args[0]) + " " + quoted(args[1])
	}
	if err := f.emit(cmd, func(w io.Writer) error { return comparisons[f.format](w, c, o) }); err != nil {
		return err
	}
	return checkRules(cmd, rules, runs[0], runs[1], c)
}

// check refuses bad values before anything is read.
func (f *compareFlags) check(args []string) ([]gate.Rule, error) {
	if comparisons[f.format] == nil {
		return nil, fmt.Errorf("--format %q: must be text, markdown or json", f.format)
	}
	if args[0] == "-" && args[1] == "-" {
		return nil, errors.New("only one of BASE and HEAD can be standard input")
	}
	if err := f.checkFile(); err != nil {
		return nil, err
	}
	return parseRules(f.rules)
}

// read reads a run and ranks it.
func (f *compareFlags) read(cmd *cobra.Command, name string, s settings.Settings) (*record.Run, error) {
	run, err := readNamed(cmd, f.dir, name, false)
	if err != nil {
		return nil, err
	}
	ranking.Analyze(run, s.Analysis(), s.IncludeFailed)
	return run, nil
}
