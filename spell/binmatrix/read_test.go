package binmatrix_test

import (
	"bytes"
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
	"spell-lsp/spell/record"
)

type readFunc func(io.Reader, string) (*spell.Matrix, record.Source, error)

// reads are the two ways of reading, which must not differ.
var reads = map[string]readFunc{"native": binmatrix.Read, "portable": binmatrix.ReadPortable}

// What another tool wrote by the description of the format is read, in whatever
// pieces a pipe brings it.
func TestRead(t *testing.T) {
	text := smallFile().bytes()
	for name, read := range reads {
		for _, r := range []io.Reader{bytes.NewReader(text), iotest.OneByteReader(bytes.NewReader(text)), iotest.DataErrReader(bytes.NewReader(text))} {
			got, origin, err := read(r, "m.spellbin")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(small(), got); diff != "" || origin != record.Measured {
				t.Errorf("%s: origin %q, matrix (-want +got):\n%s", name, origin, diff)
			}
		}
	}
}

func TestReadNothing(t *testing.T) {
	text := file{version: 1, header: `{"schema":"spell-lsp/matrix/v1"}`}.bytes()
	for name, read := range reads {
		got, origin, err := read(bytes.NewReader(text), "m.spellbin")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(&spell.Matrix{}, got); diff != "" || origin != "" {
			t.Errorf("%s: origin %q, matrix (-want +got):\n%s", name, origin, diff)
		}
	}
}

// Every error says at which byte it is, what is wrong and what to do.
func TestReadErrors(t *testing.T) {
	values := func(change func(v []any)) func(f *file) {
		return func(f *file) { change(f.blocks[0].values) }
	}
	for _, test := range []struct {
		name   string
		change func(f *file)
		want   string
	}{
		{"other version", func(f *file) { f.version = 2 }, "byte 8: the version is 2, this program reads version 1: use one that is as new as the file, or write the file as version 1"},
		{"something in the gap", func(f *file) { f.zero = 1 }, "byte 36: 1 stands where version 1 has 0: copy or write it again"},
		{"header not filled up", func(f *file) { f.length = uint64(len(f.header)) }, "byte 16: the header has 157 bytes, must be a multiple of 8: fill it up with blanks"},
		{"header that is too long", func(f *file) { f.length = math.MaxInt64 - 7 }, "byte 16: the header claims 9223372036854775800 bytes, more than a file can have: copy or write it again"},
		{"header that is longest", func(f *file) { f.length = math.MaxUint64 }, "byte 16: the header claims 18446744073709551615 bytes, more than a file can have: copy or write it again"},
		{"header below zero as an int64", func(f *file) { f.length = 1 << 63 }, "byte 16: the header claims 9223372036854775808 bytes, more than a file can have"},
		{"header that ends where numbers do", func(f *file) { f.length = math.MaxInt64 - 47 }, "byte 325: the file ends in its header, which claims 9223372036854775760 bytes from byte 40 on: copy or write it again"},
		{"header that claims much", func(f *file) { f.length = 1 << 60 }, "byte 325: the file ends in its header, which claims 1152921504606846976 bytes from byte 40 on: copy or write it again"},
		{"no JSON", func(f *file) { f.header = "\x00" }, `header at byte 40:1:1: '\x00' stands where JSON has a value`},
		{"wrong JSON", func(f *file) { f.header = strings.Replace(f.header, `"t2"`, "\n\"t1\"", 1) }, `header at byte 40:2:1: tests[1] is "t1" like tests[0], must be unique`},
		{"cells in the header", func(f *file) { f.header = f.header[:len(f.header)-1] + `,"cells":[{"t":0,"c":0,"n":1}]}` }, "byte 40: the header has cells: write them as blocks"},
		{"more cells than there can be", func(f *file) { f.cells = 7 }, "byte 24: the file claims 7 cells, a matrix of 3 tests and 2 components has at most 6: one for each of both"},
		{"a great claim", func(f *file) { f.cells = 1e18 }, "byte 24: the file claims 1000000000000000000 cells, a matrix of 3 tests"},
		{"the greatest claim", func(f *file) { f.cells = math.MaxUint64 }, "byte 24: the file claims 18446744073709551615 cells, a matrix of 3 tests and 2 components has at most 6"},
		{"no block", func(f *file) { f.blocks = nil }, "byte 200: the file ends in block 0 (bytes 200 to 327, cells 0 to 2 of 3), it was cut off: copy or write it again"},
		{"a cell too few", func(f *file) { f.cells = 4 }, "byte 328: the file ends in block 0 (bytes 200 to 367, cells 0 to 3 of 4), it was cut off"},
		{"a cell too many", func(f *file) { f.cells = 2 }, "byte 280: the checksum of block 0 (bytes 200 to 287, cells 0 to 1 of 2) is"},
		{"a block too many", func(f *file) { f.blocks = append(f.blocks, f.blocks[0]) }, "byte 328: the file goes on behind its 3 cells: copy or write it again"},
		{"cells of an empty matrix", func(f *file) { f.cells, f.header = 0, `{"schema":"spell-lsp/matrix/v1"}` }, "byte 72: the file goes on behind its 0 cells"},
		{"block with another number", func(f *file) { f.blocks[0].number = 1 }, "byte 324: the number of the block is 1, must be 0: copy or write it again"},

		{"negative test", values(func(v []any) { v[4] = -1 }), "byte 224: cell 1 is for test -1 and component 1, must be from 0 for one of the 3 tests and 2 components"},
		{"test out of range", values(func(v []any) { v[8] = 3 }), "byte 248: cell 2 is for test 3 and component 0, must be from 0"},
		{"negative component", values(func(v []any) { v[1] = -1 }), "byte 200: cell 0 is for test 1 and component -1"},
		{"component out of range", values(func(v []any) { v[1] = 2 }), "byte 200: cell 0 is for test 1 and component 2"},
		{"negative n", values(func(v []any) { v[6] = -1.0 }), "byte 232: cell 1 has -1 executions, must be a number from 0 to 1e+60"},
		{"time that is no number", values(func(v []any) { v[11] = math.NaN() }), "byte 264: cell 2 has NaN milliseconds, must be a number from 0 to 1e+60"},
		{"infinite energy", values(func(v []any) { v[15] = math.Inf(1) }), "byte 296: cell 1 has +Inf J of cpu, must be a number from 0 to 1e+60"},
		{"too much energy", values(func(v []any) { v[16] = 1e61 }), "byte 304: cell 2 has 1e+61 J of dram, must be a number from 0 to 1e+60"},
		{"cell twice", values(func(v []any) { v[8], v[9] = 1, 1 }), `byte 248: cell 2 is for test "t2" and component "pkg.F" like cell 0 at byte 200: keep one, or add them up`},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := smallFile()
			test.change(&f)
			checkError(t, f.bytes(), test.want)
		})
	}
	t.Run("empty", func(t *testing.T) {
		checkError(t, nil, `byte 0: the file is empty, a binary matrix begins with "SPELLBIN"`)
	})
	t.Run("text", func(t *testing.T) {
		checkError(t, []byte("test,component,cpu_J,n,time_ms\n"), `byte 0: the file begins with "test,com", a binary matrix with "SPELLBIN": say which format it has`)
	})
	t.Run("short text", func(t *testing.T) {
		checkError(t, []byte("{}"), `byte 0: the file begins with "{}", a binary matrix with "SPELLBIN"`)
	})
	t.Run("damage in the beginning", func(t *testing.T) {
		text := smallFile().bytes()
		text[24]++
		checkError(t, text, "byte 32: the checksum of the first 32 bytes is ")
	})
	t.Run("damage in the header", func(t *testing.T) {
		text := smallFile().bytes()
		text[41] = '\''
		checkError(t, text, fmt.Sprintf("byte 12: the checksum of the header is %08x, what was read gives %08x: the file was changed or damaged, copy or write it again",
			crc([]byte(smallHeader+"   ")), crc(text[40:200])))
	})
}

