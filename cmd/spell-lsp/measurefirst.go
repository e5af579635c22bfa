package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spell-lsp/runner"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// measuringFlags are those of commands that take a saved run or measure first.
var measuringFlags = []string{"rounds", "warmup", "seed", "meter", "powercap-root", "timeout", "tags"}

// roundsFlag says in the help that the command measures this number of rounds unless it is told, also with auto.
func roundsFlag(flags *pflag.FlagSet, rounds int) {
	flag := flags.Lookup("rounds")
	flag.Usage, flag.DefValue = "How often all tests are run", strconv.Itoa(rounds)
}

// measuresNothing refuses what a command that takes a saved run has no use for. first are the flags with which
// it measures.
func measuresNothing(cmd *cobra.Command, args []string, first string) error {
	for _, name := range append([]string{"on"}, measuringFlags...) {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for measuring: add %s", name, first)
		}
	}
	if len(args) > 1 {
		return fmt.Errorf("name one run; to measure packages, add %s", first)
	}
	return nil
}

// measureFirst measures, on the host of the flag --on if that is given, and saves the run. The run is nil if there is
// none; after an interrupt there are both, a run and an error.
func measureFirst(cmd *cobra.Command, on string, s settings.Settings, p runner.Params) (*record.Run, error) {
	var asked *string
	if cmd.Flags().Changed("on") {
		asked = &on
	}
	name, host, err := machineOf(asked, s)
	if err != nil {
		return nil, err
	}
	run, err := measureShown(cmd, name, host, p)
	if run == nil {
		return nil, err
	}
	if failed := save(cmd, p, s, run); failed != nil {
		if kept := new(store.TrimError); !errors.As(failed, &kept) {
			failed = fmt.Errorf("the run is not saved: %w", failed)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "spell-lsp: %v\n", failed) //nolint:errcheck // only a notice
	}
	return run, err
}

func measureShown(cmd *cobra.Command, name, host string, p runner.Params) (*record.Run, error) {
	progress := &progressLine{w: cmd.ErrOrStderr()}
	p.Progress, p.Noticed = progress.show, progress.tell
	defer endsItself(cmd.Context())()
	defer progress.clear()
	return measureOn(cmd.Context(), name, host, false, p)
}
