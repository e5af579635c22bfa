package binmatrix_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/binmatrix"
	"spell-lsp/spell/jsonmatrix"
	"spell-lsp/spell/record"
	"spell-lsp/spell/sectionfile"
)

func small() *spell.Matrix {
	m := &spell.Matrix{
		Domains:    []spell.Domain{spell.DRAM, spell.CPU},
		Tests:      []string{"t1", "t2", "none"},
		Components: []spell.Component{{ID: "c1"}, {ID: "pkg.F", Kind: spell.KindFunction}},
	}
	m.Add(spell.Cell{Test: 1, Component: 1, N: 1, TimeMS: 2.5}, 0, 0.1)
	m.Add(spell.Cell{Test: 0, Component: 1, N: 1e7, TimeMS: 0}, 1e-9, 7)
	m.Add(spell.Cell{Test: 0, Component: 0, N: 0.5, TimeMS: 3}, 2, 3)
	return m
}

// current is the kind of the files that are written.
var current = sectionfile.Kind{Magic: "SPELLBIN", Version: 2}

// parts are small as a file that some other tool made of the description.
func parts() *sectionfile.File {
	cells := values(
		1, 1, 1.0, 2.5,
		0, 1, 1e7, 0.0,
		0.0, 0.1,
		1e-9, 7.0,
	)
	return &sectionfile.File{Header: []byte(`{"cells":3}`), Sections: []sectionfile.Section{
		sectionfile.Plain("matrix", 1, []byte(smallHeader)),
		sectionfile.Plain("cells", 2, cells),
		sectionfile.Plain("cells", 1, values(0, 0, 0.5, 3.0, 2.0, 3.0)),
	}}
}

// values are the bytes of int32 and float64.
func values(list ...any) []byte { return block{values: list}.contents() }

