// Package runfile is the form in which a run is kept on disk. It is read many
// times faster than JSON, a flipped bit or a file that was cut off is found, and
// what a list shows of the run stands in a header that is read alone.
//
// All numbers are little-endian, checksums are CRC-32C (Castagnoli). A file is
//
//	offset  size
//	     0     8  "SPELLRUN"
//	     8     4  version, 1
//	    12     4  H, the length of the header in bytes
//	    16     8  the length of the file in bytes
//	    24     4  checksum of the bytes 0 to 23 and of the header
//	    28     H  header, JSON
//	  28+H        sections, to the end of the file
//
// The first 12 bytes are the same in all versions. A section is
//
//	offset  size
//	     0     4  checksum of the rest of the section
//	     4     8  S, the length of its contents as they are stored, in bytes
//	    12     8  U, their length when they are unpacked
//	    20     8  the number of its values
//	    28     1  0: the contents are stored as they are; 1: deflated (RFC 1951)
//	    29     1  L, the length of its name
//	    30     L  name
//	  30+L     S  contents
//
// U is at most 64 KiB + 64 S, so that a small file cannot ask for much memory.
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
)

// A File is a run that is ready to be written.
type File struct{ document }

// Pack makes the file of a run. About is what [Header] gives of it, a value that
// has a JSON form. It refuses what record.Parse would refuse.
func Pack(about any, r *record.Run) (*File, error) {
	complete := *r
	complete.Schema = record.Schema
	r, err := complete.Checked()
	if err != nil {
		return nil, err
	}
	header, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	if len(header) > maxHeader {
		return nil, fmt.Errorf("the header would have %d bytes, more than %d", len(header), maxHeader)
	}
	sections, err := sectionsOf(r)
	return &File{document{header, sections}}, err
}

// WriteTo writes the file.
func (f *File) WriteTo(w io.Writer) (int64, error) { return f.writeTo(w, current.version) }

// Read reads the run of a file. Its errors are to be read after the name of the
// file; it is a *VersionError if only another version of the program can read it.
func Read(data []byte) (*record.Run, error) { return current.read(data) }

// Header reads what a file says about its run, and no more of r than that. Size is
// that of the whole file, in bytes. Errors are those of Read.
func Header(r io.Reader, size int64) (json.RawMessage, error) { return current.header(r, size) }

// A VersionError says that a file is of a version that cannot be read.
type VersionError struct{ Version, Known uint32 }

func (e *VersionError) Error() string {
	return fmt.Sprintf("has version %d of the form of saved runs, this program knows version %d", e.Version, e.Known)
}

// A format is a version of the form, and how older ones become it.
type format struct {
	version uint32
	// migrations make documents of the version that they stand under into those of
	// the next one. A document of which only the header was read has no sections.
	migrations map[uint32]func(*document) error
}

// The first version has none before it.
var current = format{version: 1, migrations: nil}

func (f format) read(data []byte) (*record.Run, error) {
	d, version, err := takeApart(data, f.check)
	if err != nil {
		return nil, err
	}
	if err := f.migrate(d, version); err != nil {
		return nil, err
	}
	r, err := d.run()
	if err != nil {
		return nil, fmt.Errorf("holds no valid run: %w", err)
	}
	return r, nil
}

func (f format) header(r io.Reader, size int64) (json.RawMessage, error) {
	p, header, err := readHead(r, size, f.check)
	if err != nil {
		return nil, err
	}
	d := document{header: header}
	err = f.migrate(&d, p.version)
	return d.header, err
}

// check tells whether a version can be read.
func (f format) check(version uint32) error {
	if version > f.version {
		return &VersionError{version, f.version}
	}
	for v := version; v < f.version; v++ {
		if f.migrations[v] == nil {
			return &VersionError{version, f.version}
		}
	}
	return nil
}

func (f format) migrate(d *document, version uint32) error {
	for ; version < f.version; version++ {
		if err := f.migrations[version](d); err != nil {
			return fmt.Errorf("cannot be brought from version %d of the form of saved runs to %d: %w", version, version+1, err)
		}
	}
	return nil
}

// section finds the section of that name; nil if there is none.
func (d *document) section(name string) *section {
	for i := range d.sections {
		if d.sections[i].name == name {
			return &d.sections[i]
		}
	}
	return nil
}
