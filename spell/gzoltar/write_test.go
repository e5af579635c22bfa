package gzoltar_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/gzoltar"
)

// The matrix and the names of GZoltar's example are written as GZoltar wrote them;
// the times and stack traces, which nobody keeps, are not.
func TestWrite(t *testing.T) {
	var matrix, spectra, tests bytes.Buffer
	if err := gzoltar.Write(&matrix, &spectra, &tests, mid(t)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(midMatrix, matrix.String()); diff != "" {
		t.Errorf("matrix.txt (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(midSpectra(), spectra.String()); diff != "" {
		t.Errorf("spectra.csv (-want +got):\n%s", diff)
	}
	if want := "name,outcome,runtime,stacktrace\nmypackage.AppTest#test1,FAIL,0,\nmypackage.AppTest#test2,PASS,0,\n"; !strings.HasPrefix(tests.String(), want) {
		t.Errorf("tests.csv is\n%s", tests.String())
	}
	if err := gzoltar.Write(&matrix, nil, nil, mid(t)); err != nil || matrix.String() != midMatrix+midMatrix {
		t.Errorf("a second matrix alone: %v", err)
	}
}

// A component ran if it was counted or took time, whatever the rest of the cell says.
func TestWriteCells(t *testing.T) {
	s := &gzoltar.Spectrum{Failed: []bool{true}, Matrix: &spell.Matrix{Domains: []spell.Domain{spell.CPU}, Tests: []string{"T"}}}
	for j, c := range []spell.Cell{{N: 7}, {TimeMS: 0.5}, {}} {
		c.Component = int32(j)
		s.Matrix.Components = append(s.Matrix.Components, spell.Component{ID: fmt.Sprint("C", j)})
		s.Matrix.Add(c, 1)
	}
	var matrix bytes.Buffer
	if err := gzoltar.Write(&matrix, nil, nil, s); err != nil || matrix.String() != "1 1 0 -\n" {
		t.Errorf("wrote %q, %v", matrix.String(), err)
	}
}

// What would be read as something else is refused before anything is written.
func TestWriteRefuses(t *testing.T) {
	spectrum := func(component, test string, failed ...bool) *gzoltar.Spectrum {
		return &gzoltar.Spectrum{Failed: failed, Matrix: &spell.Matrix{Tests: []string{test}, Components: []spell.Component{{ID: component}}}}
	}
	invalid := spectrum("C", "T", false)
	invalid.Matrix.Add(spell.Cell{Test: 1})
	for _, test := range []struct {
		s    *gzoltar.Spectrum
		want string
	}{
		{invalid, "cell 0 is at test 1, component 0 of a matrix of 1 x 1"},
		{spectrum("C", "T"), "there are 0 outcomes for 1 tests"},
		{spectrum("", "T", false), `the name of component "" is empty`},
		{spectrum("a\nb", "T", false), `the name of component "a\nb" has a control character`},
		{spectrum("C", " T", false), `the name of test " T" has blanks around it`},
		{spectrum("C", "T,PASS", false), `the name of test "T,PASS" has what looks like its outcome`},
	} {
		var matrix bytes.Buffer
		err := gzoltar.Write(&matrix, nil, nil, test.s)
		if err == nil || err.Error() != "writing a GZoltar spectrum: "+test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
		if matrix.Len() > 0 {
			t.Errorf("%v, and %q was written", err, matrix.String())
		}
	}
	full := errors.New("disk full")
	if err := gzoltar.Write(nil, writer(func() error { return full }), nil, spectrum("C", "T", false)); !errors.Is(err, full) {
		t.Errorf("a full disk gives %v", err)
	}
}

type writer func() error

func (w writer) Write([]byte) (int, error) { return 0, w() }

// Whatever the files, reading them does not panic; what is taken is valid, and comes
// back the same from what is written of it.
func FuzzRead(f *testing.F) {
	f.Add(midMatrix, midSpectra(), midTests)
	f.Add("1 0 +\n0 1 -\n", "a\na\n", "name\nname,outcome\n")
	f.Add("1 0 +\n0 1 -\n", "name\nb\n", "A,PASS\nA,PASS,FAIL\n")
	f.Add("\ufeff1 +\r\n\r\n", "\ufeffp.C#12\r\n", " A ,PASS,1,\u0085x,FAIL\r\n")
	f.Add("+\n-", "", "name,outcome\nA,PASS\nA (2),FAIL,")
	f.Add("+", "0", "0")
	f.Add("1 +\n", "C", " ,PAES,1,A ,PASS ,PASS,1,\u00859x")
	f.Add("1 -", "p$C#m():3 (2)", "\u00a0,x")
	f.Fuzz(func(t *testing.T, matrix, spectra, tests string) {
		s, err := gzoltar.Read(strings.NewReader(matrix), "m")
		if err != nil {
			return
		}
		_ = s.NameComponents(strings.NewReader(spectra), "s") // an error leaves it as it was
		_ = s.NameTests(strings.NewReader(tests), "t")
		if err := s.Matrix.Validate(); err != nil {
			t.Fatalf("Read took what is not valid: %v", err)
		}
		var a, b, c bytes.Buffer
		if err := gzoltar.Write(&a, &b, &c, s); err != nil {
			t.Fatal(err)
		}
		again, err := gzoltar.Read(&a, "m")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(again.NameComponents(&b, "s"), again.NameTests(&c, "t")); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("read, written and read again (-first +second):\n%s", diff)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := strings.Repeat(strings.Repeat("0 ", 9_900)+strings.Repeat("1 ", 100)+"+\n", 100)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := gzoltar.Read(strings.NewReader(text), ""); err != nil {
			b.Fatal(err)
		}
	}
}
