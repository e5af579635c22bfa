package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"spell-lsp/spell"
	"spell-lsp/spell/csvmatrix"
	"spell-lsp/spell/record"
)

func analyzeCommand() *cobra.Command {
	var o output
	var input string
	cmd := &cobra.Command{
		Use:   "analyze FILE",
		Short: "Rank a run record or a matrix file, whatever wrote it",
		Long: `Analyze ranks the components of a run record (.json) or of a matrix in CSV
(test,component[,file,line],cpu_J|cpu_mJ[,dram_J...],n,time_ms; the units are
those of the column names). "-" is standard input. This is how programs in any
language are ranked. The energy of a CSV matrix is taken as measured.`,
		Example: `  spell-lsp analyze run.json --top 5
  spell-lsp analyze --oracle product-of-sums matrix.csv
  other-tool | spell-lsp analyze --input csv -`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			s, err := o.settings(".")
			if err != nil {
				return err
			}
			run, err := readInput(cmd, args[0], input)
			if err != nil {
				return err
			}
			run.Analyze(analysis(s), s.IncludeFailed)
			return o.write(cmd, run, s)
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&input, "input", "", "`FORMAT` of the file: csv or json; the default is its extension")
	return cmd
}

func readInput(cmd *cobra.Command, name, format string) (*record.Run, error) {
	in := cmd.InOrStdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("reading the input: %w", err)
		}
		defer f.Close()
		in = f
	}
	return parseInput(in, name, format)
}

func parseInput(in io.Reader, name, format string) (*record.Run, error) {
	if format == "" {
		format = filepath.Ext(name)
	}
	switch format {
	case ".json", "json":
		run, err := record.Read(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return run, nil
	case ".csv", "csv":
		m, err := csvmatrix.Read(in, name)
		if err != nil {
			return nil, err
		}
		return fromMatrix(m), nil
	}
	return nil, fmt.Errorf("%s: cannot tell the format from the name: say --input csv or --input json", name)
}

// fromMatrix makes a run of a matrix. Where its figures come from, the file
// does not tell.
func fromMatrix(m *spell.Matrix) *record.Run {
	now := time.Now().UTC()
	run := record.FromMatrix(m, record.Measured)
	run.ID, run.Started = record.NewID(now), now
	run.Meter.Warnings = append(run.Meter.Warnings, "The figures are those of the file, which does not say whether they were measured or estimated.")
	return run
}
