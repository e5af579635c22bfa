package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"spell-lsp/spell/input"
)

// analyzeFlags are those that are not settings.
type analyzeFlags struct{ spectrumFlags }

func analyzeCommand() *cobra.Command {
	var f analyzeFlags
	cmd := &cobra.Command{
		Use:   "analyze FILE",
		Short: "Rank a run record, a matrix or a trace from any tool",
		Long: `Analyze ranks the components of a file; "-" is standard input. This is how
programs in any language are ranked. The format is given by --input, else by the
extension, else by how the file begins:

  json      a run record, or a matrix with the schema spell-lsp/matrix/v1
  csv       test,component[,file,line],cpu_J|cpu_mJ[,dram_J...],n,time_ms; the
            units are taken from the column names. A first line "# energy:
            measured" or "# energy: estimated" says where the energy comes from
  spell     the matrix of the SPELL toolkit: a line for each test
  trace     the trace of the SPELL toolkit, its thesis and its older framework
  binary    .spellbin, for matrices with millions of cells
  gzoltar   a pass/fail spectrum: matrix.txt, with spectra.csv and tests.csv
            beside it, or their folder; ranked by --coefficient`,
		Example: `  spell-lsp analyze run.json --top 5
  spell-lsp analyze run.json --granularity package
  spell-lsp analyze run.json --within example.com/park
  spell-lsp analyze --oracle product-of-sums matrix.csv
  spell-lsp analyze program.trace --inclusive
  other-tool | spell-lsp analyze --input csv -`,
		Args: cobra.ExactArgs(1),
		RunE: f.analyze,
	}
	f.register(cmd)
	f.flags.register(cmd, "granularity")
	cmd.Flags().StringVar(&f.input, "input", "", "`FORMAT` of the file: "+join(input.Formats())+"; by default it is detected from the extension or the content")
	cmd.Flags().StringVar(&f.coefficient, "coefficient", "", "rank by which tests failed, with the `COEFFICIENT` ochiai, tarantula or jaccard")
	return cmd
}

func (f *analyzeFlags) analyze(cmd *cobra.Command, args []string) error {
	name := args[0]
	f.command = fullCommand(cmd, "analyze", "", name)
	if _, workspace, err := savedUnder("."); err == nil {
		f.source = workspace
	}
	bySuspicion := f.coefficient != "" || input.IsSpectrum(name, f.input)
	check := f.check
	if bySuspicion {
		check = f.checkRows
	}
	if err := check(); err != nil {
		return err
	}
	s, err := f.settings(".")
	if err != nil {
		return err
	}
	if bySuspicion {
		return f.suspects(cmd, name, s)
	}
	run, err := input.Read(cmd.InOrStdin(), name, f.input, f.inclusive && f.format != "json")
	if err != nil {
		return err
	}
	if run, err = f.grouped(run, s); err != nil {
		return err
	}
	if _, isPage := pages[f.format]; isPage {
		if err := f.rank(run, s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return f.write(cmd, run, s, nil)
}
