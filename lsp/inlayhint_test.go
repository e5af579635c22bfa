package lsp_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
)

type inlayHint struct {
	Position    lsptest.Position
	Label       string
	Tooltip     string
	PaddingLeft bool
}

// hints requests the hints of a part of an open file, and returns the lines with the labels
// inserted where an editor draws them.
func hints(t *testing.T, e *lsptest.Editor, path, part string) []string {
	t.Helper()
	list := into[[]inlayHint](t, e.MustCall("textDocument/inlayHint", map[string]any{
		"textDocument": map[string]any{"uri": lsptest.URI(path)}, "range": spanOf(t, e.Text(path), part),
	}))
	var drawn []string
	for _, h := range list {
		if h.Tooltip == "" || !h.PaddingLeft {
			t.Errorf("hint %+v", h)
		}
		before := lsptest.Range{Start: lsptest.Position{Line: h.Position.Line}, End: h.Position}
		drawn = append(drawn, before.Of(e.Text(path))+" "+h.Label)
	}
	return drawn
}

// Hints are off by default. They stand after the names, and only stale ones say "measured
// before this edit".
func TestInlayHints(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	measure(t, e)
	if got := hints(t, e, parkGo, e.Text(parkGo)); len(got) > 0 {
		t.Errorf("hints although they are off: %q", got)
	}
	e.Configure(map[string]any{"inlayHints": true})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	measure(t, e)
	e.Edit(parkGo, "for range cars {", "for range cars[1:] {")
	want := []string{
		"/* 🅿️ */ func (p *Park) Add psi 0.6328", "func sortÄ psi 0.3662, measured before this edit", "func oldest psi <.0001",
	}
	if diff := cmp.Diff(want, hints(t, e, parkGo, e.Text(parkGo))); diff != "" {
		t.Errorf("hints (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[1:2], hints(t, e, parkGo, "func sortÄ(cars []Car) { // 🚗\n")); diff != "" {
		t.Errorf("hints of a part of the file (-want +got):\n%s", diff)
	}
}

// After a measurement the server tells a client that supports it to request hints again.
func TestInlayHintRefresh(t *testing.T) {
	for _, supported := range []bool{true, false} {
		e, _, _ := openPark(t, newLab(parkCosts), can(map[string]map[string]any{"workspace": {"inlayHint": map[string]any{"refreshSupport": supported}}}))
		e.Answer("workspace/inlayHint/refresh", func(json.RawMessage) (any, *lsptest.Error) { return nil, nil })
		measure(t, e)
		if supported {
			e.AwaitMessage("workspace/inlayHint/refresh", 1)
		}
		e.Settle()
		if sent := e.Messages("workspace/inlayHint/refresh"); len(sent) > 0 != supported {
			t.Errorf("supported %v: the server sent %v", supported, sent)
		}
	}
}
