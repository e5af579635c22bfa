package lsp_test

import (
	"maps"
	"path/filepath"
	"testing"

	"spell-lsp/lsp"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// The first hover after a large run was loaded, and the publisher beside it, waited
// until the whole call tree had been gone through. It has been when a result comes
// into view, by whatever way, and is not done for a result in view.
func TestResultsAreWholeWhenTheyAreShown(t *testing.T) {
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
			t.Errorf("%d rows are shown of a result that is not whole", len(rows))
		}
	})()
	execute(t, e, "load", map[string]any{"path": filepath.Join(dir, "run.json")})
	if traced == 0 || e.Hover(parkGo, "Add(c") == nil {
		t.Errorf("gone through %d times", traced)
	}
	execute(t, e, "clear", map[string]any{})
	traced = 0
	measure(t, e)
	if traced == 0 || e.Hover(parkGo, "Add(c") == nil {
		t.Errorf("after a measurement: gone through %d times", traced)
	}
	end := traced
	e.Lenses(parkGo)
	e.MustCall(lsp.FlushMethod, nil)
	if traced != end {
		t.Error("it was gone through again to show it")
	}
}
