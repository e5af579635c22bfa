package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/input"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// matrixText is a matrix with two tests and the components park.Sort and park.Add.
const matrixText = `test,component,file,line,cpu_J,n,time_ms
t1,park.Sort,park.go,12,4,9,600
t1,park.Add,park.go,3,1,2,100
t2,park.Sort,park.go,12,3,8,500
`

func load(t *testing.T, name, text string) (*record.Run, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return loadForEditor(path, settings.Default())
}

// What any tool wrote can be loaded into the editor, ranked, in every format; also
// where the name does not tell which one it is.
func TestEveryReportThatHasAMatrixIsLoaded(t *testing.T) {
	run, err := load(t, "park.csv", matrixText)
	if err != nil {
		t.Fatal(err)
	}
	reports := reportsForEditor()
	var formats []string
	for _, format := range input.Formats() {
		if format != "trace" && format != "spell" && format != input.GZoltar { // which have no names of files, or no energy
			formats = append(formats, format)
		}
	}
	for _, format := range append(formats, "json-matrix") {
		var file bytes.Buffer
		if err := reports[format](&file, run, nil, nil); err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		got, err := load(t, "result", file.String())
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		if diff := cmp.Diff(ranked(run), ranked(got)); diff != "" {
			t.Errorf("%s: ranking (-written +loaded):\n%s", format, diff)
		}
	}
	for format, want := range map[string]string{"spell": "[ cpu = 4, n = 9, t = 600 ]", "trace": "park_2eSort [ cpu = 4, t = 600 ]", "text": "park.Sort"} {
		var file bytes.Buffer
		if err := reports[format](&file, run, nil, nil); err != nil || !strings.Contains(file.String(), want) {
			t.Errorf("%s: error %v, want a report with %q:\n%s", format, err, want, file.String())
			continue
		}
		if format == "text" {
			continue
		}
		if got, err := load(t, "result.txt", file.String()); err != nil || len(got.Components) != 2 || got.Components[0].Psi != run.Components[0].Psi {
			t.Errorf("%s: loaded is %+v, error %v", format, got, err)
		}
	}
}

// ranked is what a run says of its components.
func ranked(r *record.Run) map[string]any {
	rows := make(map[string]any)
	for _, c := range r.Components {
		rows[c.ID] = []any{c.Rank, c.Psi, c.Zone, c.N, c.File, c.Line}
	}
	return rows
}

// What cannot be shown is refused with what to do.
func TestLoadRefuses(t *testing.T) {
	for name, test := range map[string]struct{ file, text, want string }{
		"a text":        {"notes.txt", "hello, world", "cannot tell the format from the name, nor from what is in it"},
		"nothing":       {"empty", "", "cannot tell the format"},
		"a spectrum":    {"matrix.txt", "1 0 +\n", "pass/fail spectrum"},
		"a broken file": {"bad.csv", strings.Replace(matrixText, "4,9", "x,9", 1), "bad.csv:2:"},
		"another JSON":  {"other.json", `{"schema": "spell-lsp/run/v9"}`, "spell-lsp/run/v9"},
	} {
		if _, err := load(t, test.file, test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		} else if strings.Contains(err.Error(), " --") {
			t.Errorf("%s: an editor is told of a flag: %v", name, err)
		}
	}
	if _, err := loadForEditor(filepath.Join(t.TempDir(), "gone.json"), settings.Default()); err == nil || !strings.Contains(err.Error(), "gone.json") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := loadForEditor("-", settings.Default()); err == nil {
		t.Error("standard input was read, which is the client's")
	}
}

// The ranking is that of the settings: of the weights, and of the tests.
func TestLoadRanksBySettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.csv")
	text := "test,component,cpu_J,dram_J,n,time_ms\nt,a,9,1,1,1\nt,b,1,9,1,1\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for first, weights := range map[string]spell.Weights{"a": {spell.CPU: 1}, "b": {spell.DRAM: 1}} {
		s := settings.Default()
		s.Weights = weights
		run, err := loadForEditor(path, s)
		if err != nil || run.Components[0].ID != first {
			t.Errorf("weights %v: %+v, error %v, want %s first", weights, run, err, first)
		}
	}
}

// An editor drills down into a function by what reaches it and by its blocks.
func TestEditorAsksForOneFunction(t *testing.T) {
	long(t)
	dir := module(t, map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.26\n",
		"m.go":      "package m\n\nfunc F() (n int) {\n\tfor i := range 3 {\n\t\tn += i\n\t}\n\treturn n\n}\n\nfunc G() {}\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestF(*testing.T) { F() }\n\nfunc TestG(*testing.T) { G() }\n",
	})
	s := settings.Default()
	s.Meter = "none"
	id := "example.com/m.F"
	var found []string
	run, err := measureForEditor(t.Context(), lsp.Request{
		Dir: dir, Patterns: []string{"./..."}, Reach: id, Block: id, Rounds: 1, Settings: s, Found: func(files []string) { found = files },
	}, func(lsp.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || filepath.Base(found[0]) != "m.go" {
		t.Errorf("found %v, want m.go", found)
	}
	calls := make(map[string]float64)
	for _, c := range run.Components {
		calls[c.ID] = c.N
	}
	if diff := cmp.Diff(map[string]float64{id: 1, id + "#for1": 3}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if len(run.Tests) != 1 || run.Tests[0].Name != "example.com/m.TestF" {
		t.Errorf("tests are %+v, want TestF alone", run.Tests)
	}
}