// checkError checks that both ways of reading report want.
func checkError(t *testing.T, text []byte, want string) {
	t.Helper()
	for name, read := range reads {
		m, _, err := read(bytes.NewReader(text), "m.spellbin")
		if err == nil {
			t.Fatalf("%s: no error, and the matrix %+v", name, m)
		}
		if !strings.HasPrefix(err.Error(), "m.spellbin: "+want) {
			t.Errorf("%s:\ngot  %s\nwant m.spellbin: %s", name, err, want)
		}
	}
}

// No bit of a file can flip without being found, and no end can be missing.
func TestReadFindsDamage(t *testing.T) {
	good := smallFile().bytes()
	for name, read := range reads {
		for i := range 8 * len(good) {
			text := bytes.Clone(good)
			text[i/8] ^= 1 << (i % 8)
			if _, _, err := read(bytes.NewReader(text), "m"); err == nil {
				t.Errorf("%s: bit %d of byte %d can flip", name, i%8, i/8)
			}
		}
		for length := 1; length < len(good); length++ {
			_, _, err := read(bytes.NewReader(good[:length]), "m")
			if want := fmt.Sprintf("m: byte %d: the file ends in ", length); length >= 8 && (err == nil || !strings.HasPrefix(err.Error(), want)) {
				t.Errorf("%s: of %d bytes: error %v, want %s", name, length, err, want)
			}
		}
	}
}

// An input that breaks off is an error of the input, wherever it does.
func TestReadReportsTheInputsError(t *testing.T) {
	broken := errors.New("the disk is gone")
	text := smallFile().bytes()
	for name, read := range reads {
		for length := range len(text) + 1 {
			_, _, err := read(io.MultiReader(bytes.NewReader(text[:length]), iotest.ErrReader(broken)), "m.spellbin")
			if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "reading m.spellbin: ") {
				t.Fatalf("%s: after %d bytes: error %v, want %v", name, length, err, broken)
			}
		}
	}
}

// A file may claim what it likes: memory follows what it really has. These are
// 64 million cells, 2 GB, of which none comes.
func TestReadBelievesNoClaim(t *testing.T) {
	var names strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&names, `%q,`, fmt.Sprint(i))
	}
	list := "[" + strings.TrimSuffix(names.String(), ",") + "]"
	text := file{version: 1, cells: 8000 * 8000, header: `{"schema":"spell-lsp/matrix/v1","domains":["cpu"],"tests":` + list + `,"components":` + list + `}`}.bytes()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := binmatrix.Read(bytes.NewReader(text), "m")
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "block 0") {
		t.Errorf("error %v, want one of block 0", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 {
		t.Errorf("%d bytes of memory for a file of %d", used, len(text))
	}
}
