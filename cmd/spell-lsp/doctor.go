package main

import (
	"github.com/spf13/cobra"

	"spell-lsp/runner/meter"
	"spell-lsp/runner/meters"
)

func doctorCommand() *cobra.Command {
	var o meter.Options
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say which meters work here, and how to make the others work",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return meters.WriteDoctor(cmd.OutOrStdout(), meters.Doctor(o))
		},
	}
	powercapFlag(cmd, &o.PowercapRoot)
	return cmd
}

func powercapFlag(cmd *cobra.Command, root *string) {
	cmd.Flags().StringVar(root, "powercap-root", "", "where the powercap tree is: a `DIR` instead of /sys/class/powercap")
}
