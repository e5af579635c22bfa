// Package sectionfile is the binary form of files on disk: saved runs and binary
// matrices. A header is read without the rest of the file, sections are found by
// name, and flipped bits and truncation are detected. The package does not know what headers
// and sections mean.
//
// All numbers are little-endian, checksums are CRC-32C (Castagnoli). A file is
//
//	offset  size
//	     0     8  magic, the kind of the file
//	     8     4  version of that kind
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
package sectionfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

const (
	versionBytes = 12 // that all versions of a kind have in common
	preludeBytes = 28 // before the header
	frameBytes   = 30 // of a section, before its name
)

// MaxHeader is the most bytes that a header can have.
const MaxHeader = 1 << 20

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	le         = binary.LittleEndian
)

// A Kind is a kind of file. Errors of its methods continue a sentence that begins with the
// name of the file, as in "is cut off"; errors of the input are returned unchanged.
type Kind struct {
	Magic   string // 8 bytes
	Version uint32 // the version that is read and written
	Name    string // "saved run"
	Plural  string // "saved runs"
}

// A VersionError says that a file is of a version that cannot be read.
type VersionError struct {
	Version, Known uint32
	plural         string
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("has version %d of the form of %s, this program knows version %d", e.Version, e.plural, e.Known)
}

// A File is a whole file in memory.
type File struct {
	Header   []byte // JSON, at most MaxHeader
	Sections []Section
}

// Section finds a section by its name; nil if there is none.
func (f *File) Section(name string) *Section {
	for i := range f.Sections {
		if f.Sections[i].Name == name {
			return &f.Sections[i]
		}
	}
	return nil
}

// Write writes a file, and says how long it is.
func (k Kind) Write(w io.Writer, f *File) (int64, error) {
	length := uint64(0)
	for i := range f.Sections {
		length += f.Sections[i].Length()
	}
	out := bufio.NewWriter(w)
	if err := k.WriteHead(out, f.Header, length); err != nil {
		return 0, err
	}
	for i := range f.Sections {
		_ = f.Sections[i].Write(out) // Flush returns the first error
	}
	if err := out.Flush(); err != nil {
		return 0, err
	}
	return int64(preludeBytes + uint64(len(f.Header)) + length), nil
}

// WriteHead writes what stands before the sections, which have so many bytes in
// all. The header has at most [MaxHeader]. [Section.Write] writes each section.
func (k Kind) WriteHead(w io.Writer, header []byte, sections uint64) error {
	b := le.AppendUint32([]byte(k.Magic), k.Version)
	b = le.AppendUint32(b, uint32(len(header)))
	b = le.AppendUint64(b, preludeBytes+uint64(len(header))+sections)
	b = le.AppendUint32(b, crc32.Update(crc32.Checksum(b, castagnoli), castagnoli, header))
	_, err := w.Write(append(b, header...))
	return err
}

// UnknownSize is the size of a file that comes through a pipe.
const UnknownSize = -1

// ReadHeader reads the header of a file of size bytes, and no more of r.
func (k Kind) ReadHeader(r io.Reader, size int64) (header []byte, err error) {
	header, _, err = k.readHead(r, size)
	return header, err
}

// readHead reads the header, and tells how many bytes the file has in all.
func (k Kind) readHead(r io.Reader, size int64) (header []byte, length uint64, err error) {
	var b [preludeBytes]byte
	n, err := io.ReadFull(r, b[:])
	if err != nil && !ended(err) {
		return nil, 0, err
	}
	if known := min(n, len(k.Magic)); known == 0 || string(b[:known]) != k.Magic[:known] {
		return nil, 0, fmt.Errorf("is not a %s", k.Name)
	}
	if n >= versionBytes && le.Uint32(b[8:]) != k.Version {
		return nil, 0, &VersionError{le.Uint32(b[8:]), k.Version, k.Plural}
	}
	if n < len(b) {
		return nil, 0, fmt.Errorf("is cut off after %d bytes", n)
	}
	claim := le.Uint32(b[12:])
	length = le.Uint64(b[16:])
	switch {
	case length > math.MaxInt64:
		return nil, 0, fmt.Errorf("is damaged: it claims %d bytes, more than a file can have", length)
	case size != UnknownSize && length > uint64(size):
		return nil, 0, cutOff(uint64(size), length)
	case size != UnknownSize && length != uint64(size):
		return nil, 0, fmt.Errorf("is damaged: it claims %d bytes, the file has %d", length, size)
	case claim > MaxHeader || preludeBytes+uint64(claim) > length:
		return nil, 0, fmt.Errorf("is damaged: its header claims %d bytes from byte %d on, a header has at most %d and the file %d in all", claim, preludeBytes, MaxHeader, length)
	}
	header = make([]byte, claim)
	n, err = io.ReadFull(r, header)
	switch {
	case ended(err):
		return nil, 0, cutOff(preludeBytes+uint64(n), length)
	case err != nil:
		return nil, 0, err
	}
	if sum := crc32.Update(crc32.Checksum(b[:preludeBytes-4], castagnoli), castagnoli, header); sum != le.Uint32(b[preludeBytes-4:]) {
		return nil, 0, errors.New("is damaged: the checksum of its header is wrong")
	}
	return header, length, nil
}

// ended reports whether an input ended, rather than failed.
func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

func cutOff(there, length uint64) error {
	return fmt.Errorf("is cut off: %d of its %d bytes are there", there, length)
}

// Parse takes a file apart and verifies all checksums. Names of sections must be unique.
// Sections share the memory of data.
func (k Kind) Parse(data []byte) (*File, error) {
	r := bytes.NewReader(data)
	header, _, err := k.readHead(r, int64(len(data)))
	if err != nil {
		return nil, err
	}
	f := &File{Header: header}
	for rest := data[preludeBytes+len(header):]; len(rest) > 0; {
		s, length, err := parseSection(rest)
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			return nil, fmt.Errorf("is damaged: section %d of it %w", len(f.Sections)+1, err)
		}
		if f.Section(s.Name) != nil {
			return nil, fmt.Errorf("is damaged: it has the section %q twice", s.Name)
		}
		f.Sections = append(f.Sections, s)
		rest = rest[length:]
	}
	return f, nil
}
