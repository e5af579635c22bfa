package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"spell-lsp/runner/calibration"
	"spell-lsp/runner/meter"
)

// enough is the value of a --calibrate without one: steps last as long as the counter needs.
const enough = "auto"

// A calibrateFlag is doctor's --calibrate.
type calibrateFlag struct{ step string }

func (f *calibrateFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.step, "calibrate", "", "fit the watts of the meter model to this machine, by a counter that works now; --calibrate=`DUR` sets how long each step lasts")
	cmd.Flags().Lookup("calibrate").NoOptDefVal = enough
	cmd.MarkFlagsMutuallyExclusive("calibrate", "powercap-root") // files that a user names are no counter of this machine
}

// check refuses a duration that is not joined to the flag.
func (f *calibrateFlag) check(args []string) error {
	if f.step == enough && len(args) > 0 {
		return fmt.Errorf("--calibrate %s: write --calibrate=%s", args[0], args[0])
	}
	return nil
}

// run calibrates the model, and keeps what was fitted for this user, or for all if root does it.
func (f *calibrateFlag) run(cmd *cobra.Command, o meter.Options, place calibration.Place) error {
	p := calibration.Params{Options: o, Version: versionName(), Say: func(text string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "spell-lsp: %s\n", text) //nolint:errcheck // only a notice
	}}
	if f.step != enough {
		var err error
		if p.Step, err = time.ParseDuration(f.step); err != nil || p.Step <= 0 {
			return fmt.Errorf("--calibrate=%s: it is no duration; write for example --calibrate=10s", f.step)
		}
	}
	defer endsItself(cmd.Context())()
	c, err := calibration.Run(cmd.Context(), p)
	if ctx := cmd.Context().Err(); ctx != nil {
		return errors.Join(ctx, errors.New("nothing was calibrated, and what was there is as it was"))
	}
	if err != nil {
		return fmt.Errorf("--calibrate: %w", err)
	}
	file, err := place.Keep(c, os.Geteuid() == 0)
	if err != nil {
		return fmt.Errorf("--calibrate: %w", err)
	}
	return calibration.Write(cmd.OutOrStdout(), c, file)
}

// calibrationsOf is the place of calibrations, below another root if there is one.
func calibrationsOf(root string) calibration.Place {
	if root == "" {
		return calibration.Usual()
	}
	return calibration.Below(root)
}
