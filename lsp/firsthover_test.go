package lsp_test

import (
	"maps"
	"path/filepath"
	"testing"

	"spell-lsp/lsp"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// The first hover after loading a large run used to wait while the call tree was indexed. Now
// the call tree is indexed once, before the result is shown, whether it was loaded or measured.
func TestCallTreeIsIndexedBeforeResultsAreShown(t *testing.T) {
	l := newLab(parkCosts)
	dir := module(t, maps.Clone(park))
	saved, err := l.invent(lsp.Request{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	o := lspOptions(l)
	o.Load = func(string, settings.Settings) (*record.Run, error) { return saved.Clone(), nil }
	e, _ := serve(t, o)
	e.Folders = []string{dir}
	e.Start()
	parkGo := filepath.Join(dir, "park.go")
	e.Open(parkGo)
	traced := 0
	defer lsp.OnCalls(func() {
		traced++
		if rows := ranked(t, e, map[string]any{}); len(rows) > 0 {
			t.Errorf("%d rows are shown before the call tree is indexed", len(rows))
		}
	})()
	execute(t, e, "load", map[string]any{"path": filepath.Join(dir, "run.json")})
	if traced == 0 || e.Hover(parkGo, "Add(c") == nil {
		t.Errorf("the call tree was indexed %d times", traced)
	}
	execute(t, e, "clear", map[string]any{})
	traced = 0
	measure(t, e)
	if traced == 0 || e.Hover(parkGo, "Add(c") == nil {
		t.Errorf("after a measurement: the call tree was indexed %d times", traced)
	}
	end := traced
	e.Lenses(parkGo)
	e.MustCall(lsp.FlushMethod, nil)
	if traced != end {
		t.Error("the call tree was indexed again to show the result")
	}
}
