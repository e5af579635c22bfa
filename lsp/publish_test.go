package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/record"
)

// A panic in one round of publishing must not end the publishing: otherwise nothing would be
// shown any more, and calls that wait for it would wait for ever.
func TestPublishingGoesOnAfterPanic(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	if !lsp.PublishWhereItPanics(ctx, 3) {
		t.Error("publishing has ended")
	}
}

// A measurement that returns an invalid run fails: a message says so, the progress ends, and the
// next measurement works.
func TestInvalidRun(t *testing.T) {
	for what, alter := range map[string]func(*record.Run){
		"component": func(r *record.Run) { r.Matrix.Cells[0].Component = 99 },
		"call_tree": func(r *record.Run) { r.CallTree = []record.CallNode{{Parent: -1, Component: 99}} },
	} {
		t.Run(what, func(t *testing.T) {
			l := newLab(parkCosts)
			l.alter = alter
			e, _, parkGo := openPark(t, l)
			if _, err := e.ExecuteWithProgress("bar", "spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait(); err == nil || err.Code != -32803 {
				t.Errorf("the answer is %v", err)
			}
			e.AwaitMessage("window/showMessage", 1)
			e.Eventually("the progress ends", func() bool {
				list := e.Messages("$/progress")
				return len(list) > 0 && strings.Contains(string(list[len(list)-1].Params), `"end"`)
			})
			l.alter = nil
			measure(t, e)
			alive(t, e, parkGo, "an invalid run")
		})
	}
}

// A client pulls diagnostics and announces workspace/diagnostic/refresh, but does not know the
// method. Without pushed diagnostics it would show the first answer for ever.
func TestPullWithUnknownRefresh(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), puller, func(e *lsptest.Editor) {
		e.Answer("workspace/diagnostic/refresh", func(json.RawMessage) (any, *lsptest.Error) {
			return nil, &lsptest.Error{Code: -32601, Message: "no such method"}
		})
	})
	if r := pull(t, e, parkGo, ""); len(r.Items) > 0 {
		t.Fatalf("nothing was measured: %+v", r)
	}
	measure(t, e)
	e.Eventually("the diagnostics are sent", func() bool { return pushed(e, parkGo) == 3 })
	if r := pull(t, e, parkGo, ""); r.Kind != "full" || r.Items == nil || len(r.Items) > 0 {
		t.Errorf("pushed diagnostics can be pulled too: %+v", r)
	}
	e.Edit(parkGo, "oldest(cars []Car) Car { return cars[0]", "oldest(cars []Car) Car { return cars[1]")
	e.Eventually("they are sent after an edit", func() bool {
		list := show(e.Text(parkGo), e.Diagnostics(parkGo))
		return len(list) == 3 && strings.HasSuffix(list[2], "measured before this edit")
	})
}

// A package may have hundreds of files. After an edit in one of them, the diagnostics of the
// others, which did not change, are not sent. When a file is opened, they are sent again,
// because some editors drop the diagnostics of a file when it is closed.
func TestUnchangedDiagnosticsAreNotSentAgain(t *testing.T) {
	files, costs := map[string]string{}, map[string]cost{}
	for i := range 50 {
		files[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf("package park\n\nfunc F%d() { println(%d) }\n", i, i)
		costs[fmt.Sprintf("F%d", i)] = cost{1, 1, 1}
	}
	dir := module(t, files)
	e, _ := serve(t, lspOptions(newLab(costs)))
	e.Folders = []string{dir}
	e.Start()
	path, other := filepath.Join(dir, "f0.go"), filepath.Join(dir, "f1.go")
	e.Open(path)
	measure(t, e)
	count := func(path string) (n int) {
		e.MustCall(lsp.FlushMethod, nil)
		for _, m := range e.Messages("textDocument/publishDiagnostics") {
			if path == "" || strings.Contains(string(m.Params), `"`+lsptest.URI(path)+`"`) {
				n++
			}
		}
		return n
	}
	all, own := count(""), count(path)
	for range 5 {
		e.Edit(path, "package park", "// F.\npackage park")
		e.AwaitDiagnostics(path)
	}
	if n, edits := count("")-all, count(path)-own; n != edits || edits == 0 {
		t.Errorf("after an edit %d publications, %d of them of the edited file", n, edits)
	}
	before := count(other)
	e.Open(other)
	if n := count(other) - before; n != 1 {
		t.Errorf("after opening a file %d publications", n)
	}
	e.Close(other)
	if n := count(other) - before; n != 2 {
		t.Errorf("after closing a file %d publications", n)
	}
	e.Edit(path, "println(0)", "println(1)")
	e.Eventually("changed diagnostics are sent", func() bool {
		return strings.HasSuffix(show(e.Text(path), e.AwaitDiagnostics(path))[0], "measured before this edit")
	})
}
