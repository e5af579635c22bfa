package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spell-lsp/spell"
	"spell-lsp/spell/gzoltar"
	"spell-lsp/spell/input"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/suspects"
)

// suspectPages are the formats of a ranking by a coefficient.
var suspectPages = map[string]func(io.Writer, suspects.Result, suspects.Options) error{
	"text":     suspects.Text,
	"markdown": suspects.Markdown,
	"json":     func(w io.Writer, r suspects.Result, _ suspects.Options) error { return suspects.JSON(w, r) },
	"csv":      func(w io.Writer, r suspects.Result, _ suspects.Options) error { return suspects.CSV(w, r) },
}

// spectrumFlags say what is ranked by which tests failed, and how it is shown.
type spectrumFlags struct {
	output
	input, coefficient string
}

// energyFlags make no sense without energy.
var energyFlags = []string{"granularity", "within", "inclusive", "sort", "oracle", "weights", "zones", "include-failed"}

// suspects ranks by which tests failed.
func (f *spectrumFlags) suspects(cmd *cobra.Command, name string, s settings.Settings) error {
	page := suspectPages[f.format]
	if page == nil {
		return fmt.Errorf("--format %q: a ranking by failed tests is available as text, markdown, json or csv", f.format)
	}
	for _, flag := range energyFlags {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s cannot be combined with a ranking by failed tests", flag)
		}
	}
	c := spell.Coefficient(f.coefficient)
	if c == "" {
		c = spell.Ochiai
	}
	if !slices.Contains(spell.Coefficients(), c) {
		return fmt.Errorf("--coefficient %q: must be one of %s", c, join(spell.Coefficients()))
	}
	m, failed, err := f.outcomes(cmd, name)
	if err != nil {
		return err
	}
	how := suspects.Options{Top: s.Top, Color: f.file == "" && colors(cmd.OutOrStdout())}
	return f.emit(cmd, func(w io.Writer) error { return page(w, suspects.New(name, m, failed, c), how) })
}

// outcomes reads which components each test ran, and which tests failed.
func (f *spectrumFlags) outcomes(cmd *cobra.Command, name string) (*spell.Matrix, []bool, error) {
	if input.IsSpectrum(name, f.input) {
		spectrum, err := readSpectrum(cmd.InOrStdin(), name)
		if err != nil {
			return nil, nil, err
		}
		return spectrum.Matrix, spectrum.Failed, nil
	}
	run, err := input.Read(cmd.InOrStdin(), name, f.input, false)
	if err != nil {
		return nil, nil, err
	}
	if run.Meter.OfMatrix() {
		return nil, nil, fmt.Errorf("%s: --coefficient needs to know which tests failed, and a matrix does not say: give a run record or a GZoltar spectrum", name)
	}
	m, failed := ranking.Outcomes(run)
	return m, failed, nil
}

func readSpectrum(stdin io.Reader, name string) (*gzoltar.Spectrum, error) {
	if name == "-" {
		return gzoltar.Read(stdin, name)
	}
	return gzoltar.ReadFolder(name)
}

func join[T ~string](list []T) string {
	var words []string
	for _, w := range list {
		words = append(words, string(w))
	}
	return strings.Join(words, ", ")
}
