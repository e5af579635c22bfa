package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spell-lsp/runner"
	"spell-lsp/runner/remote/slurm"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/gate"
	"spell-lsp/spell/ownership"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// measureFlags are those that are not settings.
type measureFlags struct {
	output
	dirs                           []string
	dir, bench, block, reach, base string // dir is one of dirs
	on                             string
	ignored                        bool
	noCalm, noCounts               bool
	subtests                       bool
	rules                          []string
	programs                       scenarioFlags
}

func measureCommand() *cobra.Command {
	var f measureFlags
	cmd := &cobra.Command{
		Use:   "measure [packages]",
		Short: "Measure the tests of a Go module and rank its functions",
		Long: `Measure builds the tests of the packages (./... if none are named) with probes,
runs them for a number of rounds under an energy meter, and ranks the functions
that ran. No file of the module is written. Tests that fail do not fail the
measurement: they are reported, and left out of the analysis.

Rounds go on until the ranking is stable, or one more is not worth its length;
--rounds sets their number. --for limits the time for rounds, with warm-up but
without building; at least one round completes, and none starts that would
overrun. The run is not partial then. Of a program (--exec, --scenario), --for is
the measured time of each round.

With --exec or --scenario a program or a service is measured in place of tests.
Each round runs it, and measures from its start, or from --ready, to its end, to
the end of --load, or for --for. What it prints goes to standard error.

Flags may have one dash, as those of go test: -run, -bench, -tags, -timeout and -C
mean what they mean there. For its other flags the error names the alternative.

With --compare the run is then compared with a saved one, as the command compare
does. --fail-on takes the same rules as compare.

Exit codes: 0 done; 1 a rule of --fail-on is broken; 2 bad usage or input;
3 nothing could be measured; 130 interrupted (complete rounds are shown, marked
partial).`,
		Example: `  spell-lsp measure
  spell-lsp measure -C examples/parking --rounds 10
  spell-lsp measure --for 2m
  spell-lsp measure --on me@lab.example.org
  spell-lsp measure --on slurm:nodes=4,partition=bare --rounds 12
  spell-lsp measure --on slurm -C parser -C printer
  spell-lsp measure --granularity type
  spell-lsp measure --granularity label
  spell-lsp measure --exec './cmd/convert -o /dev/null big.xml'
  spell-lsp measure --exec './cmd/server -addr :8080' --ready 8080 --load 'hey -n 10000 http://localhost:8080/'
  spell-lsp measure --block Park.Add
  spell-lsp measure --reach Park.Add
  spell-lsp measure --fail-on 'psi(Park.Sort)>0.3'
  spell-lsp measure --rounds 10 --compare base.json --fail-on 'energy>+5%,new-red'
  spell-lsp measure --run 'Parse' --format json -o run.json ./internal/...`,
		RunE: func(cmd *cobra.Command, patterns []string) error {
			if len(f.dirs) > 1 {
				return f.measureEach(cmd, patterns)
			}
			f.dir = strings.Join(f.dirs, "")
			return f.measure(cmd, patterns)
		},
	}
	cmd.Flags().StringArrayVarP(&f.dirs, "dir", "C", nil, "measure the module in `DIR`; with --on slurm it can be repeated: one job measures all of them")
	cmd.Flags().StringVar(&f.bench, "bench", "", "also run the benchmarks that match `RE`")
	cmd.Flags().BoolVar(&f.subtests, "subtests", false, "treat each subtest as a test of its own")
	cmd.Flags().BoolVar(&f.noCalm, "no-calm", false, "leave out the unmeasured rounds (up to five) that show how far measuring changes the program")
	cmd.Flags().BoolVar(&f.noCounts, "no-counts", false, "in mode sample, do not count calls (one more build, and one more round in which nothing is measured)")
	cmd.Flags().StringVar(&f.block, "block", "", "also rank the loop and branch bodies of `FUNC`, which is an ID or its end; (*T).M may be written T.M")
	cmd.Flags().StringVar(&f.reach, "reach", "", "measure only the tests that reach `FUNC` (found by one unmeasured round), which is an ID or its end; (*T).M may be written T.M")
	cmd.Flags().StringVar(&f.on, "on", "", "build here and measure on `HOST`, over ssh: a name of your machines.yaml, or any that ssh connects to; slurm or slurm:OPTIONS: on the nodes of a cluster")
	cmd.Flags().BoolVar(&f.ignored, "send-ignored", false, "with --on, also send the files of the workspace that git ignores")
	cmd.Flags().StringVar(&f.base, "compare", "", "compare with `RUN`: an ID, latest, a baseline, a branch, tag or commit, or a file")
	cmd.Flags().StringArrayVar(&f.rules, "fail-on", nil, "exit with code 1 if the run breaks the `RULE`; can be repeated")
	f.programs.register(cmd)
	forceFlag(cmd.Flags())
	f.register(cmd)
	f.flags.register(cmd, "meter", "powercap-root", "rounds", "for", "warmup", "drop", "seed", "timeout", "exclude", "tags", "run", "mode", "library", "power", "granularity")
	return cmd
}

