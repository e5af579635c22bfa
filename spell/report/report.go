// Package report writes a run as one self-contained HTML page: the ranking and its basis,
// energy over time, a flame graph, categories, the matrix of tests and components, and the
// changes since another run.
//
// The page is page.html, which vscode-client/report builds, with the run as JSON in
// it, compressed if that is large. It is the same in a browser and in an editor:
// scripts and styles carry a nonce, which the page's one Content-Security-Policy
// names; an editor replaces both. The page fetches nothing, and what it shows of a
// run is inserted as text.
package report

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	_ "embed" // the page
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/footprint"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/text"
)

//go:embed page.html
var template string

// places are the pairs of offsets of the template's placeholders. They are searched for in
// the template alone, so that a run may contain the name of a placeholder.
var places = regexp.MustCompile(titlePlace+"|"+typePlace+"|"+dataPlace+"|"+noncePlace).FindAllStringIndex(template, -1)

// The placeholders of the template.
const (
	titlePlace = "SPELL-TITLE"
	typePlace  = "SPELL-TYPE"
	dataPlace  = "SPELL-DATA"
	noncePlace = "SPELL-NONCE"
)

// maxPlainBytes is the size up to which data is not compressed. Larger data is, because an
// editor passes a page through several processes.
const maxPlainBytes = 1 << 20

// Options say what a page shows. The zero value is the default page.
type Options struct {
	Comparison *comparison.Comparison // of another run with this one, which is HEAD; nil = none
	Top        int                    // components in charts; 0 = 20, negative = as many as a chart can show
	Sort       string                 // initial order of the ranking, as in spell/text
	Rates      footprint.Rates        // of carbon and money; zero = none
	Nonce      string                 // of scripts and styles; "" = a random one
	Source     text.Source            // of the lines of the first components; nil = it is not known
}

// Write writes the page of an analysed run.
func Write(w io.Writer, r *record.Run, o Options) error {
	data, err := json.Marshal(newDocument(r, o)) // which escapes <, >, &, U+2028 and U+2029
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	data = visible(data)
	kind := "application/json"
	if len(data) > maxPlainBytes {
		if kind, data, err = packed(data); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	nonce := o.Nonce
	if nonce == "" {
		nonce = "n" + rand.Text()
	}
	values := map[string]string{
		noncePlace: html.EscapeString(nonce), typePlace: kind, titlePlace: html.EscapeString(page.Clean(title(r))), dataPlace: string(data),
	}
	at := 0
	for _, place := range places {
		_, err := io.WriteString(w, template[at:place[0]]+values[template[place[0]:place[1]]])
		if err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
		at = place[1]
	}
	if _, err := io.WriteString(w, template[at:]); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// packed returns data compressed with gzip (RFC 1952), in base64, and its type.
func packed(data []byte) (kind string, text []byte, err error) {
	var b bytes.Buffer
	encoder := base64.NewEncoder(base64.StdEncoding, &b)
	w, err := gzip.NewWriterLevel(encoder, gzip.BestSpeed)
	if err != nil {
		return "", nil, err
	}
	if _, err := w.Write(data); err != nil {
		return "", nil, err
	}
	if err := errors.Join(w.Close(), encoder.Close()); err != nil {
		return "", nil, err
	}
	return "application/gzip", b.Bytes(), nil
}

func title(r *record.Run) string {
	name := "Energy"
	if r.Workspace.Module != "" {
		name += " of " + r.Workspace.Module
	}
	return name
}
