// Command spell-lsp finds the functions of a Go program that waste energy. It
// is a language server, and the same on the command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"spell-lsp/instrument/gobuild"
	"spell-lsp/lsp"
	"spell-lsp/runner/childbuild"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/capture"
)

func main() {
	if sampler.Called() {
		os.Exit(sampler.Main())
	}
	if childbuild.Called() {
		os.Exit(childbuild.Main())
	}
	os.Exit(run(catchInterrupts(context.Background()), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program, for tests too.
func run(ctx context.Context, args []string, in io.Reader, out, errout io.Writer) int {
	root := rootCommand()
	root.SetArgs(withLongFlags(args, flagsOf(root, args)))
	root.SetIn(in)
	stdout, stderr := newScreen(out), newScreen(errout)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if flushed := stdout.Flush(); err == nil {
		err = flushed
	}
	built := (*gobuild.ExitError)(nil)
	if err != nil && !errors.Is(err, lsp.ErrExit) && !errors.As(err, &built) { // the client knows the one, go build has said the other
		fmt.Fprintf(stderr, "spell-lsp: %s\n", capture.Text(message(err))) //nolint:errcheck // there is nowhere left to say it
	}
	stderr.Flush() //nolint:errcheck // as above
	return exitCode(err)
}

func rootCommand() *cobra.Command {
	serve := serveCommand()
	root := &cobra.Command{
		Use:   "spell-lsp",
		Short: "Find the functions of a Go program that waste energy",
		Long: `spell-lsp measures the tests of a Go module under the machine's energy counters
and ranks its functions by energy, weighted by the energy per call, or, with --sort psi, as the SPELL papers do
(SPectrum-based Energy Leak Localization).
Without a command it is a language server on standard input and output, as editors
start it; in a terminal it prints this text.`,
		Example: `  spell-lsp measure
  spell-lsp measure -C examples/parking --format json -o run.json
  spell-lsp analyze run.json
  spell-lsp report --format html -o report.html
  spell-lsp compare base.json head.json
  spell-lsp doctor`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().NFlag() == 0 && terminal(cmd.InOrStdin()) {
				return cmd.Help()
			}
			return serve.RunE(cmd, args)
		},
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
	}
	root.Flags().AddFlagSet(serve.Flags())
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(serve, measureCommand(), analyzeCommand(), reportCommand(), compareCommand(), runsCommand(), doctorCommand(), adviseCommand(), chooseCommand(), growCommand(), bisectCommand(), attachCommand(), buildCommand(), meterCommand(), versionCommand(), agentCommand(), workerCommand(), taskCommand())
	return root
}