// A prepared measurement is one of which all is known that flags and settings say.
type prepared struct {
	p          runner.Params
	s          settings.Settings
	gate       *gateInput
	name, host string       // of the machine, see machineOf
	printed    func() error // what programs print is complete
}

// prepare reads what flags and settings say. Where it fails, nothing is left open.
func (f *measureFlags) prepare(cmd *cobra.Command, patterns []string, progress *progressLine) (m prepared, err error) {
	if m.p, m.s, err = f.params(cmd, patterns); err != nil {
		return m, err
	}
	if m.printed, err = f.programs.apply(&m.p, m.s, cmd, progress.program()); err != nil {
		return m, err
	}
	if m.gate, err = f.gate(cmd, m.s); err != nil {
		return m, errors.Join(err, m.printed())
	}
	// Checked now, because a run that took hours must not be lost for it.
	if _, err := openStore(cmd); errors.As(err, new(*ownership.Error)) {
		return m, errors.Join(err, m.printed())
	}
	m.p.Progress, m.p.Noticed = progress.show, progress.tell
	var on *string
	if cmd.Flags().Changed("on") {
		on = &f.on
	}
	m.name, m.host, err = machineOf(on, m.s)
	if err == nil && m.host == "" && f.ignored {
		err = errors.New("--send-ignored goes with --on HOST: nothing is sent to measure here")
	}
	if err == nil && slurm.Is(m.host) && f.programs.stdout != "" {
		err = errors.New("--stdout: what a program prints on the nodes of a cluster does not come here")
	}
	if err != nil {
		return m, errors.Join(err, m.printed())
	}
	return m, nil
}

func (f *measureFlags) measure(cmd *cobra.Command, patterns []string) error {
	progress := &progressLine{w: cmd.ErrOrStderr()}
	m, err := f.prepare(cmd, patterns, progress)
	if err != nil {
		return err
	}
	saved := endsItself(cmd.Context())
	defer saved()
	run, err := measureOn(cmd.Context(), m.name, m.host, f.ignored, m.p)
	progress.clear()
	err = errors.Join(err, m.printed())
	if run != nil {
		f.save(cmd, &m, run)
		saved()
		err = errors.Join(err, f.conclude(cmd, run, m.gate, m.s))
	}
	return err
}

// save saves a run. An error of that is only printed.
func (f *measureFlags) save(cmd *cobra.Command, m *prepared, run *record.Run) {
	f.withoutSettings(&m.p)
	if err := save(cmd, m.p, m.s, run); err != nil {
		if kept := new(store.TrimError); !errors.As(err, &kept) {
			err = fmt.Errorf("the run is not saved: %w", err)
			f.command = "" // it would show another run
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "spell-lsp: %v\n", err) //nolint:errcheck // only a notice
	}
}

// withoutSettings clears the parameters that come from the settings and not from flags: in
// the scope of a saved run, what the settings choose counts as everything.
func (f *measureFlags) withoutSettings(p *runner.Params) {
	if !f.flags.set.Changed("run") {
		p.Run = ""
	}
	if !f.flags.set.Changed("exclude") {
		p.Exclude = nil
	}
	if !f.flags.set.Changed("tags") {
		p.Tags = nil
	}
}

// conclude shows the run, compares it with the base and checks the rules. The run is shown
// whatever is wrong with the rest, because it took a while to measure. A partial run
// breaks no rule.
func (f *measureFlags) conclude(cmd *cobra.Command, run *record.Run, g *gateInput, s settings.Settings) error {
	var list []error
	if f.inclusive {
		list = append(list, f.rank(run, s))
	}
	if f.within != "" {
		if _, err := grouping.Within(run, f.within); err != nil {
			list = append(list, fmt.Errorf("--within: %w", err))
			f.within = ""
		}
	}
	c, err := g.compare(run, s)
	list = append(list, err)
	var broken error
	early := unchecked(g.rules, run, c)
	if early == nil && errors.Join(list...) == nil {
		broken = f.hold(g.rules, g.base, run, c)
	}
	if err := errors.Join(append(list, f.show(cmd, run, c, s), broken)...); err != nil {
		return err
	}
	switch {
	case early == nil:
		return printRemarks(cmd, f.checked.Report)
	case cmd.Context().Err() == nil: // who interrupts knows
		return early
	}
	return nil
}

