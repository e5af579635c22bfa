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
language are ranked. A first line "# energy: measured" or "# energy: estimated"
in a CSV matrix says where its energy comes from; without it that is not known.`,
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
		m, origin, err := csvmatrix.ReadWithOrigin(in, name)
		if err != nil {
			return nil, err
		}
		return fromMatrix(m, origin), nil
	}
	return nil, fmt.Errorf("%s: cannot tell the format from the name: say --input csv or --input json", name)
}

// fromMatrix makes a run of a matrix. The meter is "csv" where the file says
// where its energy comes from. It is "file" where it does not: what reads a
// record must take the energy for neither measured nor estimated then, though
// its source has no word for that.
func fromMatrix(m *spell.Matrix, origin record.Source) *record.Run {
	now := time.Now().UTC()
	known := origin != ""
	if !known {
		origin = record.Measured
	}
	run := record.FromMatrix(m, origin)
	run.ID, run.Started = record.NewID(now), now
	switch {
	case known:
		run.Meter.Name = "csv"
	case len(m.Domains) > 0:
		run.Meter.Warnings = append(run.Meter.Warnings, unknownOrigin)
	}
	return run
}

const unknownOrigin = "The energy is that of the file, which does not say whether it was measured or estimated."

// origin is what a matrix file must say of the run's energy.
func origin(r *record.Run) record.Source {
	if r.Meter.Name == "file" {
		return ""
	}
	return r.Meter.Source
}
