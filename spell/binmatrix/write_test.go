package binmatrix_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/binmatrix"
	"spell-lsp/spell/csvmatrix"
	"spell-lsp/spell/record"
	"spell-lsp/spell/sectionfile"
)

func written(t *testing.T, m *spell.Matrix, origin record.Source) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := binmatrix.Write(&b, m, origin); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bits tells -0 from 0.
var bits = cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })

// sameAfter reports what is not the same in m after it was written and read.
func sameAfter(t *testing.T, m *spell.Matrix, origin record.Source) {
	t.Helper()
	got, gotOrigin, err := binmatrix.Read(bytes.NewReader(written(t, m, origin)), "m.spellbin")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got, bits); diff != "" || gotOrigin != origin {
		t.Errorf("origin %q of %q, matrix (-want +got):\n%s", gotOrigin, origin, diff)
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

// same tells whether two matrices of one domain have the same cells; cmp would take
// seconds.
func same(a, b *spell.Matrix) bool {
	return slices.Equal(a.Cells, b.Cells) && slices.Equal(a.Energy, b.Energy)
}

// Cells of all sections come back, and what is wrong with one is found where it is.
func TestSections(t *testing.T) {
	m := large()
	text := written(t, m, "")
	got, _, err := binmatrix.Read(bytes.NewReader(text), "m")
	if err != nil {
		t.Fatal(err)
	}
	if !same(m, got) {
		t.Error("other cells come back")
	}
	const frame = 35
	const size = binmatrix.BlockCells*32 + frame
	first := len(text) - 4*size - (7*32 + frame)
	begin := func(block int) int { return first + block*size }

	flipped := bytes.Clone(text)
	flipped[begin(2)+1000] ^= 4
	flipped[begin(3)+1000] ^= 4 // the first is reported
	checkError(t, flipped, "is damaged: the section of cells 32768 to 49151 has a wrong checksum: copy or write it again")
	checkError(t, flipped[:begin(3)+10], "is damaged: the section of cells 32768 to 49151 has a wrong checksum")
	checkError(t, text[:begin(3)+10], "is cut off: ")
	checkError(t, text[:len(text)-1], "is cut off: ")
	checkError(t, append(bytes.Clone(text), 0), "is damaged: it goes on behind the ")

	// What is not valid is found in the last section, too.
	last := *m
	last.Cells, last.Energy = slices.Clone(m.Cells), slices.Clone(m.Energy)
	last.Cells[65541] = last.Cells[49155]
	checkError(t, unchecked(t, &last), `has cell 65541 for test "t555" and component "c81", like cell 49155: keep one`)
	last.Cells[65541], last.Energy[65542] = m.Cells[65541], -1
	checkError(t, unchecked(t, &last), "has cell 65542 with -1 J of cpu")
}

// unchecked is the file of a matrix of one domain that is not valid.
func unchecked(t *testing.T, m *spell.Matrix) []byte {
	t.Helper()
	f := &sectionfile.File{Header: fmt.Appendf(nil, `{"cells":%d}`, len(m.Cells)), Sections: []sectionfile.Section{sectionfile.Plain("matrix", 1, jsonOf(t, m))}}
	var list []any
	for _, c := range m.Cells {
		list = append(list, int(c.Test), int(c.Component), c.N, c.TimeMS)
	}
	for _, v := range m.Energy {
		list = append(list, v)
	}
	f.Sections = append(f.Sections, sectionfile.Plain("cells", len(m.Cells), values(list...)))
	return bytesOf(t, f)
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
		m, origin, err := csvmatrix.Read(bytes.NewReader(text), name)
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
