// Package harness has the common parts of the benchmark commands: flags, exit codes,
// progress, scratch folders, the go command, and tables that show each value beside
// its bar. It measures nothing itself.
package harness

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrMissed is returned when a measured value misses its bar.
var ErrMissed = errors.New("not every bar is reached")

// A UsageError is an error in the arguments of the command.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// Main calls run with the arguments of the command and a context that ends with an interrupt,
// and then exits with the [ExitCode] of its error.
func Main(run func(ctx context.Context, args []string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	os.Exit(ExitCode(err))
}

// ExitCode is 0 if all went well or help was asked for, 2 for a [UsageError] and 1
// for any other error, which it prints.
func ExitCode(err error) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	Progress("%s: %v", filepath.Base(os.Args[0]), err)
	if errors.As(err, &UsageError{}) {
		return 2
	}
	return 1
}

// Parse parses the flags of a command. Where help is asked for it prints usage and
// the flags, and returns flag.ErrHelp; other errors are a [UsageError].
func Parse(flags *flag.FlagSet, args []string, usage string) error {
	flags.SetOutput(io.Discard)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		Progress("usage: %s", usage)
		flags.SetOutput(os.Stderr)
		flags.PrintDefaults()
		return err
	case err != nil:
		return UsageError{err}
	}
	return nil
}

// Progress writes a line about the current step to standard error.
func Progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// Folder creates a temporary folder in another one; "" = the system's. Its path has no links,
// because overlays and the go command must agree on names.
func Folder(in string) (string, error) {
	dir, err := os.MkdirTemp(in, "spell-lsp-bench-*")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("making a temporary folder: %w", err)
	}
	return dir, nil
}

// Go runs the go command in a folder and returns its standard output.
func Go(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("go %s: %w\n%s", args[0], err, strings.TrimSpace(said.String()+string(out)))
	}
	return string(out), nil
}

// BuildCommand builds the command spell-lsp into a folder and returns its file.
func BuildCommand(ctx context.Context, dir string) (string, error) {
	file := filepath.Join(dir, "spell-lsp")
	if _, err := Go(ctx, "", "build", "-o", file, "spell-lsp/cmd/spell-lsp"); err != nil {
		return "", fmt.Errorf("building the command: %w", err)
	}
	return file, nil
}
