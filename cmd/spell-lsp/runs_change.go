package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"spell-lsp/spell/input"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/store"
	"spell-lsp/spell/units"
)

func (f *runsFlags) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show RUN",
		Short: "Show what is known of a saved run",
		Long:  "Show says when, where and with what a saved run was measured. Its ranking is\nshown by: spell-lsp report RUN",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openRuns(cmd, f.dir)
			if err != nil {
				return err
			}
			entries, bad := s.List(s.workspace)
			e, err := s.entry(cmd.Context(), args[0], entries)
			if err != nil {
				return errors.Join(err, bad)
			}
			return showEntry(cmd.OutOrStdout(), s.workspace, e)
		},
	}
}

func showEntry(w io.Writer, workspace string, e *store.Entry) error {
	var b bytes.Buffer
	line := func(label, text string) { page.Paragraph(&b, fmt.Sprintf("%-12s", label), page.Clean(text)) }
	line("run", e.ID)
	line("workspace", workspace)
	line("started", e.Started.Format("2006-01-02 15:04:05 UTC"))
	line("revision", revisionOf(e))
	line("what", about(&store.Entry{Scope: e.Scope, Partial: e.Partial}))
	line("meter", meterOf(e))
	line("mode", cmp.Or(e.Mode, unknown))
	line("host", hostOf(e))
	line("rounds", countOf(e.Rounds))
	line("a round", fmt.Sprintf("energy %s, time %s", energyOf(e.EnergyJ), timeOf(e.TimeMS)))
	line("components", fmt.Sprintf("energy %s, running time %s on all processors, in tests that passed", energyOf(e.ComponentsJ), timeOf(e.ComponentsMS)))
	line("size", units.Plural(e.Tests, "test")+failedOf(e)+", "+units.Plural(e.Components, "component"))
	for _, name := range e.Baselines {
		line("baseline", name)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing what is known: %w", err)
	}
	return nil
}

// each calls do for each name, also after errors.
func (f *runsFlags) each(cmd *cobra.Command, names []string, do func(s *savedRuns, name string) error) error {
	s, err := openRuns(cmd, f.dir)
	if err != nil {
		return err
	}
	var faults []error
	for _, name := range names {
		faults = append(faults, do(s, name))
	}
	return errors.Join(faults...)
}

func (f *runsFlags) deleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete RUN...",
		Short: "Delete saved runs",
		Long:  "Delete removes saved runs, also those that cannot be read any more. A run that is\na baseline is refused: remove the name first, with: spell-lsp runs baseline --remove NAME",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.each(cmd, args, func(s *savedRuns, name string) error {
				id, err := s.find(cmd.Context(), name)
				if err != nil {
					return err
				}
				if err := s.Delete(s.workspace, id); err != nil {
					return err
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), "deleted", id); err != nil {
					return fmt.Errorf("writing the id: %w", err)
				}
				return nil
			})
		},
	}
}

func (f *runsFlags) exportCommand() *cobra.Command {
	o := output{format: "json"}
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Write a saved run to a file",
		Long:  "Export writes the record of a saved run, as measure --format json does: to take\nit to another machine, or to commit it as the baseline of the repository.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkFile(); err != nil {
				return err
			}
			run, err := readNamed(cmd, f.dir, args[0], false)
			if err != nil {
				return err
			}
			return o.emit(cmd, func(w io.Writer) error { return recordjson.Write(w, run) })
		},
	}
	o.registerFile(cmd.Flags(), "record")
	return cmd
}

func (f *runsFlags) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE...",
		Short: "Save runs from files",
		Long:  "Import saves run records, or matrices that analyze reads, beside the runs that were\nmeasured here. They can be compared with, named as baselines, and shown in an editor.",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.each(cmd, args, func(s *savedRuns, name string) error { return s.importFile(cmd, name) })
		},
	}
}

// importFile saves the run of a file.
func (s *savedRuns) importFile(cmd *cobra.Command, name string) error {
	format := ""
	if name == "-" {
		format = "json"
	}
	run, err := input.Read(cmd.InOrStdin(), name, format, false)
	if err != nil {
		return err
	}
	if err := s.Save(s.workspace, store.Loaded+"from "+filepath.Base(name), run); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), "saved", run.ID); err != nil {
		return fmt.Errorf("writing the id: %w", err)
	}
	return nil
}

func (f *runsFlags) baselineCommand() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "baseline [NAME [RUN]]",
		Short: "List baselines, or make a run one",
		Long: `Baseline gives a saved run a name to compare with, and keeps the run for ever.
Without RUN it takes the latest run; without NAME it lists the baselines.`,
		Example: "  spell-lsp runs baseline main\n  spell-lsp runs baseline release/1.0 20261120T180000Z-3f9a\n  spell-lsp runs baseline --remove main",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openRuns(cmd, f.dir)
			switch {
			case err != nil:
				return err
			case remove && len(args) != 1:
				return errors.New("--remove takes the NAME of a baseline")
			case remove:
				return s.RemoveBaseline(s.workspace, args[0])
			case len(args) == 0:
				return s.listBaselines(cmd.OutOrStdout())
			}
			return s.setBaseline(cmd, args[0], append(args, "latest")[1])
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the name; the run stays")
	return cmd
}

func (s *savedRuns) listBaselines(w io.Writer) error {
	list, bad := s.Baselines(s.workspace)
	for _, b := range list {
		if _, err := fmt.Fprintf(w, "%s  %s\n", b.ID, b.Name); err != nil {
			return fmt.Errorf("writing the list: %w", err)
		}
	}
	return bad
}

// setBaseline makes a saved run a baseline.
func (s *savedRuns) setBaseline(cmd *cobra.Command, name, of string) error {
	if input.Named(name) {
		return fmt.Errorf("%q cannot be the name of a baseline: it ends like a file name, and would be read as one", name)
	}
	id, err := s.find(cmd.Context(), of)
	if err != nil {
		return err
	}
	if err := s.SetBaseline(s.workspace, name, id); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is %s\n", name, id); err != nil {
		return fmt.Errorf("writing the name: %w", err)
	}
	return nil
}
