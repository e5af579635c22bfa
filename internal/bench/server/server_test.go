package main

import (
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/internal/lsptest"
)

// Why: requests with empty answers would be fast. Every request of the bench must
// have something to show, idle and while typing, also where the syntax is broken.
// Times do not matter here.
func TestRequestsAreAnswered(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the server")
	}
	t.Setenv("SPELL_LSP_DATA", t.TempDir())
	w, err := newWorkspace(filepath.Join(t.TempDir(), "large"), 2, 4, functionsInFile)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{server: lsptest.BuildServer(t), samples: 8, scratch: t.TempDir(), large: w, middle: w}
	o, err := starter(b.spell).open(t.Context(), session{folders: []string{w.dir}, watch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer o.quit(t.Context())
	name, err := w.save()
	if err != nil {
		t.Fatal(err)
	}
	var all watcher
	o.hear(all.hear)
	if err := o.load(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	if _, shown, err := all.last(); err != nil || shown != w.components() {
		t.Errorf("%d diagnostics of %d functions, %v", shown, w.components(), err)
	}
	var made harness.Table
	requests := []request{hoverRequest, lensRequest, testLensRequest, actionRequest}
	if !o.actions {
		t.Error("the server offers no code actions")
		requests = requests[:3]
	}
	if err := b.timeRequests(t.Context(), &made, "spell-lsp", o, states[:2], requests, ""); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"hover": "1", "code lens": "125", "code lens of the tests": "20"}
	for _, row := range made.Rows {
		request := row[0][strings.LastIndex(row[0], ", ")+2:]
		if seen := row[1]; seen == "0" || want[request] != "" && seen != want[request] {
			t.Errorf("%s: %s seen, must be %s", row[0], seen, want[request])
		}
	}
	if len(made.Rows) != 2*len(requests) {
		t.Errorf("%d rows, must be %d", len(made.Rows), 2*len(requests))
	}
}
