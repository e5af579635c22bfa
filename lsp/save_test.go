package lsp_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/store"
)

// shownTexts returns the messages that the user has seen.
func shownTexts(t testing.TB, e *lsptest.Editor) (texts []string) {
	t.Helper()
	for _, m := range e.Messages("window/showMessage") {
		var p struct{ Message string }
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, p.Message)
	}
	return texts
}

// inStore returns the only file that matches a pattern in a store with one workspace.
func inStore(t testing.TB, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "workspaces", "*", pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s in the store: %v, %v", pattern, found, err)
	}
	return found[0]
}

// If a run was saved but older ones could not be removed, the message says exactly that, and the
// run can be the baseline.
func TestSavedButNotTrimmed(t *testing.T) {
	dir, data := module(t, maps.Clone(park)), t.TempDir()
	l, saved := newLab(parkCosts), store.Open(data)
	loaded, err := l.invent(lsp.Request{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	e, _ := serve(t, lsp.Options{Measure: l.measure, Store: saved, Load: loads(loaded)})
	e.Folders = []string{dir}
	e.Start()
	measure(t, e)
	write(t, filepath.Join(inStore(t, data, "baselines"), "broken"), "nothing\n")
	measure(t, e)
	execute(t, e, "load", map[string]any{"path": "run.json"})
	execute(t, e, "setBaseline", map[string]any{"run": loaded.ID})
	if id, ok, err := saved.Baseline(dir, "editor"); id != loaded.ID || !ok || err != nil {
		t.Errorf("the next time the baseline is %q: %v", id, err)
	}
	texts := shownTexts(t, e)
	if len(texts) != 2 {
		t.Errorf("the user is told %q", texts)
	}
	for _, text := range texts {
		if !strings.HasPrefix(text, "spell-lsp: run 2026") || !strings.Contains(text, "was saved, but older ones could not be removed") || !strings.Contains(text, "broken") {
			t.Errorf("the user is told %q", text)
		}
	}
}

// If a saved run cannot be read, the error names its file, instead of saying that there is no
// such run.
func TestDamagedBaseline(t *testing.T) {
	dir, data := module(t, maps.Clone(park)), t.TempDir()
	l, saved := newLab(parkCosts), store.Open(data)
	run, err := l.invent(lsp.Request{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := saved.Save(dir, "", run); err != nil {
		t.Fatal(err)
	}
	file := inStore(t, data, "runs/*.run")
	write(t, file, "nothing\n")
	e, _ := serve(t, lsp.Options{Measure: l.measure, Store: saved})
	e.Folders = []string{dir}
	e.Start()
	_, failure := e.Execute("spell-lsp.setBaseline", map[string]any{"run": run.ID}).Wait()
	if failure == nil || !strings.Contains(failure.Message, file) || strings.Contains(failure.Message, "there is no run") {
		t.Errorf("the user is told %v", failure)
	}
}
