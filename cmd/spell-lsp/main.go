// Command spell-lsp finds the functions of a Go program that waste energy. It
// is a language server, and the same on the command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"spell-lsp/instrument/gocmd"
	"spell-lsp/lsp"
	"spell-lsp/runner"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/sampler"
	"spell-lsp/spell/capture"
	"spell-lsp/spell/gate"
)

// The exit codes, which scripts rely on.
const (
	exitDone        = 0
	exitNoShutdown  = 1 // the client of the server said exit without shutdown
	exitBroken      = 1 // a rule of --fail-on is broken
	exitInput       = 2 // bad usage or input
	exitNothing     = 3 // nothing could be measured
	exitInterrupted = 130
)

func main() {
	if sampler.Called() {
		os.Exit(sampler.Main())
	}
	os.Exit(run(catchInterrupts(context.Background()), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program, for tests too.
func run(ctx context.Context, args []string, in io.Reader, out, errout io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	stdout, stderr := newScreen(out), newScreen(errout)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if flushed := stdout.Flush(); err == nil {
		err = flushed
	}
	if err != nil && !errors.Is(err, lsp.ErrExit) { // the client knows that one
		fmt.Fprintf(stderr, "spell-lsp: %s\n", capture.Text(message(err))) //nolint:errcheck // there is nowhere left to say it
	}
	stderr.Flush() //nolint:errcheck // as above
	return exitCode(err)
}

// message is what a user reads of an error.
func message(err error) string {
	if !errors.Is(err, context.Canceled) {
		return err.Error()
	}
	all, ok := err.(interface{ Unwrap() []error }) // what came with the interrupt is stderr too
	if !ok {
		return "interrupted"
	}
	var parts []string
	for _, part := range all.Unwrap() {
		parts = append(parts, message(part))
	}
	return strings.Join(parts, "\n")
}

func exitCode(err error) int {
	var (
		load  *gocmd.LoadError
		build *runner.BuildError
		meter *meters.OpenError
		fault *runner.MeterError
		rules *gate.Failure
	)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, lsp.ErrExit):
		return exitNoShutdown
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &rules):
		return exitBroken
	case errors.As(err, &load), errors.As(err, &build), errors.As(err, &meter), errors.As(err, &fault),
		errors.Is(err, runner.ErrNoTest), errors.Is(err, runner.ErrUnreached):
		return exitNothing
	}
	return exitInput
}

func rootCommand() *cobra.Command {
	serve := serveCommand()
	root := &cobra.Command{
		Use:   "spell-lsp",
		Short: "Find the functions of a Go program that waste energy",
		Long: `spell-lsp measures the tests of a Go module under the machine's energy counters
and ranks its functions by SPELL (SPectrum-based Energy Leak Localization).
Without a command it is a language server on standard input and output.`,
		Example: `  spell-lsp measure
  spell-lsp measure -C examples/parking --format json -o run.json
  spell-lsp analyze run.json
  spell-lsp report --format html -o report.html
  spell-lsp compare base.json head.json
  spell-lsp doctor`,
		RunE:          serve.RunE,
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
	}
	root.Flags().AddFlagSet(serve.Flags())
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(serve, measureCommand(), analyzeCommand(), reportCommand(), compareCommand(), runsCommand(), doctorCommand(), versionCommand())
	return root
}
