package main

import (
	"fmt"
	"io"
	"strings"

	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/text"
)

// loadForEditor reads a run or a matrix, by its extension or else by what is in it,
// and ranks it as the settings say.
func loadForEditor(path string, s settings.Settings) (*record.Run, error) {
	if isSpectrum(path, "") {
		return nil, fmt.Errorf("%s is a folder or a pass/fail spectrum, which has no energy to show: rank it with spell-lsp analyze", path)
	}
	// Standard input carries the protocol.
	run, err := readInput(strings.NewReader(""), path, "", false)
	if err != nil {
		return nil, err
	}
	run.Analyze(analysis(s), s.IncludeFailed)
	return run, nil
}

// reportsForEditor are the formats of the command line, each of a run as it was
// analysed. A page is whole: it goes into a file.
func reportsForEditor() map[string]func(io.Writer, *record.Run) error {
	const all = -1
	reports := make(map[string]func(io.Writer, *record.Run) error)
	for format, page := range pages {
		reports[format] = func(w io.Writer, r *record.Run) error { return page(w, r, text.Options{Top: all}) }
	}
	for format, matrix := range matrices {
		reports[format] = func(w io.Writer, r *record.Run) error {
			return matrix(w, r.SpellMatrix(r.Analysis != nil && r.Analysis.IncludeFailed), r.Meter.Origin())
		}
	}
	return reports
}
