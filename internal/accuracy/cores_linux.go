package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"spell-lsp/internal/powercapsim/coremeter"
	"spell-lsp/runner"
	"spell-lsp/runner/meter"
	"spell-lsp/spell/record/recordjson"
)

// coreDrivers are meters that the command does not have.
func coreDrivers() []meter.Driver { return []meter.Driver{coremeter.Driver()} }

// measureCores is spell-lsp measure by counters of single cores: these are perf events, which the command reads from the kernel
// alone, so that they cannot be simulated for it.
func measureCores(ctx context.Context, args []string, _ io.Reader, _ io.Writer) (err error) {
	flags := flag.NewFlagSet("cores", flag.ContinueOnError)
	p := runner.Params{Meter: coremeter.Name}
	flags.StringVar(&p.Dir, "dir", "", "`folder` of the module")
	flags.StringVar(&p.Meters.PowercapRoot, "powercap-root", "", "`folder` of the simulated machine's counters")
	flags.IntVar(&p.Rounds, "rounds", 1, "of the tests")
	path := flags.String("o", "", "`file` for the record")
	if err := parse(flags, args); err != nil {
		return err
	}
	run, err := runner.Measure(ctx, p)
	if err != nil {
		return err
	}
	f, err := os.Create(*path)
	if err != nil {
		return fmt.Errorf("making the record: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return recordjson.Write(f, run)
}
