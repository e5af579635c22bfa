package binmatrix_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/binmatrix"
	"spell-lsp/spell/csvmatrix"
	"spell-lsp/spell/record"
)

// written is m as a file; both ways of writing must agree on it.
func written(t *testing.T, m *spell.Matrix, origin record.Source) []byte {
	t.Helper()
	var native, portable bytes.Buffer
	if err := errors.Join(binmatrix.Write(&native, m, origin), binmatrix.WritePortable(&portable, m, origin)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(native.Bytes(), portable.Bytes()) {
		t.Error("a machine of the other kind would write another file")
	}
	return native.Bytes()
}

// bits tells -0 from 0.
var bits = cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })

// sameAfter reports what is not the same in m after it was written and read.
func sameAfter(t *testing.T, m *spell.Matrix, origin record.Source) {
	t.Helper()
	text := written(t, m, origin)
	for name, read := range reads {
		got, gotOrigin, err := read(bytes.NewReader(text), "m.spellbin")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(m, got, bits); diff != "" || gotOrigin != origin {
			t.Errorf("%s: origin %q of %q, matrix (-want +got):\n%s", name, gotOrigin, origin, diff)
		}
	}
}

func TestWriteLosesNothing(t *testing.T) {
	sameAfter(t, small(), record.Measured)
	sameAfter(t, &spell.Matrix{}, "")
	sameAfter(t, &spell.Matrix{Domains: spell.Domains(), Tests: []string{" \n"}, Components: []spell.Component{
		{ID: "c", Kind: spell.KindBlock, Package: "p", File: "f \"x\".go", Line: 1, Column: 2, EndLine: 3, Hash: "h"},
	}}, record.Estimated)
	for domains := range len(spell.Domains()) + 1 {
		m := &spell.Matrix{Tests: []string{"t"}, Components: []spell.Component{{ID: "c"}, {ID: "d"}}}
		m.Domains = append(m.Domains, spell.Domains()[:domains]...)
		joules := []float64{spell.MaxValue, math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0.1, 1, 2}[:domains]
		m.Add(spell.Cell{Component: 1, N: math.Copysign(0, -1), TimeMS: spell.MaxValue}, joules...)
		m.Add(spell.Cell{N: 0.1, TimeMS: math.SmallestNonzeroFloat64}, joules...)
		sameAfter(t, m, "")
	}
}

// large has cells for more than four blocks.
func large() *spell.Matrix {
	m := &spell.Matrix{Domains: []spell.Domain{spell.CPU}}
	for i := range 600 {
		m.Tests = append(m.Tests, "t"+strconv.Itoa(i))
		m.Components = append(m.Components, spell.Component{ID: "c" + strconv.Itoa(i)})
	}
	for i := range 4*binmatrix.BlockCells + 7 {
		m.Add(spell.Cell{Test: int32(i % 600), Component: int32(i / 600), N: float64(i), TimeMS: 1 / float64(i+1)}, float64(i)/7)
	}
	return m
}

