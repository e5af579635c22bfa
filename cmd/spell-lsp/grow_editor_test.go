package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/lsp"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// growingModule has functions for the editor to grow: one that an edit that is not saved has made, and one for whose
// parameter there is no generator.
func growingModule(t *testing.T) (dir string, r lsp.Request) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/grow\n\ngo 1.26\n",
		"a.go":   "package grow\n\nfunc Total(n int) int { return 0 }\n\nfunc Watch(c chan<- func()) { c <- nil }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := settings.Default()
	s.Meter, s.Warmup = "none", 0
	unsaved := "package grow\n\nfunc Sum(n int) (sum int) {\n\tfor i := range n {\n\t\tsum += i & 7\n\t}\n\treturn sum\n}\n\nfunc Watch(c chan<- func()) { c <- nil }\n"
	return dir, lsp.Request{Dir: dir, Patterns: []string{"."}, Grow: "example.com/grow.Sum", Rounds: 1, Settings: s, Buffers: map[string][]byte{filepath.Join(dir, "a.go"): []byte(unsaved)}}
}

// Why: the editor measures what it shows. A function of an unsaved text is called with growing arguments, by a benchmark
// that nobody finds in the folder afterwards.
func TestEditorMeasuresGrowth(t *testing.T) {
	dir, r := growingModule(t)
	run, err := measureForEditor(t.Context(), r, func(lsp.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	sizes := 0
	for i := range run.Tests {
		if name := run.Tests[i].Name; !strings.HasPrefix(name, "example.com/grow.BenchmarkGrow_Sum") {
			t.Errorf("%s was measured", name)
		}
		if test := &run.Tests[i]; strings.HasPrefix(test.Name, "example.com/grow.BenchmarkGrow_Sum/n=") && test.Outcome == record.Pass && test.PerOperation {
			sizes++
		}
	}
	if sizes < 5 {
		t.Errorf("%d of %d rows are sizes of the benchmark", sizes, len(run.Tests))
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Errorf("the folder has %v (%v), want go.mod and a.go", files, err)
	}
}

// The benchmark that is kept is a file of the package that the user could have written; without a generator there is
// none, and the reason names the parameter.
func TestEditorKeepsTheBenchmark(t *testing.T) {
	dir, r := growingModule(t)
	file, text, err := benchmarkForEditor(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(file) != dir || !strings.HasSuffix(file, "_test.go") || !strings.Contains(string(text), "func BenchmarkGrow_Sum(b *testing.B) {") {
		t.Errorf("the file %s has\n%s", file, text)
	}
	r.Grow = "example.com/grow.Watch"
	if _, _, err = benchmarkForEditor(t.Context(), r); err == nil || !strings.Contains(err.Error(), "parameter c of type chan<- func()") || !strings.Contains(err.Error(), "--arg NAME=fixed:EXPRESSION") {
		t.Errorf("without a generator: %v", err)
	}
}
