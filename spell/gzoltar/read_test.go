package gzoltar_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/gzoltar"
)

// The spectrum of mid() that GZoltar's repository has as an example of its text
// report, with the values that GZoltar found for it.
const (
	midMatrix = `1 1 1 0 0 0 0 0 1 1 0 0 1 -
1 1 1 0 0 0 0 0 1 0 1 0 1 +
1 1 1 1 0 1 1 1 0 0 0 0 1 +
1 1 1 0 0 0 0 0 1 0 1 1 1 +
1 1 1 1 0 1 0 0 0 0 0 0 1 +
1 1 1 0 0 0 0 0 1 0 1 0 1 +
`
	midTests = `name,outcome,runtime,stacktrace
mypackage.AppTest#test1,FAIL,4536873,java.lang.AssertionError: expected:<3>, but was:<2> at org.junit.Assert.fail(Assert.java:88)
mypackage.AppTest#test2,PASS,135872,
mypackage.AppTest#test3,PASS,195918,
mypackage.AppTest#test4,PASS,254644,
mypackage.AppTest#test5,PASS,92444,
mypackage.AppTest#test6,PASS,117579,
`
)

func midSpectra() string {
	text := "name\nmypackage$App#App():3\n"
	for _, line := range []int{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17} {
		text += fmt.Sprintf("mypackage$App#mid(int,int,int):%d\n", line)
	}
	return text
}

func mid(t *testing.T) *gzoltar.Spectrum {
	t.Helper()
	s, err := gzoltar.Read(strings.NewReader(midMatrix), "matrix.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.NameComponents(strings.NewReader(midSpectra()), "spectra.csv"); err != nil {
		t.Fatal(err)
	}
	if err := s.NameTests(strings.NewReader(midTests), "tests.csv"); err != nil {
		t.Fatal(err)
	}
	return s
}

// What GZoltar found for its own example must come out: the scores of
// ochiai.ranking.csv and the uniqueness of statistics.csv.
func TestReadGZoltarsExample(t *testing.T) {
	s := mid(t)
	published := map[int]float64{13: 1, 12: 0.5, 3: 0.4082482904638631, 5: 0.4082482904638631, 6: 0.4082482904638631, 17: 0.4082482904638631}
	for _, suspect := range spell.Suspects(s.Matrix, s.Failed, spell.Ochiai) {
		line := s.Matrix.Components[suspect.Component].Line
		if math.Abs(suspect.Score-published[line]) > 1e-15 {
			t.Errorf("line %d has %v, GZoltar %v", line, suspect.Score, published[line])
		}
	}
	if d := spell.Diagnose(s.Matrix); d.Uniqueness != 0.6153846153846154 {
		t.Errorf("uniqueness is %v, GZoltar's 0.6153846153846154", d.Uniqueness)
	}
	want := spell.Component{ID: "mypackage$App#mid(int,int,int):13", Package: "mypackage", Line: 13}
	if diff := cmp.Diff(want, s.Matrix.Components[9]); diff != "" {
		t.Errorf("component 9 (-want +got):\n%s", diff)
	}
	if got := s.Matrix.Tests[5]; got != "mypackage.AppTest#test6" {
		t.Errorf("test 5 is %q", got)
	}
}

