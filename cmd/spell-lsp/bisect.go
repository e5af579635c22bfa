package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"spell-lsp/runner"
	"spell-lsp/runner/bisect"
	"spell-lsp/runner/remote/slurm"
	"spell-lsp/spell"
	"spell-lsp/spell/bisection"
	"spell-lsp/spell/bisection/rendering"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/units"
)

// bisectFlags are those of bisect. The file and the settings are as in output.
type bisectFlags struct {
	output
	dir, test, component, on string
	packages                 []string
	maxRounds                int
	restart                  bool
}

// errNoCommit says that a search ended without a commit; the page says why.
var errNoCommit = errors.New("no single commit was found")

func bisectCommand() *cobra.Command {
	var f bisectFlags
	cmd := &cobra.Command{
		Use:   "bisect [flags] --test RE GOOD BAD",
		Short: "Find the commit that made a test or a function more expensive",
		Long: `Bisect measures commits from GOOD, where a test was cheap, to BAD, where it is
expensive, and finds the one that made it so. Both are revisions as git takes them.
It compares the energy of the tests in a round, or their time where no energy is
known; with --component the values of one function, without its callees.

Each commit is measured in turns with GOOD and BAD until a statistical test tells
which of the two it is like. A noisy machine costs more rounds. What cannot be told
within --max-rounds is not guessed: the answer is then a range of commits. The chance
of a wrong commit is at most 1 %. Commits that do not build, and those whose tests do
not pass, are skipped.

First parents are searched, and the merged side of a merge that made it so. Commits
are checked out in a folder of the user's cache, without hooks, filters and submodules;
the repository and its files are only read. The settings are those of the workspace as
it is now.

An interrupted search goes on when it is started again with the same arguments: rounds
are kept for ten days. --restart forgets them.

Exit codes: 0 found; 1 not sure: a range of commits, or no difference between GOOD and
BAD; 2 bad usage or input; 3 GOOD or BAD cannot be measured; 130 interrupted.`,
		Example: `  spell-lsp bisect --test TestParse v1.2.0 HEAD
  spell-lsp bisect --test TestParse --package ./parser v1.2.0 HEAD
  spell-lsp bisect --test TestParse --component Parser.Next v1.2.0 HEAD`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("name two commits: GOOD, where the test was cheap, and BAD, where it is expensive")
			}
			return nil
		},
		RunE: f.bisect,
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "dir", "C", ".", "measure the module in `DIR`")
	flags.StringVar(&f.test, "test", "", "measure the tests that match `RE`, as go test -run takes it (required)")
	flags.StringVar(&f.component, "component", "", "compare the function `FUNC` instead of the tests, which is an ID or its end; (*T).M may be written T.M")
	flags.StringSliceVar(&f.packages, "package", nil, "look for the tests in these `PACKAGES` only, which is faster (default ./...)")
	flags.IntVar(&f.maxRounds, "max-rounds", bisection.DefaultRounds, "the most rounds of `N` that a commit may get before it is given up")
	flags.BoolVar(&f.restart, "restart", false, "forget the rounds of earlier starts")
	flags.StringVar(&f.format, "format", "text", "`FORMAT` of the result: text or json")
	f.registerFile(flags, "result")
	flags.StringVar(&f.on, "on", "", "build here and measure on `HOST`, as measure does; slurm or slurm:OPTIONS: several commits at a time on the nodes of a cluster")
	f.flags.register(cmd, "meter", "powercap-root", "timeout", "exclude", "tags")
	return cmd
}

// minRounds is the fewest that --max-rounds allows: fewer decide nothing.
const minRounds = 6 * bisection.BlockRounds

func (f *bisectFlags) check() error {
	switch {
	case f.test == "":
		return errors.New("--test is missing: name the tests to measure, as in --test TestParse")
	case f.format != "text" && f.format != "json":
		return fmt.Errorf("--format %q: must be text or json", f.format)
	case f.maxRounds < minRounds:
		return fmt.Errorf("--max-rounds %d: must be at least %d", f.maxRounds, minRounds)
	}
	if _, err := regexp.Compile(f.test); err != nil {
		return fmt.Errorf("--test %q: %w", f.test, err)
	}
	return f.checkFile()
}