func bytesOf(t testing.TB, f *sectionfile.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := current.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// jsonOf is the JSON of m without its cells.
func jsonOf(t testing.TB, m *spell.Matrix) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jsonmatrix.Write(&b, &spell.Matrix{Domains: m.Domains, Tests: m.Tests, Components: m.Components}, ""); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// checkSmall reads small from a file, in whatever pieces a pipe brings it.
func checkSmall(t *testing.T, text []byte) {
	t.Helper()
	for _, r := range []io.Reader{bytes.NewReader(text), iotest.OneByteReader(bytes.NewReader(text)), iotest.DataErrReader(bytes.NewReader(text))} {
		got, origin, err := binmatrix.Read(r, "m.spellbin")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(small(), got); diff != "" || origin != record.Measured {
			t.Errorf("origin %q, matrix (-want +got):\n%s", origin, diff)
		}
	}
}

func TestRead(t *testing.T) { checkSmall(t, bytesOf(t, parts())) }

// both are small as a file of each version.
func both(t testing.TB) map[string][]byte {
	return map[string][]byte{"version 1": smallFile().bytes(), "version 2": bytesOf(t, parts())}
}

func TestReadNothing(t *testing.T) {
	const header = `{"schema":"spell-lsp/matrix/v1"}`
	for name, text := range map[string][]byte{
		"version 1": file{version: 1, header: header}.bytes(),
		"version 2": bytesOf(t, &sectionfile.File{Header: []byte("{}"), Sections: []sectionfile.Section{sectionfile.Plain("matrix", 1, []byte(header))}}),
	} {
		got, origin, err := binmatrix.Read(bytes.NewReader(text), "m.spellbin")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(&spell.Matrix{}, got); diff != "" || origin != "" {
			t.Errorf("%s: origin %q, matrix (-want +got):\n%s", name, origin, diff)
		}
	}
}

// Every error says what is wrong and what to do.
func TestReadErrors(t *testing.T) {
	const cells, more = 1, 2 // sections
	section := func(change func(s *sectionfile.Section)) func(f *sectionfile.File) {
		return func(f *sectionfile.File) { change(&f.Sections[cells]) }
	}
	value := func(at int, v any) func(f *sectionfile.File) {
		return section(func(s *sectionfile.Section) { copy(s.Stored[at:], values(v)) })
	}
	matrix := func(old, changed string) func(f *sectionfile.File) {
		return func(f *sectionfile.File) {
			f.Sections[0] = sectionfile.Plain("matrix", 1, []byte(strings.Replace(smallHeader, old, changed, 1)))
		}
	}
	for _, test := range []struct {
		name   string
		change func(f *sectionfile.File)
		want   string
	}{
		{"no JSON", matrix("{", "\x00"), `: JSON:1:1: this is not JSON: invalid character '\x00' at start of value`},
		{"wrong JSON", matrix(`"t2"`, "\n\"t1\""), `: JSON:2:1: tests[1] is "t1" like tests[0], must be unique`},
		{"cells in the JSON", matrix(`"tests"`, `"cells":[{"t":0,"c":0,"n":1}],"tests"`), "has cells in its JSON: write them in sections of their own"},
		{"header of something else", func(f *sectionfile.File) { f.Header = []byte("[]") }, "has a header that is not understood ("},
		{"more cells than there can be", func(f *sectionfile.File) { f.Header = []byte(`{"cells":7}`) }, "claims 7 cells, a matrix of 3 tests and 2 components has at most 6: one for each of both"},
		{"the greatest claim", func(f *sectionfile.File) { f.Header = []byte(`{"cells":18446744073709551615}`) }, "claims 18446744073709551615 cells, a matrix of 3 tests and 2 components has at most 6"},
		{"a negative claim", func(f *sectionfile.File) { f.Header = []byte(`{"cells":-1}`) }, "has a header that is not understood ("},
		{"no section", func(f *sectionfile.File) { f.Sections = nil }, `does not begin with the section "matrix"`},
		{"cells first", func(f *sectionfile.File) { f.Sections = f.Sections[cells:] }, `does not begin with the section "matrix"`},
		{"no cells", func(f *sectionfile.File) { f.Sections = f.Sections[:cells] }, "is cut off: 0 of its 3 cells are there: copy or write it again"},
		{"a section too few", func(f *sectionfile.File) { f.Sections = f.Sections[:more] }, "is cut off: 2 of its 3 cells are there"},
		{"a section too many", func(f *sectionfile.File) { f.Sections = append(f.Sections, f.Sections[more]) }, "goes on behind its 3 cells"},
		{"a section that is not known", section(func(s *sectionfile.Section) { s.Name = "cell" }), `has a section "cell", which this program does not know`},
		{"a cell too few", section(func(s *sectionfile.Section) { s.Rows++ }), "is damaged: 3 cells of 40 bytes each do not take 80 bytes"},
		{"half a cell", section(func(s *sectionfile.Section) { s.Unpacked, s.Stored = 60, s.Stored[:60] }), "is damaged: 2 cells of 40 bytes each do not take 60 bytes"},
		{"cells without end", section(func(s *sectionfile.Section) { s.Rows = math.MaxUint64 }), "is damaged: 18446744073709551615 cells of 40 bytes each do not take 80 bytes"},
		{"fewer bytes than claimed", section(func(s *sectionfile.Section) { s.Stored = s.Stored[:60] }), `is damaged: section "cells" cannot be unpacked`},
		{"a matrix that is no section", func(f *sectionfile.File) { f.Sections[0].Unpacked++ }, `is damaged: section "matrix" cannot be unpacked`},

		{"negative test", value(24, -1), "has cell 1 for test -1 and component 1, must be from 0 for one of the 3 tests and 2 components"},
		{"test out of range", value(24, 3), "has cell 1 for test 3 and component 1, must be from 0"},
		{"negative component", value(4, -1), "has cell 0 for test 1 and component -1"},
		{"component out of range", value(4, 2), "has cell 0 for test 1 and component 2"},
		{"negative n", value(32, -1.0), "has cell 1 with -1 executions, must be a number from 0 to 1e+60"},
		{"time that is no number", value(40, math.NaN()), "has cell 1 with NaN milliseconds, must be a number from 0 to 1e+60"},
		{"infinite energy", value(72, math.Inf(1)), "has cell 1 with +Inf J of cpu, must be a number from 0 to 1e+60"},
		{"too much energy", value(64, 1e61), "has cell 1 with 1e+61 J of dram, must be a number from 0 to 1e+60"},
		{"cell twice", value(24, 1), `has cell 1 for test "t2" and component "pkg.F", like cell 0: keep one, or add them up`},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := parts()
			test.change(f)
			checkError(t, bytesOf(t, f), test.want)
		})
	}
	t.Run("empty", func(t *testing.T) { checkError(t, nil, "is not a binary matrix") })
	t.Run("text", func(t *testing.T) {
		checkError(t, []byte("test,component,cpu_J,n,time_ms\n"), "is not a binary matrix")
	})
	t.Run("saved run", func(t *testing.T) { checkError(t, []byte("SPELLRUN\x01\x00\x00\x00"), "is not a binary matrix") })
	t.Run("other version", func(t *testing.T) {
		text := bytesOf(t, parts())
		text[8] = 3
		checkError(t, text, "has version 3 of the form of binary matrices, this program knows version 2: use a spell-lsp that is as new as the file, or write the file as version 2")
	})
}