// Whatever blanks stand between the fields, the spectrum is the same; without names
// tests and components are numbered.
func TestReadBlanks(t *testing.T) {
	want := &gzoltar.Spectrum{Failed: []bool{false, true}, Matrix: &spell.Matrix{
		Tests: []string{"t1", "t2"}, Components: []spell.Component{{ID: "c1"}, {ID: "c2"}},
		Cells: []spell.Cell{{Test: 0, Component: 1, N: 1}, {Test: 1, Component: 0, N: 1}},
	}}
	for _, text := range []string{
		"0 1 +\n1 0 -\n",
		"0 1 +\n1 0 -",
		"\ufeff0 1 +\r\n1 0 -\r\n",
		"\n  0\t1   + \n \n1 0 -\n\n",
	} {
		got, err := gzoltar.Read(iotest.OneByteReader(strings.NewReader(text)), "matrix")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if s, err := gzoltar.Read(strings.NewReader("+\n-\n"), ""); err != nil || len(s.Failed) != 2 || len(s.Matrix.Components) != 0 {
		t.Errorf("two tests without components: %v, %v", s, err)
	}
}

func TestReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "m:1:1: the file has no test; write a line for each test: 0 or 1 for each component, and + or - at the end",
		"\n\n":             "m:3:1: the file has no test; write a line for each test: 0 or 1 for each component, and + or - at the end",
		"1 2 +\n":          `m:1:3: "2" is no part of a spectrum; write 0 or 1 for each component, with blanks between them, and + or - at the end of the line`,
		"1 0 +\n10 +\n":    "m:2:2: there is no blank between two fields; write 0 or 1 for each component, with blanks between them, and + or - at the end of the line",
		"1 0+\n":           "m:1:4: there is no blank between two fields; write 0 or 1 for each component, with blanks between them, and + or - at the end of the line",
		"1 0 + 1\n":        "m:1:7: something stands behind the outcome; begin a new line for each test",
		"1 0 +\n1 0\n":     "m:2:4: the line does not say how the test ended; write + at its end if it passed, - if it failed",
		"1 0 +\n1 0 1 -\n": "m:2:8: the line has 3 components, the first one has 2; give each test 0 or 1 for every component",
		"1 0 +\n-":         "m:2:2: the line has 0 components, the first one has 2; give each test 0 or 1 for every component",
		"\xff\xfe1 +":      `m:1:1: "\xff" is no part of a spectrum; write 0 or 1 for each component, with blanks between them, and + or - at the end of the line`,
	} {
		_, err := gzoltar.Read(strings.NewReader(text), "m")
		if err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	broken := errors.New("broken pipe")
	if _, err := gzoltar.Read(io.MultiReader(strings.NewReader("1 +\n"), iotest.ErrReader(broken)), "m"); !errors.Is(err, broken) {
		t.Errorf("an input that broke gives %v", err)
	}
}

