// Command accuracy proves that energy is attributed rightly: it runs programs
// whose functions use known power on a simulated machine, measures them with the
// command spell-lsp itself, and compares what comes out with the truth, beside
// what other methods make of the same programs.
//
//	go run ./internal/accuracy [-run RE] [-v] [-json] [-short] [-command FILE]
//	go run ./internal/accuracy sim [flags]    a simulated machine, to try things with
//
// It prints a table. The exit code is 1 if a bar is missed or something could
// not be measured, 2 for bad usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	os.Exit(code)
}

// roles are what the command does under a first argument. It starts itself again
// as the simulated machine, and as a neighbour of the program that is measured.
var roles = map[string]func(ctx context.Context, args []string, in io.Reader, out io.Writer) error{
	"sim":       simulate,
	"neighbour": neighbour,
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) int {
	role := prove
	if len(args) > 0 && roles[args[0]] != nil {
		role, args = roles[args[0]], args[1:]
	}
	err := role(ctx, args, in, out)
	switch usage := (usageError{}); {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		return 2
	default:
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		return 1
	}
}

// A usageError is bad usage.
type usageError struct{ error }

// parse parses flags, and takes no other arguments.
func parse(flags *flag.FlagSet, args []string) error {
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(os.Stderr)
		fmt.Fprintf(os.Stderr, "usage: go run ./internal/accuracy %s [flags]\n", flags.Name())
		flags.PrintDefaults()
		return err
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("%q is not understood: only flags are taken", flags.Arg(0))
	}
	if err != nil {
		return usageError{err}
	}
	return nil
}

var errMissed = errors.New("not every bar is reached")

// prove makes the table.
func prove(ctx context.Context, args []string, _ io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	which := flags.String("run", "", "only the rows whose names match `RE`")
	verbose := flags.Bool("v", false, "show every function too")
	asJSON := flags.Bool("json", false, "print JSON")
	short := flags.Bool("short", false, "two rows alone, with less data and wider bars")
	command := flags.String("command", "", "the `executable` of spell-lsp that is put to the test. Default: it is built")
	if err := parse(flags, args); err != nil {
		return err
	}
	re, err := regexp.Compile(*which)
	if err != nil {
		return usageError{fmt.Errorf("-run: %w", err)}
	}
	var r *report
	if *short {
		r, err = smoke(ctx, *command)
	} else {
		r, err = measureAll(ctx, *command, workloads(), identicalPairs, re.MatchString)
	}
	if err != nil {
		return err
	}
	if *asJSON {
		err = r.writeJSON(out)
	} else {
		err = r.write(out, *verbose)
	}
	if err == nil && !r.passed() {
		err = errMissed
	}
	return err
}

// progress says on standard error what is going on.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}
