// Package report shows a run as one HTML page that needs nothing else: the ranking,
// what it rests on, energy over time, a flame graph, categories, tests x components,
// and what changed since another run.
//
// The page is page.html, which vscode-client/report builds, with the run as JSON in
// it. It is the same in a browser and in an editor: scripts and styles carry a
// nonce, which the page's one Content-Security-Policy names; an editor replaces
// both. The page fetches nothing, and what it shows of a run is inserted as text.
package report

import (
	"bytes"
	"crypto/rand"
	_ "embed" // the page
	"encoding/json"
	"fmt"
	"html"
	"io"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/footprint"
	"spell-lsp/spell/record"
)

//go:embed page.html
var template []byte

// What the template has in the places of the run.
const (
	titlePlace = "SPELL-TITLE"
	dataPlace  = "SPELL-DATA"
	noncePlace = "SPELL-NONCE"
)

// Options say what a page shows. The zero value is the usual page.
type Options struct {
	Comparison *comparison.Comparison // of the run, as HEAD, with another; nil = none
	Top        int                    // components of the charts: 0 = 20, below 0 = as many as a chart can show
	Sort       string                 // of the ranking at first: as in spell/text
	Rates      footprint.Rates        // of carbon and money; zero = none
	Nonce      string                 // of scripts and styles; "" = a random one
}

// Write writes the page of a run that was analysed.
func Write(w io.Writer, r *record.Run, o Options) error {
	data, err := json.Marshal(newDocument(r, o)) // which escapes <, >, &, U+2028 and U+2029
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	nonce := o.Nonce
	if nonce == "" {
		nonce = "SPELL-" + rand.Text()
	}
	page := bytes.ReplaceAll(template, []byte(noncePlace), []byte(nonce))
	page = bytes.Replace(page, []byte(titlePlace), []byte(html.EscapeString(title(r))), 1)
	before, after, _ := bytes.Cut(page, []byte(dataPlace))
	for _, part := range [][]byte{before, data, after} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	return nil
}

func title(r *record.Run) string {
	name := "Energy"
	if r.Workspace.Module != "" {
		name += " of " + r.Workspace.Module
	}
	return name
}
