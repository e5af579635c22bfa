package lsp_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
)

// If the lenses of a file change although nobody edited it, the server sends a refresh.
func TestLensRefreshWithoutEdit(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	measure(t, e)
	moved := filepath.Join(filepath.Dir(parkGo), "b.go")
	e.OpenText(moved, "package park\n\nfunc oldest(cars []Car) Car { return cars[0] }\n")
	refreshes := func() int { return len(e.Messages("workspace/codeLens/refresh")) }
	execute(t, e, "setBaseline", map[string]any{})
	e.MustCall(lsp.FlushMethod, nil)
	before := refreshes()
	e.Edit(parkGo, "func oldest(cars []Car) Car { return cars[0] }\n", "")
	e.Eventually("a refresh after a function has moved here", func() bool { return refreshes() > before })
	if l := e.Lenses(moved); len(l) != 1 || !strings.Contains(l[0].Command.Title, "#4") {
		t.Errorf("the lenses are %+v", l)
	}

	e.MustCall(lsp.FlushMethod, nil)
	before = refreshes()
	config := filepath.Join(filepath.Dir(parkGo), ".spell-lsp.yaml")
	write(t, config, "lenses: false\n")
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(config), "type": 1}}})
	e.Eventually("a refresh after lenses were turned off", func() bool {
		again := refreshes()
		told := again > before
		before = again
		return told && len(e.Lenses(moved)) == 0
	})
}

// VS Code sometimes drops a refresh of lenses, so after clear the server sends a second one.
// No file is open here: an open file would be a reason for a second refresh, too.
func TestClearRefreshesLensesAgain(t *testing.T) {
	e, _ := serve(t, lspOptions(newLab(parkCosts)))
	e.Folders = []string{module(t, maps.Clone(park))}
	e.Start()
	measure(t, e)
	refreshes := func() int { return len(e.Messages("workspace/codeLens/refresh")) }
	e.Eventually("the refresh after the measurement", func() bool { return refreshes() >= 1 })
	before := refreshes()
	execute(t, e, "clear", map[string]any{})
	e.Eventually("two refreshes after clear", func() bool { return refreshes() >= before+2 })
}

// Clear also removes the diagnostics of a file whose only measured function moved there.
func TestClearRemovesMovedResults(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	measure(t, e)
	moved := filepath.Join(filepath.Dir(parkGo), "b.go")
	e.OpenText(moved, "package park\n\nfunc oldest(cars []Car) Car { return cars[0] }\n")
	e.Edit(parkGo, "func oldest(cars []Car) Car { return cars[0] }\n", "")
	e.Eventually("the moved function", func() bool { return len(e.Diagnostics(moved)) == 1 })
	e.Edit(parkGo, "func never", "func oldest(cars []Car) Car { return cars[0] }\n\nfunc never")
	e.Eventually("the function is back in its old file only", func() bool { return len(e.Diagnostics(moved)) == 0 && len(e.Diagnostics(parkGo)) == 3 })
	e.Edit(parkGo, "func oldest(cars []Car) Car { return cars[0] }\n\n", "")
	e.Eventually("the moved function", func() bool { return len(e.Diagnostics(moved)) == 1 })
	execute(t, e, "clear", map[string]any{})
	if d := e.Diagnostics(moved); len(d) > 0 {
		t.Errorf("after clear there are %+v", d)
	}
}

// A type is shown at its declaration, and is stale when one of its methods is edited in another
// file.
func TestTypeOfSeveralFiles(t *testing.T) {
	dir := module(t, map[string]string{"a.go": "package p\n\ntype P int\n", "b.go": "package p\n\nfunc (P) M() {\n\tprintln(1)\n}\n"})
	l := newLab(map[string]cost{"P.M": {1, 1, 1}})
	l.kind = "type"
	e, _ := serve(t, lspOptions(l))
	e.Folders = []string{dir}
	e.Start()
	a, b := filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go")
	e.Open(b)
	measure(t, e)
	if d := e.Diagnostics(a); len(d) != 1 || strings.Contains(d[0].Message, "before this edit") {
		t.Fatalf("the type has %+v", d)
	}
	e.Edit(b, "println(1)", "println(2)")
	e.Eventually("a stale type", func() bool {
		d := e.Diagnostics(a)
		return len(d) == 1 && strings.Contains(d[0].Message, "before this edit")
	})
}
