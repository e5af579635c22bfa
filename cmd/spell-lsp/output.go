package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"spell-lsp/spell"
	"spell-lsp/spell/csvmatrix"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/text"
)

// output is what measure and analyze share: how a run is ranked and shown.
type output struct {
	format, file, sort string
	flags              settingFlags
}

// formats renders a run in each of the formats.
var formats = map[string]func(w io.Writer, r *record.Run, o text.Options) error{
	"text": text.Write,
	"json": func(w io.Writer, r *record.Run, _ text.Options) error { return r.Write(w) },
	"csv": func(w io.Writer, r *record.Run, _ text.Options) error {
		return csvmatrix.WriteWithOrigin(w, r.SpellMatrix(true), origin(r))
	},
}

var sorts = []string{"psi", "energy", "time", "n", "epi"}

func (o *output) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "`FORMAT` of the result: text, json (the run record) or csv (the matrix)")
	f.StringVarP(&o.file, "output", "o", "", "write the result to `FILE` instead of standard output")
	f.StringVar(&o.sort, "sort", "psi", "order of the text ranking: psi, energy, time, n or epi")
	o.flags.register(cmd, "top", "oracle", "weights", "include-failed")
}

// check refuses bad values before anything is measured.
func (o *output) check() error {
	if formats[o.format] == nil {
		return fmt.Errorf("--format %q: must be text, json or csv", o.format)
	}
	if !slices.Contains(sorts, o.sort) {
		return fmt.Errorf("--sort %q: must be one of %s", o.sort, strings.Join(sorts, ", "))
	}
	if o.file == "" {
		return nil
	}
	t, err := findTarget(o.file)
	if err == nil {
		err = t.check()
	}
	if err != nil {
		return fmt.Errorf("-o %s: %w", o.file, err)
	}
	return nil
}

func analysis(s settings.Settings) spell.Options {
	return spell.Options{Oracle: s.Oracle, Weights: s.Weights, Zones: s.Zones}
}

// write renders the run where it was asked for.
func (o *output) write(cmd *cobra.Command, r *record.Run, s settings.Settings) error {
	how := text.Options{Top: s.Top, Sort: o.sort, Weights: s.Weights, Oracle: s.Oracle, IncludeFailed: s.IncludeFailed}
	if o.file == "" {
		how.Color = colors(cmd.OutOrStdout())
		return formats[o.format](cmd.OutOrStdout(), r, how)
	}
	t, err := findTarget(o.file)
	if err == nil {
		err = t.write(func(w io.Writer) error { return formats[o.format](w, r, how) })
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// colors says whether w is a terminal that wants them (no-color.org).
func colors(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
