package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spell-lsp/runner"
	"spell-lsp/runner/meter"
	"spell-lsp/runner/remote/slurm"
	"spell-lsp/runner/validate"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/validation"
)

// The time that doctor --validate may take, besides building.
const (
	validateFor                 = 3 * time.Minute
	validateLeast, validateMost = time.Minute, 10 * time.Minute
)

// A validationError says that a validation has not found the joules to be right.
type validationError struct{ verdict validation.Verdict }

func (e validationError) Error() string { return "not validated: " + string(e.verdict) }

// validateFlags are those that go with doctor --validate.
type validateFlags struct {
	output
	length    time.Duration
	on        string
	workloads string
	others    float64
}

// validateOnly are the flags that say nothing without --validate.
var validateOnly = []string{"meter", "on", "output", "format", "workloads", "others"}

func (f *validateFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.DurationVar(&f.length, "validate", 0, "prove the joules on this machine: run known workloads for `DUR`, 1m to 10m (3m)")
	flags.Lookup("validate").NoOptDefVal = validateFor.String()
	flags.StringVar(&f.on, "on", "", "validate `HOST`, over ssh, as measure --on")
	flags.StringVar(&f.format, "format", "text", "with --validate, `FORMAT` of the page: text or json")
	flags.VarP((*outputFile)(&f.file), "output", "o", "with --validate, also write the result as JSON to `FILE`, to be sent in")
	flags.StringVar(&f.workloads, "workloads", "", "a folder with workloads in place of the built-in ones, for tests")
	flags.Float64Var(&f.others, "others", validation.DefaultBars.Others, "share of the processors that other processes may use, for tests")
	f.flags.register(cmd, "meter")
	for _, name := range []string{"workloads", "others"} {
		flags.Lookup(name).Hidden = true
	}
}

// check refuses bad values.
func (f *validateFlags) check(flags *pflag.FlagSet) error {
	if !flags.Changed("validate") {
		for _, name := range validateOnly {
			if flags.Changed(name) {
				return fmt.Errorf("--%s goes with --validate", name)
			}
		}
		return nil
	}
	switch {
	case f.length < validateLeast || f.length > validateMost:
		return fmt.Errorf("--validate=%v: must be from 1m to 10m", f.length)
	case f.format != "text" && f.format != "json":
		return fmt.Errorf("--format %q: must be text or json", f.format)
	case slurm.Is(f.on):
		return errors.New("--on slurm: a validation is of one machine: name a host")
	}
	return f.checkFile()
}

// validate carries out a validation, and shows what it found.
func (f *validateFlags) validate(cmd *cobra.Command, o meter.Options) error {
	s, err := f.flags.over(settings.Default())
	if err != nil {
		return err
	}
	progress := &progressLine{w: cmd.ErrOrStderr()}
	p := runner.Params{Meter: s.Meter, Meters: o, Progress: progress.show, Settings: map[string]any{}}
	var on *string
	if f.on != "" {
		on = &f.on
	}
	name, host, err := machineOf(on, s)
	if err != nil {
		return err
	}
	over := endsItself(cmd.Context())
	defer over()
	p, done, err := at(cmd.Context(), name, host, false, p)
	if err != nil {
		return err
	}
	defer done()
	bars := validation.DefaultBars
	bars.Others = f.others
	r, err := validate.Validate(cmd.Context(), validate.Params{
		Meter: p.Meter, Meters: p.Meters, For: f.length, Version: versionName(), Bars: bars, Site: p.Site, Workloads: f.workloads, Progress: progress.show,
	})
	progress.clear()
	if err != nil {
		return err
	}
	if err := f.show(cmd, r); err != nil {
		return err
	}
	if r.Verdict != validation.Validated {
		return validationError{r.Verdict}
	}
	return nil
}

// show prints the page, and writes the file that can be sent in.
func (f *validateFlags) show(cmd *cobra.Command, r *validation.Result) error {
	if f.file != "" {
		file := f.output
		file.format = "json"
		if err := file.emit(cmd, r.WriteJSON); err != nil {
			return err
		}
	}
	f.file = ""
	return f.emit(cmd, func(w io.Writer) error {
		if f.format == "json" {
			return r.WriteJSON(w)
		}
		return r.WriteText(w, colors(w))
	})
}
