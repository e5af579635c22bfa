package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// reportFlags are those that are not settings.
type reportFlags struct {
	output
	dir, base string
}

func reportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report [flags] [RUN]",
		Short: "Render a saved run",
		Long: `Report renders a run that was measured before: the latest, or the one with that
id, the baseline of that name, or the one in a file. It is ranked anew by the
settings.

With --format html it is one page that needs nothing else, with charts: energy over
time, a flame graph in joules, what makes the rank of each function, tests x
functions, and, with --compare, what changed.`,
		Example: `  spell-lsp report
  spell-lsp report --format html -o report.html
  spell-lsp report --format html --compare main -o report.html latest
  spell-lsp report -C examples/parking --top 5 --sort energy`,
		Args: cobra.MaximumNArgs(1),
		RunE: f.report,
	}
	cmd.Flags().StringVarP(&f.dir, "dir", "C", ".", "take the saved runs and the settings of the folder `DIR`")
	cmd.Flags().StringVar(&f.base, "compare", "", "compare with the `RUN`: a file, the id of a saved run, latest, or the name of a baseline")
	f.register(cmd)
	return cmd
}

func (f *reportFlags) report(cmd *cobra.Command, args []string) error {
	name := latestRun
	if len(args) > 0 {
		name = args[0]
	}
	if err := f.check(name); err != nil {
		return err
	}
	s, err := f.settings(f.dir)
	if err != nil {
		return err
	}
	run, err := readRun(name, f.dir, func() (*record.Run, error) {
		return readInput(cmd.InOrStdin(), name, "", f.inclusive && f.format != "json")
	})
	if err != nil {
		return err
	}
	if err := f.rank(run, s); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	c, err := f.compare(cmd, run, s)
	if err != nil {
		return err
	}
	return f.write(cmd, run, s, c)
}

// check refuses bad values before anything is read.
func (f *reportFlags) check(name string) error {
	switch {
	case f.base == "":
	case f.inclusive:
		return errors.New("--compare is of self values: it does not go with --inclusive")
	case !pages[f.format].compares:
		return fmt.Errorf("--compare does not go with --format %s, which has no room for it: use text or html, or the command compare", f.format)
	case name == "-" && f.base == "-":
		return errors.New("only one of RUN and --compare can be standard input")
	}
	return f.output.check()
}

// compare is nil without a base. It is ranked by what the run is: packages, files,
// types or functions.
func (f *reportFlags) compare(cmd *cobra.Command, run *record.Run, s settings.Settings) (*comparison.Comparison, error) {
	if f.base == "" {
		return nil, nil //nolint:nilnil // there is nothing to compare with
	}
	c := compareFlags{output: f.output, dir: f.dir}
	base, err := c.read(cmd, f.base, s)
	if err != nil {
		return nil, fmt.Errorf("--compare: %w", err)
	}
	result, err := comparison.Compare(base, run, comparison.Options{IncludeFailed: s.IncludeFailed})
	if err != nil {
		return nil, fmt.Errorf("--compare: %w", err)
	}
	return result, nil
}

// latestRun names the run of a folder that was saved last.
const latestRun = "latest"

// readRun reads the run of that name: with file, if that is the name of a file or
// stands for standard input, else from what was saved of dir.
func readRun(name, dir string, file func() (*record.Run, error)) (*record.Run, error) {
	if isFile(name) {
		return file()
	}
	saved, err := openStore()
	if err != nil {
		return nil, err
	}
	_, folder, err := saveFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("-C %s: %w", dir, err)
	}
	run, err := loadRun(saved, folder, name)
	if err != nil && name != latestRun {
		return nil, fmt.Errorf("there is no file %s, and in the saved runs: %w", name, err)
	}
	return run, err
}

func loadRun(saved *store.Store, folder, name string) (*record.Run, error) {
	id, err := saved.Resolve(folder, name)
	if err != nil {
		return nil, err
	}
	return saved.Load(folder, id)
}

// isFile tells whether a name is that of a file: there is one, or it ends like one.
func isFile(name string) bool {
	if name == latestRun {
		return false
	}
	if name == "-" || inputNamed(name, "") != nil {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}
