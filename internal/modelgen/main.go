// Command gen makes the tables of package model from files of other projects:
//
//	tdp   CodeCarbon's codecarbon/data/hardware/cpu_power.csv
//	vcpu  Cloud Carbon Footprint's output/coefficients-aws-use.csv
//
// It reads a copy of the file, which must be that of the given commit, and downloads
// nothing. The header of the table names its source. Unusable rows are left out:
// they are counted in the header and named on standard error. A row that needs a
// human decision is an error.
//
// In package model, go generate runs it with paths, commits and dates from the
// environment: see the lines go:generate there.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string, log io.Writer) error {
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	flags.SetOutput(log)
	name := flags.String("table", "", "tdp or vcpu")
	from := flags.String("from", "", "the project's `file`")
	commit := flags.String("commit", "", "the `hash` of the commit that the file is from")
	date := flags.String("date", "", "the `day` of that commit, like 2026-04-13")
	to := flags.String("o", "", "the table's `file`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	table, ok := tables()[*name]
	if !ok {
		return fmt.Errorf("-table %q: must be tdp or vcpu", *name)
	}
	if !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(*commit) {
		return fmt.Errorf("-commit %q: must be the whole hash, 40 hexadecimal digits", *commit)
	}
	if _, err := time.Parse(time.DateOnly, *date); err != nil {
		return fmt.Errorf("-date %q: must be a day like 2026-04-13", *date)
	}
	input, err := os.ReadFile(*from)
	if err != nil {
		return fmt.Errorf("-from: %w", err)
	}
	var out bytes.Buffer
	if err := table.write(&out, input, *commit, *date, log); err != nil {
		return fmt.Errorf("%s: %w", *from, err)
	}
	return os.WriteFile(*to, out.Bytes(), 0o644) // #nosec G306 -- a source file
}
