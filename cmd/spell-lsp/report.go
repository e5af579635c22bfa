package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/gate"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
)

// reportFlags are those that are not settings.
type reportFlags struct {
	output
	dir, base string
	rules     []string
}

func reportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report [flags] [RUN]",
		Short: "Render a saved run",
		Long: `Report renders a saved run: the latest, or the one that is named. It ranks the run
again with the current settings.

` + referenceHelp + `

With --format html it writes one self-contained page with charts: energy over time, a
flame graph in joules, what makes the rank of each function, tests x functions, and,
with --compare, what changed.

--fail-on takes the same rules as compare; rules about a change need --compare.
Exit codes: 0 done, and all rules hold; 1 a rule is broken; 2 bad usage or input.`,
		Example: `  spell-lsp report
  spell-lsp report --granularity goroutine
  spell-lsp report --format html -o report.html
  spell-lsp report --format html --compare main -o report.html latest
  spell-lsp report --format junit --compare main --fail-on 'energy>+5%' -o energy.xml
  spell-lsp report -C examples/parking --top 5 --sort energy`,
		Args: cobra.MaximumNArgs(1),
		RunE: f.report,
	}
	cmd.Flags().StringVarP(&f.dir, "dir", "C", ".", "take settings and saved runs of the module that `DIR` is in")
	cmd.Flags().StringVar(&f.base, "compare", "", "compare with `RUN`: an ID, latest, a baseline, a branch, tag or commit, or a file")
	cmd.Flags().StringArrayVar(&f.rules, "fail-on", nil, "exit with code 1 if the run breaks the `RULE`; can be repeated")
	forceFlag(cmd.Flags())
	f.register(cmd)
	f.flags.register(cmd, "granularity")
	return cmd
}

func (f *reportFlags) report(cmd *cobra.Command, args []string) error {
	name := "latest"
	if len(args) > 0 {
		name = args[0]
	}
	f.command = fullCommand(cmd, "report", f.dir, strings.Join(args, ""))
	if f.base != "" && f.command != "" {
		f.command += " --compare " + quoted(f.base)
	}
	if _, workspace, err := savedUnder(f.dir); err == nil {
		f.source = workspace
	}
	rules, err := f.check(name)
	if err != nil {
		return err
	}
	s, err := f.settings(f.dir)
	if err != nil {
		return err
	}
	run, err := readNamed(cmd, f.dir, name, f.inclusive && f.format != "json")
	if err != nil {
		return err
	}
	if run, err = f.grouped(run, s); err != nil {
		return err
	}
	if err := f.rank(run, s); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	base, c, err := f.compare(cmd, run, s)
	if err != nil {
		return err
	}
	if early := unchecked(rules, run, c); early != nil {
		return cmp.Or(f.write(cmd, run, s, c), early)
	}
	if err := f.hold(rules, base, run, c); err != nil {
		return err
	}
	if err := f.write(cmd, run, s, c); err != nil {
		return err
	}
	return printRemarks(cmd, f.checked.Report)
}

// check refuses bad values before anything is read, and reads the rules.
func (f *reportFlags) check(name string) ([]gate.Rule, error) {
	rules, err := parseRules(f.rules)
	if err != nil {
		return nil, err
	}
	changes := slices.IndexFunc(rules, gate.Rule.NeedsBase)
	switch {
	case f.inclusive && len(rules) > 0:
		return nil, errors.New("--fail-on checks self values and cannot be combined with --inclusive")
	case f.base == "" && changes >= 0:
		return nil, needsBase(rules[changes])
	case f.base == "":
	case f.inclusive:
		return nil, errors.New("--compare compares self values and cannot be combined with --inclusive")
	case !pages[f.format].compares && changes < 0:
		return nil, fmt.Errorf("--compare cannot be combined with --format %s: use text, markdown, html or sarif, or the command compare", f.format)
	case name == "-" && f.base == "-":
		return nil, errors.New("only one of RUN and --compare can be standard input")
	}
	return rules, f.output.check()
}

// compare reads the base and compares the run with it; both are nil without one. The base is ranked by what the
// run is: packages, files, types or functions.
func (f *reportFlags) compare(cmd *cobra.Command, run *record.Run, s settings.Settings) (*record.Run, *comparison.Comparison, error) {
	if f.base == "" {
		return nil, nil, nil
	}
	c := compareFlags{output: f.output, dir: f.dir}
	base, err := c.read(cmd, f.base, s)
	if err != nil {
		return nil, nil, fmt.Errorf("--compare: %w", err)
	}
	if base, err = grouping.Regroup(base, run.Granularity); err != nil {
		return nil, nil, fmt.Errorf("--compare: %w", err)
	}
	ranking.Analyze(base, s.Analysis(), s.IncludeFailed)
	result, err := comparison.Compare(base, run, comparison.Options{IncludeFailed: s.IncludeFailed})
	if err != nil {
		return nil, nil, refused(err)
	}
	return base, result, nil
}
