package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
		return csvmatrix.Write(w, r.SpellMatrix(true))
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
	if dir := filepath.Dir(o.file); o.file != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("-o %s: there is no folder %s", o.file, dir)
		}
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
	return writeFile(o.file, func(w io.Writer) error { return formats[o.format](w, r, how) })
}

// colors says whether w is a terminal that wants them (no-color.org).
func colors(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// writeFile replaces the file as a whole or not at all.
func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name()) //nolint:errcheck // the first error is the one that matters
		}
	}()
	if err = errors.Join(write(f), f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
