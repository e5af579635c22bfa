// Command accuracy proves that energy is attributed correctly: it runs programs
// whose functions use known power on a simulated machine, measures them with the
// command spell-lsp, and compares the results with the truth and with the results
// of other methods.
//
//	go run ./internal/accuracy [-run RE] [-v] [-json] [-short] [-command FILE]
//	go run ./internal/accuracy sim [flags]    a simulated machine, for experiments
//
// It prints a table. The exit code is 1 if a bar is missed or something could
// not be measured, 2 for bad usage.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/runner/sampler"
)

func main() {
	if sampler.Called() {
		os.Exit(sampler.Main(coreDrivers()...))
	}
	harness.Main(func(ctx context.Context, args []string) error { return run(ctx, args, os.Stdin, os.Stdout) })
}

// roles are the functions of the command by its first argument. It starts itself as
// the simulated machine, as a neighbour of the measured program, and where a meter is needed that the command does not have.
var roles = map[string]func(ctx context.Context, args []string, in io.Reader, out io.Writer) error{
	"sim":       simulate,
	"neighbour": neighbour,
	"cores":     measureCores,
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	role := prove
	if len(args) > 0 && roles[args[0]] != nil {
		role, args = roles[args[0]], args[1:]
	}
	return role(ctx, args, in, out)
}

// parse parses flags, and refuses other arguments.
func parse(flags *flag.FlagSet, args []string) error {
	err := harness.Parse(flags, args, "go run ./internal/accuracy "+flags.Name()+" [flags]")
	if err == nil && flags.NArg() > 0 {
		err = harness.UsageError{Err: fmt.Errorf("%q is not understood: only flags are taken", flags.Arg(0))}
	}
	return err
}

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
		return harness.UsageError{Err: fmt.Errorf("-run: %w", err)}
	}
	var r *report
	if *short {
		r, err = smoke(ctx, *command)
	} else {
		r, err = measureAll(ctx, *command, workloads(), callerWorkloads(), identicalPairs, re.MatchString)
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
		err = harness.ErrMissed
	}
	return err
}
