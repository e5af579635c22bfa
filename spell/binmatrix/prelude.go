package binmatrix

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// A prelude is what a file begins with.
type prelude struct {
	header   uint64 // its length in bytes
	cells    uint64
	checksum uint32 // of the header
}

func (p prelude) bytes() []byte {
	b := binary.LittleEndian.AppendUint32([]byte(magic), version)
	b = binary.LittleEndian.AppendUint32(b, p.checksum)
	b = binary.LittleEndian.AppendUint64(b, p.header)
	b = binary.LittleEndian.AppendUint64(b, p.cells)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return binary.LittleEndian.AppendUint32(b, 0)
}

// A fault is what is wrong in a file, and where.
type fault struct {
	offset int64
	what   string // and what to do
}

func (f *fault) Error() string { return f.what }

// again is what to do about a file that is not as it was written.
const again = "copy or write it again"

// parsePrelude reads the bytes of a prelude, of which there may be too few.
func parsePrelude(b []byte) (prelude, error) {
	begin := b[:min(len(b), len(magic))]
	switch {
	case len(b) == 0:
		return prelude{}, &fault{0, fmt.Sprintf("the file is empty, a binary matrix begins with %q", magic)}
	case string(begin) != magic[:len(begin)]:
		return prelude{}, &fault{0, fmt.Sprintf("the file begins with %q, a binary matrix with %q: say which format it has", begin, magic)}
	case len(b) < preludeBytes:
		return prelude{}, cutOff(int64(len(b)), fmt.Sprintf("its first %d bytes", preludeBytes))
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != version {
		return prelude{}, &fault{8, fmt.Sprintf("the version is %d, this program reads version %d: use one that is as new as the file, or write the file as version %[2]d", v, version)}
	}
	if err := different(32, "the first 32 bytes", binary.LittleEndian.Uint32(b[32:]), crc32.Checksum(b[:32], castagnoli)); err != nil {
		return prelude{}, err
	}
	p := prelude{header: binary.LittleEndian.Uint64(b[16:]), cells: binary.LittleEndian.Uint64(b[24:]), checksum: binary.LittleEndian.Uint32(b[12:])}
	if zero := binary.LittleEndian.Uint32(b[36:]); zero != 0 {
		return prelude{}, &fault{36, fmt.Sprintf("%d stands where version %d has 0: %s", zero, version, again)}
	}
	if p.header > math.MaxInt64-preludeBytes {
		return prelude{}, &fault{16, fmt.Sprintf("the header claims %d bytes, more than a file can have: %s", p.header, again)}
	}
	if p.header%8 != 0 {
		return prelude{}, &fault{16, fmt.Sprintf("the header has %d bytes, must be a multiple of 8: fill it up with blanks", p.header)}
	}
	return p, nil
}

func cutOff(offset int64, in string) error {
	return &fault{offset, fmt.Sprintf("the file ends in %s, it was cut off: %s", in, again)}
}

// different reports a checksum in a file that is not that of the bytes.
func different(offset int64, of string, stored, computed uint32) error {
	if stored == computed {
		return nil
	}
	return &fault{offset, fmt.Sprintf("the checksum of %s is %08x, what was read gives %08x: the file was changed or damaged, %s", of, stored, computed, again)}
}
