package lsp_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/store"
)

// Who repairs the red function and measures again must not find another one in red that nobody
// touched. Who wants the zones of each run for itself sets zones.keep to false.
func TestRepairTurnsNoOtherFunctionRed(t *testing.T) {
	l := newLab(maps.Clone(slowCosts))
	l.rounds = 10
	dir := module(t, maps.Clone(park))
	e, _ := serve(t, lsp.Options{Measure: l.measure, Store: store.Open(t.TempDir())})
	e.Folders = []string{dir}
	e.Start()
	parkGo := filepath.Join(dir, "park.go")
	e.Open(parkGo)
	of := func(name string) *lsptest.Diagnostic {
		for _, d := range e.Diagnostics(parkGo) {
			if d.Range.Of(e.Text(parkGo)) == name {
				return &d
			}
		}
		return &lsptest.Diagnostic{}
	}
	check := func(when string, add, sort int, still bool) {
		t.Helper()
		if got := of("Add").Severity; got != add {
			t.Errorf("%s: Add has severity %d, want %d", when, got, add)
		}
		if got := of("sortÄ").Severity; got != sort {
			t.Errorf("%s: sortÄ has severity %d, want %d", when, got, sort)
		}
		if got := e.Hover(parkGo, "sortÄ").Contents.Value; strings.Contains(got, "still yellow") != still {
			t.Errorf("%s: the hover of sortÄ is %q", when, got)
		}
	}
	measure(t, e)
	check("at first", 1, 2, false)

	text := strings.Replace(park["park.go"], "append(p.cars, c)", "append(p.cars[:], c)", 1)
	e.SetText(parkGo, text)
	write(t, parkGo, text)
	e.Save(parkGo)
	l.costs["(*Park).Add"] = cost{6, 6, 0.06}
	measure(t, e)
	check("after the repair", 4, 2, true)
	measure(t, e)
	check("measured once more", 4, 2, true)

	e.Configure(map[string]any{"zones": map[string]any{"keep": false}})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	measure(t, e)
	check("with zones.keep false", 4, 1, false)
}
