// Package runfile is the form in which a run is kept on disk: a [sectionfile], which
// is read many times faster than JSON. What a list shows of the run stands in its
// header.
//
// The section "run" is the run record in JSON without its components, call tree
// and matrix. Those are tables, and each column of a table is a section: what all
// components have of one field stands together, which packs well, and columns are
// unpacked on all processors. Columns that a reader does not know are passed over,
// those that are not there are zero; see codec.go for how values are written.
package runfile

import (
	"encoding/json"
	"fmt"
	"io"

	"spell-lsp/spell/record"
	"spell-lsp/spell/record/validity"
	"spell-lsp/spell/sectionfile"
)

var kind = sectionfile.Kind{Magic: "SPELLRUN", Version: 1, Name: "saved run", Plural: "saved runs"}

// A File is a run that is ready to be written.
type File struct{ sectionfile.File }

// Pack makes the file of a run. About is what [Header] gives of it, a value that
// has a JSON form. It refuses what validity.Checked refuses.
func Pack(about any, r *record.Run) (*File, error) {
	complete := *r
	complete.Schema = record.Schema
	r, err := validity.Checked(&complete)
	if err != nil {
		return nil, err
	}
	header, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	if len(header) > sectionfile.MaxHeader {
		return nil, fmt.Errorf("the header would have %d bytes, more than %d", len(header), sectionfile.MaxHeader)
	}
	sections, err := sectionsOf(r)
	return &File{sectionfile.File{Header: header, Sections: sections}}, err
}

// WriteTo writes the file.
func (f *File) WriteTo(w io.Writer) (int64, error) { return kind.Write(w, &f.File) }

// Read reads the run of a file. Its errors are to be read after the name of the
// file; it is a *[sectionfile.VersionError] if only another version of the program
// can read it.
func Read(data []byte) (*record.Run, error) {
	f, err := kind.Parse(data)
	if err != nil {
		return nil, err
	}
	r, err := runOf(f)
	if err != nil {
		return nil, fmt.Errorf("holds no valid run: %w", err)
	}
	return r, nil
}

// Header reads what a file says about its run, and no more of r than that. Size is
// that of the whole file, in bytes. Errors are those of Read.
func Header(r io.Reader, size int64) (json.RawMessage, error) { return kind.ReadHeader(r, size) }