func (f *measureFlags) params(cmd *cobra.Command, patterns []string) (runner.Params, settings.Settings, error) {
	dir, err := filepath.Abs(f.dir)
	if f.programs.name != "" {
		dir = settingsFolder(dir) // the commands of scenarios are written for that folder
	}
	if err != nil {
		return runner.Params{}, settings.Settings{}, err
	}
	s, err := f.settings(dir)
	if err != nil {
		return runner.Params{}, s, err
	}
	if _, err := regexp.Compile(f.bench); err != nil {
		return runner.Params{}, s, fmt.Errorf("--bench %q: %w", f.bench, err)
	}
	if f.block != "" && f.flags.set.Changed("granularity") {
		return runner.Params{}, s, errors.New("--block and --granularity cannot be combined: --block ranks the blocks of one function along with all functions")
	}
	if p := s.Library; f.flags.set.Changed("library") && p.Own && s.Mode == runner.ModeInstrument {
		return runner.Params{}, s, fmt.Errorf("--library %v: with probes, the time of functions outside of the workspace is their caller's: add --mode %s", p, runner.ModeSample)
	}
	p := params(s)
	f.measured, f.source, f.command = dir, dir, fullCommand(cmd, "report", f.dir, "")
	if f.base != "" {
		f.command += " --compare " + quoted(f.base)
	}
	p.Dir, p.Patterns, p.Bench, p.Subtests, p.Reach = dir, patterns, f.bench, f.subtests, f.reach
	p.Calm, p.Counts = f.calm(cmd.Flags(), s), !f.noCounts
	if f.block != "" {
		p.Block, p.Granularity = f.block, spell.KindBlock
	}
	return p, s, f.check()
}

// calm says whether the programs are run unmeasured, too: a flag, if given, overrides the setting.
func (f *measureFlags) calm(flags *pflag.FlagSet, s settings.Settings) bool {
	if flags.Changed("no-calm") {
		return !f.noCalm
	}
	return s.Calmness
}

// gate reads the rules and the base before anything is measured.
func (f *measureFlags) gate(cmd *cobra.Command, s settings.Settings) (*gateInput, error) {
	rules, err := parseRules(f.rules)
	if err != nil {
		return nil, err
	}
	g := &gateInput{rules: rules}
	if f.inclusive && len(rules) > 0 {
		return nil, errors.New("--fail-on checks self values and cannot be combined with --inclusive")
	}
	changes := slices.IndexFunc(rules, gate.Rule.NeedsBase)
	switch {
	case f.base == "" && changes < 0:
		return g, nil
	case f.base == "" && s.Baseline == "":
		return nil, fmt.Errorf("%w, or the setting baseline", needsBase(rules[changes]))
	}
	if f.inclusive {
		return nil, errors.New("--compare compares self values and cannot be combined with --inclusive")
	}
	if f.base == "-" {
		return nil, errors.New("--compare: name a run or a file")
	}
	if !pages[f.format].compares && f.file == "" {
		return nil, fmt.Errorf("--compare prints a page of its own: write the %s to a file with -o", f.format)
	}
	base, err := f.readBase(cmd, s)
	if err != nil {
		return nil, err
	}
	kind := s.Granularity
	if f.block != "" {
		kind = spell.KindBlock
	}
	if g.base, err = grouping.Regroup(base, kind); err != nil {
		return nil, fmt.Errorf("the run to compare with: %w", err)
	}
	ranking.Analyze(g.base, s.Analysis(), s.IncludeFailed)
	return g, nil
}

// readBase reads the run that --compare names, or else the settings.
func (f *measureFlags) readBase(cmd *cobra.Command, s settings.Settings) (*record.Run, error) {
	read, of := func() (*record.Run, error) { return readNamed(cmd, f.dir, f.base, false) }, "--compare"
	if f.base == "" {
		read, of = func() (*record.Run, error) {
			return readConfigured(cmd.Context(), cmd, settingsFolder(f.dir), s.Baseline)
		}, "the setting baseline"
	}
	base, err := read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", of, err)
	}
	return base, nil
}

// show writes the result of a measurement and the comparison, which is printed where
// the format does not have it.
func (f *measureFlags) show(cmd *cobra.Command, run *record.Run, c *comparison.Comparison, s settings.Settings) error {
	err := f.write(cmd, run, s, c)
	if c == nil || pages[f.format].compares {
		return err
	}
	w := cmd.OutOrStdout()
	how := compared(f.options(cmd, s))
	how.Command = f.command
	how.Color, how.ASCII, how.Width = colors(w), !unicodeLocale(), columns(w) // -o is the run's
	return errors.Join(err, rendering.Text(w, c, how))
}
