package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"spell-lsp/spell/page"
	"spell-lsp/spell/store"
)

func runsCommand() *cobra.Command {
	var f runsFlags
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the saved runs of a module",
		Long: `Runs lists what was measured of a module, newest first. The runs are kept in
$SPELL_LSP_DATA, else in $XDG_DATA_HOME/spell-lsp (~/.local/share/spell-lsp): the last
100 of each module, and baselines for ever.

A run is named by its id, as latest, by a baseline's name, or by a branch, tag or
commit of git. To use a file, import it first.`,
		Example: `  spell-lsp runs
  spell-lsp runs trend
  spell-lsp runs baseline main
  spell-lsp runs export latest -o run.json
  spell-lsp runs import run.json
  spell-lsp runs delete 20261120T180000Z-3f9a`,
		Args: onlyCommands,
		RunE: f.list,
	}
	cmd.PersistentFlags().StringVarP(&f.dir, "dir", "C", ".", "the runs of the module that `DIR` is in")
	forceFlag(cmd.PersistentFlags())
	f.registerList(cmd)
	cmd.AddCommand(f.listCommand(), f.showCommand(), f.trendCommand(), f.deleteCommand(), f.exportCommand(), f.importCommand(), f.baselineCommand())
	return cmd
}

// listCommand is what runs does without a command.
func (f *runsFlags) listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the saved runs, as runs alone does",
		Args:  cobra.NoArgs,
		RunE:  f.list,
	}
	f.registerList(cmd)
	return cmd
}

func (f *runsFlags) registerList(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "text", "`FORMAT` of the list: text or json")
	cmd.Flags().IntVar(&f.top, "top", 0, "list the `N` newest; 0 is all")
}

func (f *runsFlags) list(cmd *cobra.Command, _ []string) error {
	if f.format != "text" && f.format != "json" {
		return fmt.Errorf("--format %q: must be text or json", f.format)
	}
	if f.top < 0 {
		return fmt.Errorf("--top %d: must be 0 (all) or more", f.top)
	}
	s, err := openRuns(cmd, f.dir)
	if err != nil {
		return err
	}
	entries, bad := s.List(s.workspace)
	if f.top > 0 {
		entries = entries[:min(f.top, len(entries))]
	}
	if f.format == "json" {
		return errors.Join(listJSON(machineOutput(cmd), entries), bad)
	}
	return errors.Join(listText(cmd.OutOrStdout(), s.workspace, entries), bad)
}

// A listed run is one in the list as JSON.
type listed struct {
	store.Entry
	Baselines []string `json:"baselines"` // never null
}

func listJSON(w io.Writer, entries []store.Entry) error {
	list := make([]listed, len(entries))
	for i, e := range entries {
		list[i] = listed{e, append([]string{}, e.Baselines...)}
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	if err := out.Encode(list); err != nil {
		return fmt.Errorf("writing the list: %w", err)
	}
	return nil
}

func listText(w io.Writer, workspace string, entries []store.Entry) error {
	var b bytes.Buffer
	if len(entries) == 0 {
		page.Paragraph(&b, "", fmt.Sprintf("There is no saved run of %s: measure first.", page.Clean(workspace)))
	} else {
		t := page.Table{Columns: []page.Column{
			{Head: "run"}, {Head: "energy", Right: true}, {Head: "time", Right: true}, {Head: "rounds", Right: true},
			{Head: "components", Right: true}, {Head: "meter"}, {Head: "revision"}, {Head: "baselines, scope"},
		}}
		for i := range entries {
			e := &entries[i]
			t.Add(page.Cell{Text: e.ID}, page.Cell{Text: energyOf(e.EnergyJ)}, page.Cell{Text: timeOf(e.TimeMS)}, page.Cell{Text: countOf(e.Rounds)},
				page.Cell{Text: countOf(e.Components)}, page.Cell{Text: meterOf(e)}, page.Cell{Text: revisionOf(e)}, page.Cell{Text: about(e)})
		}
		t.Write(&b, false)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the list: %w", err)
	}
	return nil
}