// Cells of all blocks come back, and what is wrong with one is found where it is.
func TestBlocks(t *testing.T) {
	m := large()
	text := written(t, m, "")
	same := func(a, b *spell.Matrix) bool { // cmp would take seconds
		for i := range a.Cells {
			if a.Cells[i] != b.Cells[i] || a.Energy[i] != b.Energy[i] {
				return false
			}
		}
		return len(a.Cells) == len(b.Cells) && len(a.Energy) == len(b.Energy)
	}
	for name, read := range reads {
		got, _, err := read(bytes.NewReader(text), "m")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !same(m, got) {
			t.Errorf("%s: other cells come back", name)
		}
	}
	const size = binmatrix.BlockCells*32 + 8
	first := len(text) - 4*size - (7*32 + 8)
	begin := func(block int) int { return first + block*size }

	flipped := bytes.Clone(text)
	flipped[begin(2)+1000] ^= 4
	flipped[begin(3)+1000] ^= 4 // the first is reported
	checkError(t, flipped, "byte "+strconv.Itoa(begin(3)-8)+": the checksum of block 2 (bytes "+strconv.Itoa(begin(2))+" to "+strconv.Itoa(begin(3)-1)+", cells 32768 to 49151 of 65543) is ")
	checkError(t, flipped[:begin(3)+10], "byte "+strconv.Itoa(begin(3)-8)+": the checksum of block 2")
	checkError(t, text[:begin(3)+10], "byte "+strconv.Itoa(begin(3)+10)+": the file ends in block 3 (bytes ")
	checkError(t, text[:begin(3)], "byte "+strconv.Itoa(begin(3))+": the file ends in block 3 (bytes ")
	checkError(t, text[:len(text)-1], "byte "+strconv.Itoa(len(text)-1)+": the file ends in block 4 (bytes ")
	checkError(t, append(bytes.Clone(text), 0), "byte "+strconv.Itoa(len(text))+": the file goes on behind its 65543 cells")

	swapped := bytes.Clone(text)
	copy(swapped[begin(1):], text[begin(2):begin(3)])
	copy(swapped[begin(2):], text[begin(1):begin(2)])
	checkError(t, swapped, "byte "+strconv.Itoa(begin(2)-4)+": the number of the block is 2, must be 1")

	// Cell 5 of the last block is made the same as cell 3 of the one before.
	last, before := bytes.Clone(text[begin(4):]), text[begin(3):]
	copy(last[5*24:5*24+8], before[3*24:])
	copy(last[7*32:], crcBytes(last[:7*32]))
	checkError(t, append(bytes.Clone(text[:begin(4)]), last...), "byte "+strconv.Itoa(begin(4)+5*24)+`: cell 65541 is for test "t555" and component "c81" like cell 49155 at byte `+strconv.Itoa(begin(3)+3*24)+": keep one")

	copy(last[5*24:5*24+8], text[begin(4)+5*24:])
	copy(last[7*24+6*8:], []byte{0, 0, 0, 0, 0, 0, 0xf0, 0xbf}) // -1
	copy(last[7*32:], crcBytes(last[:7*32]))
	checkError(t, append(bytes.Clone(text[:begin(4)]), last...), "byte "+strconv.Itoa(begin(4)+7*24+6*8)+": cell 65542 has -1 J of cpu")
}

func crcBytes(b []byte) []byte {
	sum := crc(b)
	return []byte{byte(sum), byte(sum >> 8), byte(sum >> 16), byte(sum >> 24)}
}

// The published tables go through the format unchanged.
func TestWritePublishedTables(t *testing.T) {
	tables, err := filepath.Glob("../testdata/golden/*.csv")
	if err != nil || len(tables) == 0 {
		t.Fatalf("no published tables: %v", err)
	}
	for _, name := range tables {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, origin, err := csvmatrix.ReadWithOrigin(bytes.NewReader(text), name)
		if err != nil {
			t.Fatal(err)
		}
		sameAfter(t, m, origin)
	}
}

// What could not be read again is not written.
func TestWriteRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(m *spell.Matrix)
		want   string
	}{
		"not valid":         {func(m *spell.Matrix) { m.Cells[0].N = -1 }, `n is -1, must be a number from 0 to 1e+60`},
		"unknown domain":    {func(m *spell.Matrix) { m.Domains[0] = "steam" }, `domain "steam" is not known`},
		"test without name": {func(m *spell.Matrix) { m.Tests[2] = "" }, `the name of test 2, "", is empty`},
	} {
		m := small()
		test.change(m)
		var b bytes.Buffer
		err := binmatrix.Write(&b, m, "")
		if err == nil || !strings.HasPrefix(err.Error(), "writing a binary matrix: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", name, err, test.want)
		}
		if b.Len() > 0 {
			t.Errorf("%s: wrote %d bytes all the same", name, b.Len())
		}
	}
}

// A full takes so many bytes and no more.
type full struct{ left int }

var errFull = errors.New("disk full")

func (f *full) Write(p []byte) (int, error) {
	n := min(f.left, len(p))
	f.left -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

// An output that takes no more is reported, wherever that shows.
func TestWriteReportsTheOutputsError(t *testing.T) {
	length := len(written(t, small(), ""))
	for left := range length {
		if err := binmatrix.Write(&full{left}, small(), ""); !errors.Is(err, errFull) {
			t.Errorf("after %d bytes of %d: error %v, want %v", left, length, err, errFull)
		}
	}
	if err := binmatrix.Write(io.Discard, small(), ""); err != nil {
		t.Error(err)
	}
}
