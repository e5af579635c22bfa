package main

import (
	"os"
	"slices"

	"github.com/spf13/cobra"

	"spell-lsp/instrument/gobuild"
	"spell-lsp/runner/scratch"
)

func buildCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "build [go build's flags] [packages]",
		Short: "Build a Go program whose net/http/pprof serves energy too",
		Long: `Build is go build, with the same flags, output and exit codes. In the program that it
builds, net/http/pprof also serves

    /debug/pprof/energy?seconds=N

a CPU profile with joules, for go tool pprof and tools that scrape profiles. Its
source stays as it is. The joules come from "spell-lsp meter", which must run as the
same user on the same machine; without it the program answers 503, and why. Where a
program does not import net/http/pprof, nothing changes.`,
		Example: `  spell-lsp build -o server ./cmd/server
  spell-lsp build -C ~/src/shop -race -tags prod .`,
		DisableFlagParsing: true,
		RunE:               build,
	}
}

func build(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		return cmd.Help()
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	temp, err := scratch.New()
	if err != nil {
		return err
	}
	defer temp.Remove()
	defer endsItself(cmd.Context())()
	return gobuild.Run(cmd.Context(), gobuild.Params{
		Args: args, Dir: dir, Temp: temp.Dir, Stdout: machineOutput(cmd), Stderr: cmd.ErrOrStderr(),
	})
}
