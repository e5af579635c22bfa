package runfile

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A section is the values of one column, or a text.
type section struct {
	name     string
	rows     uint64 // the number of its values
	deflated bool
	unpacked uint64 // length in bytes
	stored   []byte
}

const (
	worthPacking = 256 // bytes; below it takes longer than it saves
	maxRatio     = 64  // of unpacked to stored bytes
	freeBytes    = 64 << 10
)

// pack makes a section of its contents. They are not deflated where that does not
// make them smaller, or so small that unpack would refuse it.
func pack(name string, rows int, contents []byte) (section, error) {
	s := section{name: name, rows: uint64(rows), unpacked: uint64(len(contents)), stored: contents}
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
	if b.Len() < len(contents) && s.unpacked <= mostUnpacked(b.Len()) {
		s.stored, s.deflated = b.Bytes(), true
	}
	return s, nil
}

func mostUnpacked(stored int) uint64 { return freeBytes + maxRatio*uint64(stored) }

// unpack gives the contents, which may share memory with the file.
func (s *section) unpack() ([]byte, error) {
	wrong := fmt.Errorf("section %q cannot be unpacked", s.name)
	if !s.deflated {
		if s.unpacked != uint64(len(s.stored)) {
			return nil, wrong
		}
		return s.stored, nil
	}
	if s.unpacked > mostUnpacked(len(s.stored)) {
		return nil, fmt.Errorf("section %q says that %d bytes of it stand for %d", s.name, len(s.stored), s.unpacked)
	}
	contents := make([]byte, s.unpacked)
	r := flate.NewReader(bytes.NewReader(s.stored))
	if _, err := io.ReadFull(r, contents); err != nil {
		return nil, wrong
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return nil, wrong
	}
	return contents, nil
}

// length is that in the file, in bytes.
func (s *section) length() uint64 { return frameBytes + uint64(len(s.name)) + uint64(len(s.stored)) }

// frame is what stands before the contents.
func (s *section) frame() []byte {
	b := make([]byte, 4, frameBytes+len(s.name))
	b = le.AppendUint64(b, uint64(len(s.stored)))
	b = le.AppendUint64(b, s.unpacked)
	b = le.AppendUint64(b, s.rows)
	method := byte(0)
	if s.deflated {
		method = 1
	}
	b = append(b, method, byte(len(s.name)))
	b = append(b, s.name...)
	le.PutUint32(b, crc32.Update(crc32.Checksum(b[4:], castagnoli), castagnoli, s.stored))
	return b
}

// readSection reads the section that data begins with, and says how long it is.
func readSection(data []byte) (s section, length int, err error) {
	if len(data) < frameBytes {
		return s, 0, errors.New("is cut off")
	}
	name, stored := uint64(data[29]), le.Uint64(data[4:])
	if stored > uint64(len(data)) || frameBytes+name+stored > uint64(len(data)) {
		return s, 0, fmt.Errorf("claims %d bytes behind a name of %d, the file has %d from there on", stored, name, len(data)-frameBytes)
	}
	length = int(frameBytes + name + stored)
	if crc32.Checksum(data[4:length], castagnoli) != le.Uint32(data) {
		return s, 0, errors.New("has a wrong checksum")
	}
	if data[28] > 1 {
		return s, 0, fmt.Errorf("is packed in a way that is not known, %d", data[28])
	}
	begin := frameBytes + int(name)
	return section{
		name: string(data[frameBytes:begin]), rows: le.Uint64(data[20:]), deflated: data[28] == 1,
		unpacked: le.Uint64(data[12:]), stored: data[begin:length],
	}, length, nil
}
