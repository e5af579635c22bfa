package main

import (
	"fmt"
	"io"

	"spell-lsp/lsp"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/input"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/text"
)

// loadForEditor reads a run or a matrix, by its extension or else by what is in it,
// and ranks it as the settings say.
func loadForEditor(path string, s settings.Settings) (*record.Run, error) {
	if input.IsSpectrum(path, "") {
		return nil, fmt.Errorf("%s is a folder or a pass/fail spectrum, which has no energy to show: rank it with spell-lsp analyze", path)
	}
	run, err := input.ReadFile(regularfile.Open, path, false)
	if err != nil {
		return nil, err
	}
	ranking.Analyze(run, s.Analysis(), s.IncludeFailed)
	return run, nil
}

// reportsForEditor are the formats of the command line, each of a run as it was
// analysed, with its comparison if there is one and the format has it. A page is
// whole: it goes into a file.
func reportsForEditor() map[string]lsp.Reporter {
	const all = -1
	reports := make(map[string]lsp.Reporter)
	for format, page := range pages {
		reports[format] = func(w io.Writer, r *record.Run, c *comparison.Comparison, source text.Source) error {
			return page.write(w, r, view{Options: text.Options{Full: true, Top: all, Source: source}, comparison: c})
		}
	}
	for format, matrix := range matrices {
		reports[format] = func(w io.Writer, r *record.Run, _ *comparison.Comparison, _ text.Source) error {
			return matrix(w, r.SpellMatrix(r.Analysis != nil && r.Analysis.IncludeFailed), r.Meter.Origin())
		}
	}
	return reports
}
