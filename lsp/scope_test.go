package lsp_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
)

// Measuring the package of any file, such as go.mod or a text, measures the package in the folder
// of that file.
func TestPackageOfAnyFile(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l)
	dir := filepath.Dir(parkGo)
	write(t, filepath.Join(dir, "sub", "notes.md"), "# Notes\n")
	for file, want := range map[string]string{
		"go.mod": ".", "sub/notes.md": "./sub", "sub/new.go": "./sub", "sub": "./sub", "not/there.txt": "./not",
	} {
		for _, scope := range []string{"package", "file"} {
			argument := map[string]any{"scope": scope, "uri": lsptest.URI(filepath.Join(dir, file))}
			if _, err := e.Execute("spell-lsp.measure", argument).Wait(); err != nil {
				t.Errorf("%s %s: %v", scope, file, err)
				continue
			}
			if diff := cmp.Diff([]string{want}, (<-l.requests).Patterns); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", scope, file, diff)
			}
		}
	}
}

// An init function runs before the tests, so no test reaches it: measuring it is not offered, and
// a request to do so is an error that says why.
func TestInitIsNotMeasured(t *testing.T) {
	l := newLab(map[string]cost{"init.0": {n: 1, ms: 1, joules: 1}})
	dir := module(t, map[string]string{"a.go": "package park\n\nfunc init() { println(1) }\n"})
	e, _ := serve(t, lspOptions(l))
	e.Folders = []string{dir}
	modern(e)
	e.Start()
	path := filepath.Join(dir, "a.go")
	e.Open(path)
	measure(t, e)
	<-l.requests
	offered := titles(actionsAt(t, e, path, "init"))
	if len(offered) == 0 || slices.Contains(offered, "Measure energy of init") {
		t.Errorf("offered: %q", offered)
	}
	_, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "function", "uri": lsptest.URI(path), "name": "init"}).Wait()
	if err == nil || err.Code != -32602 || !strings.Contains(err.Message, "measure the package") {
		t.Errorf("measuring init: %v", err)
	}
	if len(l.requests) > 0 {
		t.Error("something was measured")
	}
}
