package toolkit_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/toolkit"
)

// numbered is a matrix without cells, of the names that the format gives.
func numbered(tests, components int, list ...spell.Domain) *spell.Matrix {
	m := &spell.Matrix{Domains: list}
	for i := range tests {
		m.Tests = append(m.Tests, "t"+strconv.Itoa(i+1))
	}
	for j := range components {
		m.Components = append(m.Components, spell.Component{ID: "c" + strconv.Itoa(j+1)})
	}
	return m
}

// small is what every text of TestReadMatrix says: two tests, two components,
// one empty cell.
func small() *spell.Matrix {
	m := numbered(2, 2, spell.CPU)
	m.Add(spell.Cell{Test: 0, Component: 0, N: 1, TimeMS: 75}, 37)
	m.Add(spell.Cell{Test: 0, Component: 1, N: 2, TimeMS: 102}, 61)
	m.Add(spell.Cell{Test: 1, Component: 1, N: 3, TimeMS: 77.5}, 38.25)
	return m
}

func readMatrix(t *testing.T, text string) *spell.Matrix {
	t.Helper()
	m, err := toolkit.ReadMatrix(strings.NewReader(text), "m.spell")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return m
}

// One matrix can be written in many ways.
func TestReadMatrix(t *testing.T) {
	for _, test := range []struct{ name, text string }{
		{"as in the toolkit's README", "[ [ cpu = 37, n = 1, t = 75 ] [ cpu = 61, n = 2, t = 102 ] ]\n[ _ [ cpu = 38.25, n = 3, t = 77.5 ] ]\n"},
		{"as the toolkit prints it", "[[ t = 7.5E1, n = 1, cpu = 37.0 ][ t = 1.02E2, n = 2, cpu = 61.0 ]]\n[ _ [ t = 77.5, n = 3, cpu = 3.825E1 ]]\n"},
		{"no blanks", "[[cpu=37,n=1,t=75][cpu=61,n=2,t=102]]\n[_[cpu=38.25,n=3,t=77.5]]\n"},
		{"any order, n left out", "[ [ t = 75, cpu = 37 ] [ n = 2, t = 102, cpu = 61 ] ]\n[ 0 [ t = 77.5, n = 3, cpu = 38.25 ] ]\n"},
		{"CRLF, byte order mark", "\ufeff[ [ cpu = 37, n = 1, t = 75 ] [ cpu = 61, n = 2, t = 102 ] ]\r\n[ _ [ cpu = 38.25, n = 3, t = 77.5 ] ]\r\n"},
		{"CR", "[ [ cpu = 37, n = 1, t = 75 ] [ cpu = 61, n = 2, t = 102 ] ]\r[ _ [ cpu = 38.25, n = 3, t = 77.5 ] ]\r"},
		{"blank lines", "\n \t\n[ [ cpu = 37, n = 1, t = 75 ] [ cpu = 61, n = 2, t = 102 ] ] \n\r\n\n[ _ [ cpu = 38.25, n = 3, t = 77.5 ] ]\t\n\n"},
		{"no line break at the end", "[ [ cpu = 37, n = 1, t = 75 ] [ cpu = 61, n = 2, t = 102 ] ]\n\t[ _ [ cpu = 38.25, n = 3, t = 77.5 ] ]"},
		{"the framework's", "[ e = 37, n = 1, t = 75 ] [ e = 61, n = 2, t = 102 ]\n_ [ e = 38.25, n = 3, time = 77.5 ]\n"},
	} {
		if diff := cmp.Diff(small(), readMatrix(t, test.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// A domain that only some cells have is 0 in the others, as for the original,
// and stands where the file first has it, also if the rows before are in
// another block.
func TestReadMatrixDomains(t *testing.T) {
	text := "[ [ n = 2 ] [ disk = 1, cpu = 2 ] 1 ]\n[ [ cpu = 3, dram = 4 ] _ [ net = 5, gpu = 6, fans = 7, ram = 8 ] ]\n"
	want := numbered(2, 3, spell.Disk, spell.CPU, spell.DRAM, spell.Net, spell.GPU, spell.Fans)
	want.Add(spell.Cell{Test: 0, Component: 0, N: 2}, 0, 0, 0, 0, 0, 0)
	want.Add(spell.Cell{Test: 0, Component: 1, N: 1}, 1, 2, 0, 0, 0, 0)
	want.Add(spell.Cell{Test: 0, Component: 2, N: 1}, 0, 0, 0, 0, 0, 0)
	want.Add(spell.Cell{Test: 1, Component: 0, N: 1}, 0, 3, 4, 0, 0, 0)
	want.Add(spell.Cell{Test: 1, Component: 2, N: 1}, 0, 0, 8, 5, 6, 7)
	for _, size := range []int{1, 1000} {
		got, err := toolkit.ReadMatrixInBlocks(strings.NewReader(text), "m.spell", size)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in blocks of %d (-want +got):\n%s", size, diff)
		}
	}
}

// Cells without any value stay cells, and a matrix need not have one.
func TestReadMatrixOfNothing(t *testing.T) {
	zero := numbered(1, 2, spell.CPU)
	zero.Add(spell.Cell{Component: 1}, 0)
	for _, test := range []struct {
		text string
		want *spell.Matrix
	}{
		{"[ _ [ cpu = 0, n = 0, t = 0 ] ]", zero},
		{"[ _ 0 ]\n[ _ _ ]\n", numbered(2, 2)},
		{"_\n", numbered(1, 1)},
	} {
		if diff := cmp.Diff(test.want, readMatrix(t, test.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

// Every error says where it is, what is wrong and what to do, also in a later
// block, and it is the first one of the file.
func TestReadMatrixErrors(t *testing.T) {
	const (
		form   = "; write a group such as [ cpu = 37, n = 1, t = 75 ], or _ for an empty cell"
		number = "; write a number of at least 0 with a decimal point, such as 0.5 or 5e-1"
		line   = "; write each test on one line, between [ and ]"
		keys   = "; the keys are cpu, ram, dram, disk, fans, gpu, net, n, t, time"
		row    = "[ [ cpu = 1 ] _ ]\n"
	)
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "m.spell:1:1: the file is empty; write a line such as [ [ cpu = 37, n = 1, t = 75 ] _ ] for each test"},
		{"blank", "\n\n \t\r\n", "m.spell:1:1: the file is empty; write a line such as [ [ cpu = 37, n = 1, t = 75 ] _ ] for each test"},
		{"text", row + "hello\n", `m.spell:2:1: "hello" is no cell` + form},
		{"empty row", row + "[ ]\n", "m.spell:2:3: the row has no cell" + form},
		{"empty group", "[ [ ] ]\n", `m.spell:1:5: "]" where a key was expected` + form},
		{"fewer cells", row + "\n[ _ ]\n" + row, "m.spell:3:1: the row has 1 cells, that in line 1 has 2; give every row one cell for each component, _ for one that the test did not run"},
		{"more cells", "\n" + row + row + " [ _ _ 0 ]\n[ x ]\n", "m.spell:4:2: the row has 3 cells, that in line 2 has 2; give every row one cell for each component, _ for one that the test did not run"},
		{"unknown key", row + "[ [ cpu = 1, rma = 2 ] _ ]\n", `m.spell:2:14: key "rma" is not known; did you mean ram?` + keys},
		{"nothing like it", "[ [ joules = 1 ] ]", `m.spell:1:5: key "joules" is not known` + keys},
		{"module", "[ [ m = x ] ]", `m.spell:1:5: key "m" is not known; did you mean n?` + keys},
		{"key twice", "[ [ t = 1, cpu = 1, time = 2 ] ]", "m.spell:1:21: a second value for t; keep one"},
		{"domain twice", "[ [ ram = 1, dram = 1 ] ]", "m.spell:1:14: a second value for ram; keep one"},
		{"no =", "[ [ cpu 37 ] ]", `m.spell:1:9: "37" where = was expected` + form},
		{"no number", "[ [ cpu = , t = 1 ] ]", "m.spell:1:11: a number is missing" + number},
		{"no comma", "[ [ cpu = 37 t = 1 ] ]", `m.spell:1:14: "t" where a comma or ] was expected` + form},
		{"negative", row + "\n[ [ cpu = -3 ] _ ]\n", `m.spell:3:11: "-3" is negative` + number},
		{"plus", "[ [ cpu = +3 ] ]", `m.spell:1:11: "+3" is not a number` + number},
		{"NaN", "[ [ cpu = NaN ] ]", `m.spell:1:11: "NaN" is not a number` + number},
		{"infinite", "[ [ t = Inf ] ]", `m.spell:1:9: "Inf" is too large or not finite` + number},
		{"too large", "[ [ t = 1e61 ] ]", `m.spell:1:9: "1e61" is too large or not finite` + number},
		{"too large for a float", "[ [ n = 1e999 ] ]", `m.spell:1:9: "1e999" is too large or not finite` + number},
		{"two points", "[ [ n = 1.2.3 ] ]", `m.spell:1:9: "1.2.3" is not a number` + number},
		{"hexadecimal", "[ [ n = 0x10 ] ]", `m.spell:1:9: "0x10" is not a number` + number},
		{"unit", "[ [ t = 5ms ] ]", `m.spell:1:9: "5ms" is not a number` + number},
		{"number for a cell", "[ 37 _ ]", `m.spell:1:3: "37" is no cell` + form},
		{"fraction for a cell", "[ 0.5 _ ]", `m.spell:1:3: "0.5" is no cell` + form},
		{"row goes on", "[ [ cpu = 1 ]\n_ ]\n", "m.spell:1:14: the row ends without its ]" + line},
		{"row goes on, CRLF", "[ _\r\n_ ]\r\n", "m.spell:1:4: the row ends without its ]" + line},
		{"file ends in a row", "[ _ ", "m.spell:1:5: the row ends without its ]" + line},
		{"group goes on", "[ [ cpu = 1,\nt = 1 ] ]\n", "m.spell:1:13: the group ends without its ]" + line},
		{"group is open", "[ [ cpu = 1\n", "m.spell:1:12: the group ends without its ]" + line},
		{"two rows on a line", "[ _ ] [ _ ]\n", `m.spell:1:7: "[" stands behind the end of the row; write each test on a line of its own`},
		{"totals", "[ cpu = 1 ] _ > [ cpu = 1 ] | 0\n", "m.spell:1:15: a total of the row; leave out what stands behind the components: totals are made from these"},
		{"parameter alone", "[ cpu = 1, n = 1 ]\nn = 1\n", `m.spell:2:1: "n" is no cell` + form},
		{"not UTF-8", "[ \xff ]", `m.spell:1:3: "\xff" is no cell` + form},
		{"error behind an error", "[ ? ]\n[ ! ]\n[ _\n", `m.spell:1:3: "?" is no cell` + form},
	} {
		for _, size := range []int{1, 20, 1 << 20} {
			m, err := toolkit.ReadMatrixInBlocks(strings.NewReader(test.text), "m.spell", size)
			if err == nil || err.Error() != test.want {
				t.Errorf("%s, in blocks of %d: %v, error\n%v, want\n%s", test.name, size, m, err, test.want)
			}
		}
	}
}

// Of the rows before a fault of the input nothing is given, as it is not all.
func TestReadMatrixReportsTheInputsError(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, text := range []string{"", "[ _ ]\n", "[ _ "} {
		in := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(text + "[ _ ]\n")))
		if _, err := toolkit.ReadMatrix(in, "m.spell"); !errors.Is(err, iotest.ErrTimeout) {
			t.Errorf("%q: error %v, want %v", text, err, iotest.ErrTimeout)
		}
	}
	if _, err := toolkit.ReadMatrix(stuck{}, "m.spell"); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("error %v, want %v", err, io.ErrNoProgress)
	}
	_, err := toolkit.ReadMatrix(iotest.ErrReader(broken), "m.spell")
	if want := "reading m.spell: disk on fire"; !errors.Is(err, broken) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// However the input comes in, in whatever blocks, and however long a line is,
// the matrix is the same.
func TestReadMatrixInBlocks(t *testing.T) {
	var b strings.Builder
	want := numbered(200, 50, spell.CPU, spell.DRAM)
	for i := range 200 {
		b.WriteString("[")
		for j := range 50 {
			if (i+j)%7 == 0 {
				b.WriteString(" _")
				continue
			}
			cpu, ram := float64(i*j)/8, float64(i)/1000
			fmt.Fprintf(&b, " [ cpu = %v, ram = %v, n = %d, t = %d ]", cpu, ram, j, i)
			want.Add(spell.Cell{Test: int32(i), Component: int32(j), N: float64(j), TimeMS: float64(i)}, cpu, ram)
		}
		b.WriteString(" ]\n" + strings.Repeat("\n", i%3))
	}
	for _, size := range []int{1, 100, 5000, 1 << 14, 1 << 20} {
		whole := strings.NewReader(b.String()) // tells its length
		for _, in := range []io.Reader{whole, iotest.HalfReader(strings.NewReader(b.String()))} {
			got, err := toolkit.ReadMatrixInBlocks(in, "m.spell", size)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%T, in blocks of %d (-want +got):\n%s", in, size, diff)
			}
		}
	}
}

// The example of the toolkit's README, to the digits that the tool makes of it.
func TestREADMEOfTheToolkit(t *testing.T) {
	f, err := os.Open("../testdata/golden/toolkit-readme.spell")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := toolkit.ReadMatrix(f, "toolkit-readme.spell")
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{.24664244922, .46778672348, .14496411045, .14060671685}
	rows := spell.Rank(m, spell.Options{}).Rows
	if len(m.Tests) != 5 || len(m.Cells) != 17 || len(rows) != len(want) {
		t.Fatalf("%d tests, %d cells, %d components; want 5, 17, %d", len(m.Tests), len(m.Cells), len(rows), len(want))
	}
	for _, row := range rows {
		if !(math.Abs(row.Psi-want[row.Component]) <= 1e-11) {
			t.Errorf("psi of %s = %.11f, want %.11f", m.Components[row.Component].ID, row.Psi, want[row.Component])
		}
	}
}
