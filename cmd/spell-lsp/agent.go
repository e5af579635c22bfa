package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"spell-lsp/runner/remote"
	"spell-lsp/runner/remote/frame"
	"spell-lsp/runner/remote/slurm"
	"spell-lsp/runner/remote/supervisor"
)

// agentCommand is started on the machine that measures, by measure --on on another.
func agentCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "agent HASH",
		Short:  "Measure for another machine, over the standard streams (measure --on starts it)",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return supervisor.Run(cmd.Context(), supervisor.Params{Hash: args[0], Worker: []string{"agent-worker"}})
		},
	}
}

// workerCommand is started by the agent.
func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "agent-worker",
		Short:  "Measure for another machine (agent starts it)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			base, err := os.UserCacheDir()
			if err != nil {
				return fmt.Errorf("finding the cache folder: %w", err)
			}
			on := remote.Machine{Cache: filepath.Join(base, "spell-lsp", "remote")}
			return supervisor.Work(cmd.Context(), func(ctx context.Context, c *frame.Conn) error { return remote.Serve(ctx, c, on) })
		},
	}
}

// taskCommand is started by Slurm on a node, for measure --on slurm.
func taskCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "slurm-task",
		Short:  "Measure on a node of a cluster (Slurm starts it)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			defer endsItself(cmd.Context())()
			return slurm.RunTask(cmd.Context(), dir)
		},
	}
}
