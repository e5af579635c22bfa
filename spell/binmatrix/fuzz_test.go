package binmatrix_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/binmatrix"
	"spell-lsp/spell/jsonmatrix"
)

// Whatever the input, Read does not panic; what it takes is valid, is written
// without an error, and read from that again it is the same. The input is a file,
// or where it has right checksums, so that anything is found behind them, a
// header and cells.
func FuzzRead(f *testing.F) {
	good := smallFile().bytes()
	f.Add([]byte{}, good, false)
	f.Add([]byte(smallHeader), good[200:len(good)-8], true)
	f.Add([]byte(strings.Replace(smallHeader, `"dram","cpu"`, "", 1)), good[200:200+72], true)
	f.Add([]byte(smallHeader), good[200:200+3], true)
	for _, claim := range []uint64{1 << 31, 1 << 32, 1 << 60, math.MaxInt64 - 47, math.MaxInt64 - 7, 1 << 63, math.MaxUint64 - 7, math.MaxUint64} {
		long, many := smallFile(), smallFile()
		long.length, many.cells = claim, claim
		f.Add([]byte{}, long.bytes(), false)
		f.Add([]byte{}, many.bytes(), false)
	}
	f.Fuzz(func(t *testing.T, header, body []byte, checksums bool) {
		text := slices.Concat(header, body)
		if checksums {
			text = withChecksums(header, body)
		}
		m, origin, err := binmatrix.Read(bytes.NewReader(text), "fuzz")
		if _, _, same := binmatrix.ReadPortable(bytes.NewReader(text), "fuzz"); (err == nil) != (same == nil) || err != nil && err.Error() != same.Error() {
			t.Fatalf("error %v, and %v in a machine of the other kind", err, same)
		}
		if err != nil {
			return
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("Read took what is not valid: %v", err)
		}
		again, sameOrigin, err := binmatrix.ReadPortable(bytes.NewReader(written(t, m, origin)), "written")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again, bits); diff != "" || origin != sameOrigin {
			t.Errorf("read, written and read again: origin %q of %q, matrix (-first +second):\n%s", sameOrigin, origin, diff)
		}
	})
}

// withChecksums makes a file of one block of a header and the bytes of cells.
func withChecksums(header, body []byte) []byte {
	width := 24
	if m, _, err := jsonmatrix.Read(bytes.NewReader(header), "fuzz"); err == nil {
		width += 8 * len(m.Domains)
	}
	n := min(len(body)/width, binmatrix.BlockCells)
	text := file{version: 1, header: string(header), cells: uint64(n)}.bytes()
	if n == 0 {
		return append(text, body...)
	}
	text = append(text, body[:n*width]...)
	text = binary.LittleEndian.AppendUint32(text, crc(body[:n*width]))
	text = binary.LittleEndian.AppendUint32(text, 0)
	return append(text, body[n*width:]...)
}
