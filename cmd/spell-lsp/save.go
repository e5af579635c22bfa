package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spell-lsp/runner"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/ownership"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// forceFlag adds the flag with which a store is opened that others can change.
func forceFlag(flags *pflag.FlagSet) {
	flags.Bool("force", false, "use the folder of saved runs ("+store.Variable+") even if other users can write to it")
}

// openStore opens the user's store. One that other users can change is not opened without
// --force: they could remove or replace runs.
func openStore(cmd *cobra.Command) (*store.Store, error) {
	dir, err := store.Dir()
	if err != nil {
		return nil, err
	}
	force, _ := cmd.Flags().GetBool("force") // false where there is no such flag
	if err := ownership.Check(dir); err != nil && !force {
		return nil, fmt.Errorf("the folder of saved runs is not used: %w; you can also set %s to a folder of your own, or give --force to use this one", err, store.Variable)
	}
	return store.Open(dir), nil
}

// save keeps a run for later, under the folder of the module that was measured:
// there an editor looks for it.
//
// Functions that did not change keep the zones that they have in an earlier run, see
// [comparison.KeepZones].
func save(cmd *cobra.Command, p runner.Params, by settings.Settings, run *record.Run) error {
	s, err := openStore(cmd)
	if err != nil {
		return err
	}
	dir, folder, err := savedUnder(p.Dir)
	if err != nil {
		return err
	}
	if by.KeepZones {
		comparison.KeepZonesOf(s.Before(folder, scope(p, folder, dir), run), run, by.Analysis(), by.IncludeFailed)
	}
	kept := *run
	root, err := filepath.Rel(folder, filepath.Join(dir, filepath.FromSlash(run.Workspace.Root)))
	if err != nil {
		return err
	}
	kept.Workspace.Root = filepath.ToSlash(root)
	return s.Save(folder, scope(p, folder, dir), &kept)
}

// scope says in words what of a folder was measured, "" for all of it.
func scope(p runner.Params, folder, dir string) string {
	var parts []string
	programs := len(p.Scenarios) > 0
	all := len(p.Patterns) == 0 || slices.Equal(p.Patterns, []string{"./..."})
	if dir != folder || !all || programs {
		rel, err := filepath.Rel(folder, dir)
		if err != nil {
			rel = dir
		}
		where := "all packages"
		switch {
		case programs:
			where = settings.ScenarioScope(settings.RecordedScenarios(p.Settings))
		case !all:
			where = "packages " + strings.Join(p.Patterns, " ")
		}
		if rel != "." {
			where += " of " + filepath.ToSlash(rel)
		}
		parts = append(parts, where)
	}
	for _, one := range []struct{ name, value string }{
		{"exclude", strings.Join(p.Exclude, " ")}, {"tags", strings.Join(p.Tags, ",")}, {"run", p.Run}, {"bench", p.Bench}, {"reach", p.Reach}, {"block", p.Block},
	} {
		if one.value != "" {
			parts = append(parts, fmt.Sprintf("%s %s", one.name, one.value))
		}
	}
	return strings.Join(parts, ", ")
}
