package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/sampler"
)

// showFixes is the value of a --fix without one.
const showFixes = "show"

func doctorCommand() *cobra.Command {
	var o meter.Options
	var fix, root string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say which meters work here, and how to make the others work",
		Long: `Says which meters work here and, for each that does not, why and what helps.

With --fix it shows the files that would open the energy counters for good, each
with what it exposes, and with --fix=NAME it writes one of them. It never calls
sudo: it says what to run.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if fix == showFixes && len(args) > 0 {
				return fmt.Errorf("--fix %s: write --fix=%s", args[0], args[0])
			}
			return cobra.NoArgs(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case !cmd.Flags().Changed("fix"):
				return meters.WriteDoctor(cmd.OutOrStdout(), sampler.Doctor(o))
			case fix == showFixes:
				return showAllFixes(cmd.OutOrStdout())
			}
			return writeFix(cmd.OutOrStdout(), fix, root)
		},
	}
	powercapFlag(cmd, &o.PowercapRoot)
	cmd.Flags().StringVar(&fix, "fix", "", "show the files that open the energy counters or, as --fix=`NAME`, write one")
	cmd.Flags().Lookup("fix").NoOptDefVal = showFixes
	cmd.Flags().StringVar(&root, "fix-root", "", "write below this folder in place of /")
	cmd.Flags().Lookup("fix-root").Hidden = true
	return cmd
}

func showAllFixes(w io.Writer) error {
	var flags []string
	for _, f := range meters.Fixes() {
		if err := meters.ShowFix(w, f); err != nil {
			return fmt.Errorf("writing what the doctor can do: %w", err)
		}
		fmt.Fprintln(w) //nolint:errcheck // the next one fails too
		flags = append(flags, "--fix="+f.Name)
	}
	_, err := fmt.Fprintf(w, "Nothing was written. To write one of the files, run the doctor again with %s.\n", strings.Join(flags, " or "))
	return err
}

// writeFix shows a file before it writes it.
func writeFix(w io.Writer, name, root string) error {
	f, err := meters.FixNamed(name)
	if err != nil {
		return fmt.Errorf("--fix: %w", err)
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
