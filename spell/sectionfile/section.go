package sectionfile

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A Section is the values of one column, some rows of a table, or a text.
type Section struct {
	Name     string // at most 255 bytes
	Rows     uint64 // the number of its values
	Deflated bool
	Unpacked uint64 // length in bytes
	Stored   []byte

	checksum uint32 // where it was read
}

const (
	worthPacking = 256 // bytes; below it takes longer than it saves
	maxRatio     = 64  // of unpacked to stored bytes
	freeBytes    = 64 << 10
)

// Plain makes a section that is stored as it is.
func Plain(name string, rows int, contents []byte) Section {
	return Section{Name: name, Rows: uint64(rows), Unpacked: uint64(len(contents)), Stored: contents}
}

// Pack makes a section of its contents. They are not deflated where that does not
// make them smaller, or so small that Contents would refuse them.
func Pack(name string, rows int, contents []byte) (Section, error) {
	s := Plain(name, rows, contents)
	if len(contents) < worthPacking {
		return s, nil
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return s, err
	}
	if _, err := w.Write(contents); err != nil {
		return s, err
	}
	if err := w.Close(); err != nil {
		return s, err
	}
	if b.Len() < len(contents) && s.Unpacked <= mostUnpacked(b.Len()) {
		s.Stored, s.Deflated = b.Bytes(), true
	}
	return s, nil
}

func mostUnpacked(stored int) uint64 { return freeBytes + maxRatio*uint64(stored) }

// MaxRows limits the values that the section can have if each takes at least a byte when
// unpacked.
func (s *Section) MaxRows() uint64 { return min(s.Unpacked, mostUnpacked(len(s.Stored))) }

// Contents returns the unpacked contents, which may share memory with the file.
func (s *Section) Contents() ([]byte, error) {
	wrong := fmt.Errorf("section %q cannot be unpacked", s.Name)
	if !s.Deflated {
		if s.Unpacked != uint64(len(s.Stored)) {
			return nil, wrong
		}
		return s.Stored, nil
	}
	if s.Unpacked > mostUnpacked(len(s.Stored)) {
		return nil, fmt.Errorf("section %q says that %d bytes of it stand for %d", s.Name, len(s.Stored), s.Unpacked)
	}
	contents := make([]byte, s.Unpacked)
	r := flate.NewReader(bytes.NewReader(s.Stored))
	if _, err := io.ReadFull(r, contents); err != nil {
		return nil, wrong
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return nil, wrong
	}
	return contents, nil
}

// Length is that in a file, in bytes.
func (s *Section) Length() uint64 { return PlainLength(s.Name, len(s.Stored)) }

// PlainLength is the length in a file of a section that [Plain] makes.
func PlainLength(name string, contents int) uint64 {
	return frameBytes + uint64(len(name)) + uint64(contents)
}

// Write writes the section.
func (s *Section) Write(w io.Writer) error {
	if _, err := w.Write(s.frame()); err != nil {
		return err
	}
	_, err := w.Write(s.Stored)
	return err
}

// frame is what stands before the contents.
func (s *Section) frame() []byte {
	b := make([]byte, 4, frameBytes+len(s.Name))
	b = le.AppendUint64(b, uint64(len(s.Stored)))
	b = le.AppendUint64(b, s.Unpacked)
	b = le.AppendUint64(b, s.Rows)
	method := byte(0)
	if s.Deflated {
		method = 1
	}
	b = append(b, method, byte(len(s.Name)))
	b = append(b, s.Name...)
	le.PutUint32(b, crc32.Update(crc32.Checksum(b[4:], castagnoli), castagnoli, s.Stored))
	return b
}

// parseSection takes the section that data begins with, and says how long it is.
func parseSection(data []byte) (s Section, length int, err error) {
	name, stored, err := claims(data, uint64(len(data)))
	if err != nil {
		return s, 0, err
	}
	if data[28] > 1 {
		return s, 0, fmt.Errorf("is packed in a way that is not known, %d", data[28])
	}
	begin := frameBytes + int(name)
	length = begin + int(stored)
	return Section{
		Name: string(data[frameBytes:begin]), Rows: le.Uint64(data[20:]), Deflated: data[28] == 1,
		Unpacked: le.Uint64(data[12:]), Stored: data[begin:length], checksum: le.Uint32(data),
	}, length, nil
}

// claims reads the lengths of the name and the stored contents of the section that
// data begins with. Of the file so many bytes are left from there on.
func claims(data []byte, left uint64) (name, stored uint64, err error) {
	if len(data) < frameBytes {
		return 0, 0, errors.New("is cut off")
	}
	name, stored = uint64(data[29]), le.Uint64(data[4:])
	if stored > left || frameBytes+name+stored > left {
		return 0, 0, fmt.Errorf("claims %d bytes behind a name of %d, the file has %d from there on", stored, name, left-frameBytes)
	}
	return name, stored, nil
}

// Check compares a section that was read with its checksum.
func (s *Section) Check() error {
	if le.Uint32(s.frame()) != s.checksum {
		return errors.New("has a wrong checksum")
	}
	return nil
}