// checkError checks what is reported of a file.
func checkError(t *testing.T, text []byte, want string) {
	t.Helper()
	m, _, err := binmatrix.Read(bytes.NewReader(text), "m.spellbin")
	if err == nil {
		t.Fatalf("no error, and the matrix %+v", m)
	}
	if got, ok := strings.CutPrefix(err.Error(), "m.spellbin"); !ok || !strings.HasPrefix(strings.TrimPrefix(got, " "), want) {
		t.Errorf("\ngot  %s\nwant m.spellbin %s", err, want)
	}
}

// No bit of a file can flip without being found, and no end can be missing.
func TestReadFindsDamage(t *testing.T) {
	for name, good := range both(t) {
		for i := range 8 * len(good) {
			text := bytes.Clone(good)
			text[i/8] ^= 1 << (i % 8)
			if _, _, err := binmatrix.Read(bytes.NewReader(text), "m"); err == nil {
				t.Errorf("%s: bit %d of byte %d can flip", name, i%8, i/8)
			}
		}
		for length := range good {
			_, _, err := binmatrix.Read(bytes.NewReader(good[:length]), "m")
			if err == nil || length >= 12 && !strings.HasPrefix(err.Error(), "m is cut off") {
				t.Errorf("%s: of %d bytes: error %v", name, length, err)
			}
		}
		if _, _, err := binmatrix.Read(bytes.NewReader(append(good, 0)), "m"); err == nil {
			t.Errorf("%s: a byte behind the end was not noticed", name)
		}
	}
}

// An input that breaks off is an error of the input, wherever it does.
func TestReadReportsTheInputsError(t *testing.T) {
	broken := errors.New("the disk is gone")
	for name, text := range both(t) {
		for length := range len(text) + 1 {
			_, _, err := binmatrix.Read(io.MultiReader(bytes.NewReader(text[:length]), iotest.ErrReader(broken)), "m.spellbin")
			if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "reading m.spellbin: ") {
				t.Fatalf("%s: after %d bytes: error %v, want %v", name, length, err, broken)
			}
		}
	}
}

// Memory follows the real content of a file, not the sizes in its header: this one
// announces 64 million cells (2 GB) and has none.
func TestReadBelievesNoClaim(t *testing.T) {
	m := &spell.Matrix{Domains: []spell.Domain{spell.CPU}}
	for i := range 8000 {
		m.Tests, m.Components = append(m.Tests, fmt.Sprint(i)), append(m.Components, spell.Component{ID: fmt.Sprint(i)})
	}
	list := jsonOf(t, m)
	section := sectionfile.Plain("cells", 1, nil)
	second := bytesOf(t, &sectionfile.File{Header: []byte(`{"cells":64000000}`), Sections: []sectionfile.Section{sectionfile.Plain("matrix", 1, list), section}})
	binary.LittleEndian.PutUint64(second[len(second)-len("cells")-26:], 2e9) // what the section claims
	for name, text := range map[string][]byte{"version 1": file{version: 1, cells: 8000 * 8000, header: string(list)}.bytes(), "version 2": second} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := binmatrix.Read(bytes.NewReader(text), "m")
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 {
			t.Errorf("%s: %d bytes of memory for a file of %d", name, used, len(text))
		}
	}
}
