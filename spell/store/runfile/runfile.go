// Package runfile is the form in which a run is kept on disk: a [sectionfile], which is read
// many times faster than JSON. Its header is the summary that lists show.
//
// The section "run" is the run record in JSON without its components, call tree
// and matrix. Those are tables, and each column of a table is a section: the values of one
// field compress well together, and columns are unpacked in parallel. Unknown columns are
// ignored, missing ones are zero; codec.go says how values are written.
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

// Pack makes the file of a run. about becomes the header, as JSON. Pack refuses runs that
// validity.Checked refuses.
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

// Read reads the run of a file. Errors continue a sentence that begins with the name of the
// file. The error is a *[sectionfile.VersionError] if only another version of the program can
// read the file.
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

// Header reads the header of a file and no more of r. size is the size of the whole file in
// bytes. Errors are as in Read.
func Header(r io.Reader, size int64) (json.RawMessage, error) { return kind.ReadHeader(r, size) }