// The names of both forms say their package and line; those that do not say it are
// names as well.
func TestNameComponents(t *testing.T) {
	for name, want := range map[string]spell.Component{
		"org.pkg$Class#method(int[],java.lang.String):12": {Package: "org.pkg", Line: 12},
		"org.pkg$Outer$Inner#<init>():3":                  {Package: "org.pkg", Line: 3},
		"$App#main(java.lang.String[]):5":                 {Line: 5},
		"org.pkg$Class:9":                                 {Package: "org.pkg", Line: 9},
		"org.pkg.Class#25":                                {Package: "org.pkg", Line: 25},
		"org.pkg.Outer$Inner#25":                          {Package: "org.pkg", Line: 25},
		"App#25":                                          {Line: 25},
		"main":                                            {},
		"a:b#c:99999999999":                               {},
	} {
		s, err := gzoltar.Read(strings.NewReader("1 +"), "m")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.NameComponents(strings.NewReader(name+"\r\n"), "spectra"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want.ID = name
		if diff := cmp.Diff(want, s.Matrix.Components[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Tests that are run twice have one name, and stay two tests. A header is none
// where there are only as many lines as names; commas are part of a name up to the
// outcome.
func TestNames(t *testing.T) {
	for _, test := range []struct {
		name, tests string
		want        []string
	}{
		{"repeated", "A\nA\nA (2)\nA\n", []string{"A", "A (3)", "A (2)", "A (4)"}},
		{"a header", "name\nA\nB\nC\nD", []string{"A", "B", "C", "D"}},
		{"no header", "\ufeffname\nA\nB\nC\n", []string{"name", "A", "B", "C"}},
		{"outcomes without a header", "A,PASS,1,\nB,FAIL,2,x,PASS,y\nC,PASS\nD\n", []string{"A", "B", "C", "D"}},
		{"traces that quote anything", "name,outcome,runtime,stacktrace\nA,PASS,1,\nB,FAIL,2,expected:<\t\x00> but was:<\xff\"\r> at p.C.m(C.java:1)\nC,PASS,1,\nD,PASS,1,\n", []string{"A", "B", "C", "D"}},
		{"commas in names", "name,outcome,runtime,stacktrace\nA[1, 2],PASS,1,\nB,FAIL,2,\nC,PASS,,\nD,PASSED,PASS,1,\n", []string{"A[1, 2]", "B", "C", "D,PASSED"}},
	} {
		s, err := gzoltar.Read(strings.NewReader("1 +\n1 -\n1 +\n1 +\n"), "m")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.NameTests(strings.NewReader(test.tests), "tests.csv"); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, s.Matrix.Tests); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestNameErrors(t *testing.T) {
	const do = "; write names as UTF-8 text, each on one line, and the outcome of a test behind a comma"
	for _, test := range []struct {
		spectra, tests, want string
	}{
		{"a\n", "", "f:1:1: the file names 1 components, the matrix has 2; use the files of one run"},
		{"", "", "f:1:1: the file names 0 components, the matrix has 2; use the files of one run"},
		{"name\na\nb\n\n  c\n", "", "f:3:1: the file names 4 components, the matrix has 2; use the files of one run"},
		{"a\nb\x00\n", "", "f:2:1: the name has a line break or another control character" + do},
		{"a\n \xff\n", "", "f:2:2: the name is not UTF-8" + do},
		{"", "A,PASS,1,\n", "f:1:1: the file names 1 tests, the matrix has 2; use the files of one run"},
		{"", "A,PASS,1,\nB,PASS,1,\n", `f:2:3: test "B" passed, and failed in line 2 of those of the matrix; use the files of one run, or correct the outcome`},
		{"", "name,outcome,runtime,stacktrace\nA,FAIL,1,\nB,FAIL,1,\n", `f:2:3: test "A" failed, and passed in line 1 of those of the matrix; use the files of one run, or correct the outcome`},
		{"", "name,outcome\nA,ERROR\nB,FAIL\n", "f:2:1: the line has no outcome; write name,PASS or name,FAIL, and what else there is behind another comma"},
		{"", "A,PASS,1,\nB\tC,FAIL,1,\n", "f:2:1: the name has a line break or another control character" + do},
		{"", "A,PASS,1,\n,FAIL,1,\n", "f:2:1: the name is empty" + do},
	} {
		s, err := gzoltar.Read(strings.NewReader("1 0 +\n1 1 -\n"), "m")
		if err != nil {
			t.Fatal(err)
		}
		if test.tests != "" {
			err = s.NameTests(strings.NewReader(test.tests), "f")
		} else {
			err = s.NameComponents(strings.NewReader(test.spectra), "f")
		}
		if err == nil || err.Error() != test.want {
			t.Errorf("%q%q: got %v, want %s", test.spectra, test.tests, err, test.want)
		}
		if s.Matrix.Tests[0] != "t1" || s.Matrix.Components[0].ID != "c1" {
			t.Errorf("%q%q: an error changed the names", test.spectra, test.tests)
		}
	}
	s := mid(t)
	broken := errors.New("broken pipe")
	if err := s.NameTests(iotest.ErrReader(broken), "f"); !errors.Is(err, broken) {
		t.Errorf("an input that broke gives %v", err)
	}
}

// A user names the folder or the matrix; the names beside it are taken in both forms,
// as far as they are there.
func TestReadFolder(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		path  string
		want  []string // first component, first test
	}{
		{"new", map[string]string{"matrix.txt": "1 +\n", "spectra.csv": "name\np$C#m():1\n", "tests.csv": "name,outcome,runtime,stacktrace\nA,PASS,1,\n"}, "", []string{"p$C#m():1", "A"}},
		{"old", map[string]string{"matrix": "1 +\n", "spectra": "p.C#1\n"}, "matrix", []string{"p.C#1", "t1"}},
		{"alone", map[string]string{"my.txt": "1 +\n"}, "my.txt", []string{"c1", "t1"}},
	} {
		folder := t.TempDir()
		for name, text := range test.files {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := gzoltar.ReadFolder(filepath.Join(folder, test.path))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(test.want, []string{s.Matrix.Components[0].ID, s.Matrix.Tests[0]}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestReadFolderErrors(t *testing.T) {
	folder := t.TempDir()
	if _, err := gzoltar.ReadFolder(folder); err == nil || !strings.Contains(err.Error(), "has neither matrix.txt nor matrix: name the folder that GZoltar wrote its text report to") {
		t.Errorf("an empty folder gives %v", err)
	}
	if _, err := gzoltar.ReadFolder(filepath.Join(folder, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder gives %v", err)
	}
	for _, name := range []string{"matrix", "tests"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("1 +\n0 +\n0 -\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "spectra.csv"), []byte("a\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(folder, "spectra.csv") + ":2:1: the file names 2 components"
	if _, err := gzoltar.ReadFolder(folder); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("files that do not fit give %v, want %s...", err, want)
	}
}
