package runfile

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
	magic        = "SPELLRUN"
	preludeBytes = 28 // before the header
	frameBytes   = 30 // before the name of a section
	maxHeader    = 1 << 20
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	le         = binary.LittleEndian
)

// A document is a file taken apart.
type document struct {
	header   []byte // JSON
	sections []section
}

// A prelude is what stands before the header.
type prelude struct {
	version uint32
	header  uint32 // length of the header in bytes
	length  uint64 // of the file in bytes
}

// bytes are the prelude up to its checksum.
func (p prelude) bytes() []byte {
	b := le.AppendUint32([]byte(magic), p.version)
	b = le.AppendUint32(b, p.header)
	return le.AppendUint64(b, p.length)
}

func (d *document) writeTo(w io.Writer, version uint32) (int64, error) {
	p := prelude{version: version, header: uint32(len(d.header)), length: preludeBytes + uint64(len(d.header))}
	for i := range d.sections {
		p.length += d.sections[i].length()
	}
	out := bufio.NewWriter(w)
	head := p.bytes()
	head = le.AppendUint32(head, crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, d.header))
	_, _ = out.Write(head) // Flush returns the first error
	_, _ = out.Write(d.header)
	for i := range d.sections {
		_, _ = out.Write(d.sections[i].frame())
		_, _ = out.Write(d.sections[i].stored)
	}
	if err := out.Flush(); err != nil {
		return 0, err
	}
	return int64(p.length), nil
}

// readHead reads the prelude and the header of a file of size bytes, if check
// takes its version.
func readHead(r io.Reader, size int64, check func(version uint32) error) (prelude, []byte, error) {
	var b [preludeBytes]byte
	n, err := io.ReadFull(r, b[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return prelude{}, nil, err
	}
	if known := min(n, len(magic)); known == 0 || string(b[:known]) != magic[:known] {
		return prelude{}, nil, errors.New("is not a saved run")
	}
	if n < len(b) {
		return prelude{}, nil, fmt.Errorf("is cut off after %d bytes", size)
	}
	p := prelude{version: le.Uint32(b[8:]), header: le.Uint32(b[12:]), length: le.Uint64(b[16:])}
	if err := check(p.version); err != nil {
		return p, nil, err
	}
	switch {
	case p.length > math.MaxInt64:
		return p, nil, fmt.Errorf("is damaged: it claims %d bytes, more than a file can have", p.length)
	case p.length > uint64(size):
		return p, nil, fmt.Errorf("is cut off: %d of its %d bytes are there", size, p.length)
	case p.length != uint64(size):
		return p, nil, fmt.Errorf("is damaged: it claims %d bytes, the file has %d", p.length, size)
	case p.header > maxHeader || uint64(p.header) > p.length-preludeBytes:
		return p, nil, fmt.Errorf("is damaged: its header claims %d bytes from byte %d on, a header has at most %d and the file %d in all", p.header, preludeBytes, maxHeader, size)
	}
	header := make([]byte, p.header)
	if _, err := io.ReadFull(r, header); err != nil {
		return p, nil, err
	}
	if sum := crc32.Update(crc32.Checksum(b[:preludeBytes-4], castagnoli), castagnoli, header); sum != le.Uint32(b[preludeBytes-4:]) {
		return p, nil, errors.New("is damaged: the checksum of its header is wrong")
	}
	return p, header, nil
}

// takeApart checks all of a file but what is in its sections.
func takeApart(data []byte, check func(version uint32) error) (*document, uint32, error) {
	p, header, err := readHead(bytes.NewReader(data), int64(len(data)), check)
	if err != nil {
		return nil, p.version, err
	}
	d := &document{header: header}
	for rest := data[preludeBytes+len(header):]; len(rest) > 0; {
		s, length, err := readSection(rest)
		if err != nil {
			return nil, p.version, fmt.Errorf("is damaged: section %d of it %w", len(d.sections)+1, err)
		}
		if d.section(s.name) != nil {
			return nil, p.version, fmt.Errorf("is damaged: it has the section %q twice", s.name)
		}
		d.sections = append(d.sections, s)
		rest = rest[length:]
	}
	return d, p.version, nil
}
