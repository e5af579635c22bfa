package suspects_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/csvtext"
	"spell-lsp/spell/suspects"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A spectrum is a matrix with what became of its tests.
type spectrum struct {
	m      *spell.Matrix
	failed []bool
}

// lines makes a spectrum of a line for each test: 1 where it ran the component,
// and + or - at the end.
func lines(components []spell.Component, text string) spectrum {
	s := spectrum{m: &spell.Matrix{Components: components}}
	for t, line := range strings.Split(strings.TrimSpace(text), "\n") {
		s.m.Tests = append(s.m.Tests, "t"+strconv.Itoa(t+1))
		fields := strings.Fields(line)
		for j, field := range fields[:len(fields)-1] {
			if field == "1" {
				s.m.Add(spell.Cell{Test: int32(t), Component: int32(j), N: 1})
			}
		}
		s.failed = append(s.failed, fields[len(fields)-1] == "-")
	}
	return s
}

func named(ids ...string) []spell.Component {
	var list []spell.Component
	for _, id := range ids {
		list = append(list, spell.Component{ID: id})
	}
	return list
}

// mid is the example that GZoltar's repository has with its results: the median
// of three numbers, wrong in line 13.
func mid() spectrum {
	var lines13 []spell.Component
	for _, line := range []int{3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17} {
		method := "mid(int,int,int)"
		if line == 3 {
			method = "App()"
		}
		lines13 = append(lines13, spell.Component{ID: "mypackage$App#" + method + ":" + strconv.Itoa(line), Package: "mypackage", Line: line})
	}
	return lines(lines13, `
1 1 1 0 0 0 0 0 1 1 0 0 1 -
1 1 1 0 0 0 0 0 1 0 1 0 1 +
1 1 1 1 0 1 1 1 0 0 0 0 1 +
1 1 1 0 0 0 0 0 1 0 1 1 1 +
1 1 1 1 0 1 0 0 0 0 0 0 1 +
1 1 1 0 0 0 0 0 1 0 1 0 1 +`)
}

