package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"spell-lsp/runner/calibration"
	"spell-lsp/runner/fitness"
	"spell-lsp/runner/fitness/steady"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/sampler"
)

// showFixes is the value of a --fix without one.
const showFixes = "show"

func doctorCommand() *cobra.Command {
	var o meter.Options
	var fix, root string
	var undo bool
	var calibrate calibrateFlag
	var proof validateFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say which meters work here, and how to make the others work",
		Long: `Says which meters work here and, for each that does not, why and what helps. Then
it says whether the machine is fit to measure: what of its frequency, turbo, load,
temperature, limits and clock changes figures, how to mend it, and how to undo that.

With --fix it shows the files that would open the energy counters for good, each
with what it exposes, and the values of the kernel that hold the frequency, with
what they cost. With --fix=NAME it writes one of the files; --fix=steady sets the
values until the next restart, and --undo puts back what was there. It never calls
sudo: it says what to run.

With --calibrate it keeps processors busy in steps, idle to all of them, reads the first
counter that works now (rapl, perf, hwmon, battery; root can read more), and fits the
watts of the meter model. That uses them on this machine from then on, and says so.

With --validate it proves the joules: known workloads run alone, so that the counter
itself says what each draws, then mixed and at once, measured like any tests. The page
compares. -o writes it as a file that can be sent in, without names of machines, users
or folders: docs/machines.md.

Exit codes: 0 done, with --validate validated; 1 not validated: errors beyond the bars
(median 5 %, worst 15 %) or too uncertain, a counter that contradicts itself, a machine
that changed; 2 bad usage; 3 nothing could be measured: no counter, or a machine that
is too busy.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if fix == showFixes && len(args) > 0 {
				return fmt.Errorf("--fix %s: write --fix=%s", args[0], args[0])
			}
			if proof.length != 0 && len(args) > 0 {
				return fmt.Errorf("--validate %s: write --validate=%s", args[0], args[0])
			}
			return cmp.Or(calibrate.check(args), cobra.NoArgs(cmd, args))
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := proof.check(cmd.Flags()); err != nil {
				return err
			}
			out, machine := cmd.OutOrStdout(), steady.On(root)
			switch {
			case cmd.Flags().Changed("validate"):
				return proof.validate(cmd, o)
			case undo:
				return undoSteady(out, machine)
			case cmd.Flags().Changed("calibrate"):
				return calibrate.run(cmd, machine.Options(), calibrationsOf(root))
			case !cmd.Flags().Changed("fix"):
				if err := diagnose(out, o, machine.Options()); err != nil {
					return err
				}
				return calibration.List(out, calibrationsOf(root))
			case fix == showFixes:
				return showAllFixes(out, machine)
			case fix == steady.Name:
				return setSteady(out, machine)
			}
			return writeFix(out, fix, root)
		},
	}
	powercapFlag(cmd, &o.PowercapRoot)
	cmd.Flags().StringVar(&fix, "fix", "", "show what opens the energy counters and what holds the frequency or, as --fix=`NAME`, do one of it")
	cmd.Flags().Lookup("fix").NoOptDefVal = showFixes
	cmd.Flags().BoolVar(&undo, "undo", false, "put back the values that --fix=steady has set")
	calibrate.register(cmd)
	proof.register(cmd)
	cmd.MarkFlagsMutuallyExclusive("fix", "undo", "validate", "calibrate")
	cmd.Flags().StringVar(&root, "fix-root", "", "write below this folder in place of /")
	cmd.Flags().Lookup("fix-root").Hidden = true
	return cmd
}

// diagnose writes which meters work, and whether the machine is fit to measure. The machine is looked
// at first: looking at counters keeps a processor busy.
func diagnose(w io.Writer, o, machine meter.Options) error {
	fit := fitness.Assess(fitness.Look(machine))
	if err := meters.WriteDoctor(w, sampler.Doctor(o)); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return fmt.Errorf("writing the report on the machine: %w", err)
	}
	return fitness.Write(w, fit)
}

func showAllFixes(w io.Writer, machine steady.Machine) error {
	var flags []string
	for _, f := range meters.Fixes() {
		if err := meters.ShowFix(w, f); err != nil {
			return fmt.Errorf("writing what the doctor can do: %w", err)
		}
		fmt.Fprintln(w) //nolint:errcheck // the next one fails too
		flags = append(flags, "--fix="+f.Name)
	}
	if err := machine.Show(w); err != nil {
		return fmt.Errorf("writing what the doctor can do: %w", err)
	}
	_, err := fmt.Fprintf(w, "\nNothing was written. To write one of the files, run the doctor again with %s; to set the values, with --fix=%s.\n", strings.Join(flags, " or "), steady.Name)
	return err
}

// setSteady sets the values of the kernel that hold the frequency.
func setSteady(w io.Writer, machine steady.Machine) error {
	changes, err := machine.Set()
	if err == nil || len(changes) > 0 {
		err = errors.Join(machine.WriteSet(w, changes), err)
	}
	if err != nil {
		return fmt.Errorf("--fix=%s: %w", steady.Name, err)
	}
	return nil
}

// undoSteady puts back what was there before.
func undoSteady(w io.Writer, machine steady.Machine) error {
	changes, err := machine.Undo()
	if err == nil {
		err = machine.WriteUndone(w, changes)
	}
	if err != nil {
		return fmt.Errorf("--undo: %w", err)
	}
	return nil
}

// writeFix shows a file before it writes it.
func writeFix(w io.Writer, name, root string) error {
	f, err := meters.FixNamed(name)
	if err != nil {
		return fmt.Errorf("--fix: %w, %s", err, steady.Name)
	}
	err = meters.ShowFix(w, f)
	if err != nil {
		return fmt.Errorf("writing what the doctor does: %w", err)
	}
	path, err := meters.WriteFix(root, f)
	if err != nil {
		return fmt.Errorf("--fix=%s: %w", name, err)
	}
	_, err = fmt.Fprintf(w, "\nWritten: %s. Now run:\n    %s\n", path, strings.Join(f.Activate, "\n    "))
	return err
}

func powercapFlag(cmd *cobra.Command, root *string) {
	cmd.Flags().StringVar(root, "powercap-root", "", "read the powercap tree in `DIR` instead of /sys/class/powercap")
}
