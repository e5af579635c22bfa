package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spell-lsp/runner"
	"spell-lsp/runner/remote/slurm"
)

// joinable are the formats of which pages can follow one another.
var joinable = []string{"text", "markdown", "json", "benchfmt"}

// measureEach measures several modules, or versions of one, by one job of a cluster. Each run is saved, shown and
// checked as if it had been measured alone.
func (f *measureFlags) measureEach(cmd *cobra.Command, patterns []string) error {
	switch {
	case f.file != "":
		return errors.New("-o cannot be used with several -C: the runs are saved, so write each file by report -C DIR -o FILE")
	case !slices.Contains(joinable, f.format):
		return fmt.Errorf("--format %s cannot be used with several -C: choose one of %s, or write each file by report -C DIR --format %[1]s", f.format, strings.Join(joinable, ", "))
	case f.programs.stdout != "":
		return errors.New("--stdout cannot be used with several -C: what programs print would be mixed")
	}
	progress := &progressLine{w: cmd.ErrOrStderr()}
	each := make([]measureFlags, len(f.dirs))
	list := make([]prepared, len(f.dirs))
	params := make([]runner.Params, len(f.dirs))
	for i, dir := range f.dirs {
		each[i] = *f
		each[i].dir = dir
		var err error
		if list[i], err = each[i].prepare(cmd, patterns, progress); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		if list[i].host != list[0].host {
			return fmt.Errorf("%s is to be measured on %s, and %s on %s: name one machine by --on", dir, nameOf(list[i]), f.dirs[0], nameOf(list[0]))
		}
		params[i] = onMachine(list[i].name, list[i].p)
	}
	if !slurm.Is(list[0].host) {
		return errors.New("several -C need a cluster (--on slurm): on one machine they would disturb each other, so measure one after another")
	}
	site, err := slurm.Open(list[0].name, list[0].host, f.ignored)
	if err != nil {
		return err
	}
	saved := endsItself(cmd.Context())
	defer saved()
	results := site.MeasureAll(cmd.Context(), params)
	progress.clear()
	for i, r := range results {
		if r.Run != nil {
			each[i].save(cmd, &list[i], r.Run)
		}
	}
	saved()
	return showEach(cmd, each, list, results)
}

// nameOf is the name of the machine that measures.
func nameOf(m prepared) string { return cmp.Or(m.name, "this machine") }

// showEach shows one run after another. The error has those of all.
func showEach(cmd *cobra.Command, each []measureFlags, list []prepared, results []slurm.Result) error {
	var all []error
	for i, r := range results {
		err := r.Err
		if r.Run != nil {
			if title := map[string]string{"text": "\n%s:\n\n", "markdown": "\n# %s\n\n"}[each[i].format]; title != "" {
				fmt.Fprintf(cmd.OutOrStdout(), title, each[i].dir) //nolint:errcheck // the page says so
			}
			err = errors.Join(err, each[i].conclude(cmd, r.Run, list[i].gate, list[i].s))
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			all = append(all, fmt.Errorf("%s: %w", each[i].dir, err))
		}
	}
	return errors.Join(append(all, cmd.Context().Err())...)
}