func (f *bisectFlags) bisect(cmd *cobra.Command, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	s, err := f.settings(f.dir)
	if err != nil {
		return err
	}
	progress := bisectProgress{&progressLine{w: cmd.ErrOrStderr()}}
	p := bisect.Params{
		Good: args[0], Bad: args[1], Measure: params(s), Component: f.component,
		MaxRounds: f.maxRounds, Restart: f.restart, Progress: progress.show,
	}
	m := &p.Measure
	m.Dir, m.Patterns, m.Run, m.Granularity, m.Mode = f.dir, f.packages, f.test, spell.KindFunction, runner.ModeInstrument
	over := endsItself(cmd.Context())
	defer over()
	done, err := f.at(cmd, s, &p)
	if err != nil {
		return err
	}
	defer done()
	result, err := bisect.Run(cmd.Context(), p)
	progress.line.clear()
	if err != nil {
		return err
	}
	return f.conclude(cmd, result)
}

// at says on which machine commits are measured: this one, another, or the nodes of a cluster.
func (f *bisectFlags) at(cmd *cobra.Command, s settings.Settings, p *bisect.Params) (done func(), err error) {
	var on *string
	if cmd.Flags().Changed("on") {
		on = &f.on
	}
	name, host, err := machineOf(on, s)
	if err != nil {
		return nil, err
	}
	p.Measure, done, err = at(cmd.Context(), name, host, false, p.Measure)
	if cluster, is := p.Measure.Site.(*slurm.Site); is && err == nil {
		p.Nodes, p.Turns = cluster.Nodes, func() (bisect.Turns, error) { return cluster.Turns() }
	}
	return done, err
}

// conclude writes what was found. It fails where that is no single commit.
func (f *bisectFlags) conclude(cmd *cobra.Command, result *bisection.Result) error {
	if err := f.emit(cmd, func(w io.Writer) error {
		if f.format == "json" {
			return rendering.JSON(w, result)
		}
		width := 0
		if f.file == "" {
			width = columns(w)
		}
		return rendering.Text(w, result, width)
	}); err != nil {
		return err
	}
	if result.Outcome != bisection.Culprit {
		return errNoCommit
	}
	return nil
}

// A bisectProgress writes a line for each step; what changes within a step is shown on a terminal
// only.
type bisectProgress struct{ line *progressLine }

func (p bisectProgress) show(s bisect.Step) {
	text := stepLine(s)
	switch {
	case s.Doing != "":
		p.line.show(runner.Step{Doing: s.Doing})
	case text == "":
	case s.Finding == nil && s.Changed == nil && s.Number+s.Rounds > 0:
		p.line.pass(text)
	default:
		p.line.keep(text)
	}
}

// stepLine says what a search is doing: commit 3 of at most 7: 1a2b3c4 "subject": like GOOD after
// 9 rounds. It is "" if there is nothing to say.
func stepLine(s bisect.Step) string {
	commit := fmt.Sprintf("%s %q", s.Commit.Short, s.Commit.Subject)
	switch {
	case s.Missing != nil:
		return fmt.Sprintf("spell-lsp: some rounds are missing: %v", s.Missing)
	case s.Unsafe != nil:
		return fmt.Sprintf("spell-lsp: the rounds are not kept, an interrupted search will begin anew: %v", s.Unsafe)
	case s.Kept > 0:
		return fmt.Sprintf("%s of an earlier start are used (--restart forgets them)", units.Plural(s.Kept, "round"))
	case s.Checking:
		return "measuring what " + commit + " changed"
	case s.Changed != nil:
		return fmt.Sprintf("GOOD and BAD: %s after %s of each", units.Change(s.Changed.Change), units.Plural(s.Rounds, "round"))
	case s.Number == 0 && s.Rounds > 0:
		return fmt.Sprintf("comparing GOOD and BAD: %s of each", units.Plural(s.Rounds, "round"))
	case s.Number == 0:
		return ""
	}
	text := fmt.Sprintf("commit %d of at most %d: %s: ", s.Number, s.AtMost, commit)
	if s.Finding == nil {
		return text + units.Plural(s.Rounds, "round")
	}
	return text + rendering.Line(s.Finding)
}