// shop has components of two packages with their places.
func shop() spectrum {
	s := lines([]spell.Component{
		{ID: "shop.Cart.Add", Package: "shop", File: "cart.go", Line: 12},
		{ID: "shop.Cart.Total", Package: "shop", File: "cart.go", Line: 30},
		{ID: "tax.Rate", Package: "tax", File: "tax/rate.go", Line: 5},
		{ID: "tax.Round", Package: "tax", File: "tax/rate.go"},
		{ID: "main.init", Package: "main"},
		{ID: "shop.Refund", Package: "shop", File: "refund.go", Line: 8},
		{ID: "shop.refundable", Package: "shop", File: "refund.go", Line: 20},
	}, `
1 1 1 0 0 0 0 -
1 0 0 1 0 0 0 +
1 1 1 1 0 0 0 -
1 0 0 0 0 1 1 +`)
	for i := range s.m.Cells {
		s.m.Cells[i].N = float64(3 + i) // no two have been called equally often
	}
	return s
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// The pages as a reader sees them. If one is meant to change, run go test -update
// and read the difference.
func TestPages(t *testing.T) {
	hostile := named("a|b\n# head", "<b>\x1b[2J", "[x](javascript:y)", "*_`~@me :smile: $1$")
	for _, test := range []struct {
		name string
		of   spectrum
		c    spell.Coefficient
		o    suspects.Options
	}{
		{"mid-ochiai", mid(), spell.Ochiai, suspects.Options{}},
		{"mid-tarantula", mid(), spell.Tarantula, suspects.Options{Top: -1}},
		{"shop-jaccard", shop(), spell.JaccardCoefficient, suspects.Options{}},
		{"top-1", shop(), spell.Ochiai, suspects.Options{Top: 1}},
		{"color", shop(), spell.Ochiai, suspects.Options{Color: true}},
		{"no-test", spectrum{m: &spell.Matrix{Components: named("a", "b")}}, spell.Ochiai, suspects.Options{}},
		{"no-component", lines(nil, "+\n-"), spell.Ochiai, suspects.Options{}},
		{"none-failed", lines(named("a", "b", "c"), "1 1 0 +\n0 0 1 +"), spell.Ochiai, suspects.Options{}},
		{"all-failed", lines(named("a", "b", "c"), "1 1 0 -\n1 0 1 -"), spell.Ochiai, suspects.Options{}},
		{"failed-ran-nothing", lines(named("a", "b", "c"), "0 0 0 -\n1 1 0 +\n1 0 1 +"), spell.Ochiai, suspects.Options{}},
		{"two-failed-ran-nothing", lines(named("a", "b"), "0 0 -\n1 0 +\n0 0 -"), spell.Ochiai, suspects.Options{}},
		{"large-group", lines(named("a", "b", "c", "d", "e", "f", "g"), "1 1 1 1 1 1 1 -\n1 1 1 1 1 1 0 +"), spell.Ochiai, suspects.Options{}},
		{"hostile", lines(hostile, "1 1 1 1 -\n1 0 1 0 +\n0 0 1 0 -"), spell.Ochiai, suspects.Options{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := suspects.New("sfl/"+test.name+"/matrix.txt", test.of.m, test.of.failed, test.c)
			var text, markdown bytes.Buffer
			if err := errors.Join(suspects.Text(&text, r, test.o), suspects.Markdown(&markdown, r, test.o)); err != nil {
				t.Fatal(err)
			}
			golden(t, test.name+".txt", text.Bytes())
			golden(t, test.name+".md", markdown.Bytes())
		})
	}
}

// No page has a tab, blanks at the end of a line, or a control character that a
// name brought along.
func TestPagesAreClean(t *testing.T) {
	s := lines(named("a\tb ", "c\x1b]0;x\a", "d\u202e", "\xff"), "1 1 1 1 -\n0 1 1 0 +\n1 0 1 0 -")
	s.m.Tests = []string{"t\n1", "t\r2", "t\x003"}
	r := suspects.New("m\x1b.txt", s.m, s.failed, spell.Ochiai)
	for name, write := range map[string]func(io.Writer, suspects.Result, suspects.Options) error{"text": suspects.Text, "markdown": suspects.Markdown} {
		var b bytes.Buffer
		if err := write(&b, r, suspects.Options{}); err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(b.String(), "\n") {
			if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == '\u202e' || r == '\ufffd' }) || strings.HasSuffix(line, " ") {
				t.Errorf("%s, line %d: %q", name, i+1, line)
			}
		}
	}
}

// The file for other programs, with everything: also what the pages leave out.
func TestFiles(t *testing.T) {
	for _, test := range []struct {
		name string
		of   spectrum
	}{{"mid", mid()}, {"shop", shop()}, {"empty", spectrum{m: &spell.Matrix{}}}} {
		r := suspects.New(test.name, test.of.m, test.of.failed, spell.Ochiai)
		var asJSON, asCSV bytes.Buffer
		if err := errors.Join(suspects.JSON(&asJSON, r), suspects.CSV(&asCSV, r)); err != nil {
			t.Fatal(err)
		}
		golden(t, test.name+".json", asJSON.Bytes())
		golden(t, test.name+".csv", asCSV.Bytes())
	}
}

