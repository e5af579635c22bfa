package binmatrix_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/binmatrix"
	"spell-lsp/spell/jsonmatrix"
	"spell-lsp/spell/sectionfile"
)

// Whatever the input, Read does not panic; what it takes is valid, is written
// without an error, and read from that again it is the same. The input is a file,
// or where it has right checksums, so that anything is found behind them, a
// header and cells.
func FuzzRead(f *testing.F) {
	for _, good := range both(f) {
		f.Add([]byte{}, good, false)
	}
	cells := slices.Concat(parts().Sections[1].Stored, parts().Sections[2].Stored)
	f.Add([]byte(smallHeader), cells, true)
	f.Add([]byte(strings.Replace(smallHeader, `"dram","cpu"`, "", 1)), cells[:72], true)
	f.Add([]byte(smallHeader), cells[:3], true)
	for _, claim := range []uint64{1 << 31, 1 << 32, 1 << 60, math.MaxInt64 - 47, math.MaxInt64 - 7, 1 << 63, math.MaxUint64 - 7, math.MaxUint64} {
		long, many, claiming := smallFile(), smallFile(), parts()
		long.length, many.cells = claim, claim
		claiming.Header = fmt.Appendf(nil, `{"cells":%d}`, claim)
		f.Add([]byte{}, long.bytes(), false)
		f.Add([]byte{}, many.bytes(), false)
		f.Add([]byte{}, bytesOf(f, claiming), false)
	}
	f.Fuzz(func(t *testing.T, header, body []byte, checksums bool) {
		text := slices.Concat(header, body)
		if checksums {
			text = bytesOf(t, withChecksums(header, body))
		}
		m, origin, err := binmatrix.Read(bytes.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("Read took what is not valid: %v", err)
		}
		again, sameOrigin, err := binmatrix.Read(bytes.NewReader(written(t, m, origin)), "written")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again, bits); diff != "" || origin != sameOrigin {
			t.Errorf("read, written and read again: origin %q of %q, matrix (-first +second):\n%s", sameOrigin, origin, diff)
		}
	})
}

// withChecksums makes a file of a header and the bytes of cells.
func withChecksums(header, body []byte) *sectionfile.File {
	width := 24
	if m, _, err := jsonmatrix.Read(bytes.NewReader(header), "fuzz"); err == nil {
		width += 8 * len(m.Domains)
	}
	n := len(body) / width
	return &sectionfile.File{Header: fmt.Appendf(nil, `{"cells":%d}`, n), Sections: []sectionfile.Section{
		sectionfile.Plain("matrix", 1, header), sectionfile.Plain("cells", n, body),
	}}
}