// A consumer gets every score to the last bit, and the names as they are.
func TestFilesLoseNothing(t *testing.T) {
	s := shop()
	s.m.Components[0].ID = "a \"b\",\nc <&> ü"
	s.m.Components[1].ID = "=1+1" // which a spreadsheet would execute
	r := suspects.New("", s.m, s.failed, spell.Ochiai)
	var asJSON, asCSV bytes.Buffer
	if err := errors.Join(suspects.JSON(&asJSON, r), suspects.CSV(&asCSV, r)); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema   string
		Suspects []struct {
			Score     float64
			Component string
		}
	}
	if err := json.Unmarshal(asJSON.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&asCSV).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got.Schema != suspects.Schema || len(got.Suspects) != len(r.Suspects) || len(lines) != 1+len(r.Suspects) {
		t.Fatalf("schema %q with %d suspects and %d lines of CSV, want %q with %d", got.Schema, len(got.Suspects), len(lines), suspects.Schema, len(r.Suspects))
	}
	for i, want := range r.Suspects {
		id := s.m.Components[want.Component].ID
		score, err := strconv.ParseFloat(lines[1+i][1], 64)
		if g := got.Suspects[i]; g.Component != id || g.Score != want.Score || csvtext.Decode(lines[1+i][4]) != id || strings.HasPrefix(lines[1+i][4], "=") || score != want.Score || err != nil {
			t.Errorf("JSON has %q with %v, CSV %q with %v (%v), want %q with %v", g.Component, g.Score, lines[1+i][4], score, err, id, want.Score)
		}
	}
}

// A coefficient that does not exist is Ochiai, and the result says so; what is
// known of the tests may be less or more than there are.
func TestNew(t *testing.T) {
	s := shop()
	for _, failed := range [][]bool{{true}, {true, false, false, false, true, true}} {
		r := suspects.New("x", s.m, failed, "phi")
		if r.Coefficient != spell.Ochiai || r.Failed != 1 {
			t.Errorf("%s of %d failed tests, want ochiai of 1", r.Coefficient, r.Failed)
		}
		if diff := cmp.Diff(spell.Suspects(s.m, failed, spell.Ochiai), r.Suspects); diff != "" {
			t.Errorf("suspects (-want +got):\n%s", diff)
		}
	}
	if r := suspects.New("x", s.m, s.failed, spell.Tarantula); r.Coefficient != spell.Tarantula || r.Failed != 2 {
		t.Errorf("%s of %d failed tests, want tarantula of 2", r.Coefficient, r.Failed)
	}
}

// Of hundreds of groups each has a mark of its own.
func TestMarksOfManyGroups(t *testing.T) {
	var components []spell.Component
	m := &spell.Matrix{}
	for i := range 1500 {
		components = append(components, spell.Component{ID: "c" + strconv.Itoa(i)})
		if i%2 == 0 {
			m.Tests = append(m.Tests, "t"+strconv.Itoa(i))
		}
		m.Add(spell.Cell{Test: int32(i / 2), Component: int32(i), N: 1})
	}
	m.Components = components
	failed := make([]bool, len(m.Tests))
	for i := range failed {
		failed[i] = true
	}
	var b bytes.Buffer
	if err := suspects.Text(&b, suspects.New("", m, failed, spell.Ochiai), suspects.Options{Top: -1}); err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(b.String(), "\nGroups:\n")
	seen := map[string]bool{}
	for line := range strings.Lines(list) {
		if fields := strings.Fields(line); strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "    ") {
			seen[fields[0]] = true
		}
	}
	if len(seen) != 750 || !seen["A"] || !seen["Z"] || !seen["AA"] || !seen["AZ"] || !seen["BA"] || !seen["ABV"] {
		t.Errorf("%d marks, want 750 from A to ABV", len(seen))
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWritingReportsTheOutputsError(t *testing.T) {
	s := mid()
	r := suspects.New("x", s.m, s.failed, spell.Ochiai)
	for name, err := range map[string]error{
		"text":     suspects.Text(full{}, r, suspects.Options{}),
		"markdown": suspects.Markdown(full{}, r, suspects.Options{}),
		"csv":      suspects.CSV(full{}, r),
		"json":     suspects.JSON(full{}, r),
	} {
		if !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), "writing the suspects") {
			t.Errorf("%s: error %v, want that of the output", name, err)
		}
	}
}
