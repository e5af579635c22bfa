package lsptest

import (
	"encoding/json"
	"strings"
)

// A Hint is an inlay hint as the user sees it.
type Hint struct {
	Position Position
	Label    json.RawMessage // text, or parts of it
	Tooltip  json.RawMessage
}

// Text is the label of a hint.
func (h Hint) Text() string {
	var text string
	if json.Unmarshal(h.Label, &text) == nil {
		return text
	}
	var parts []struct{ Value string }
	if json.Unmarshal(h.Label, &parts) != nil {
		return string(h.Label)
	}
	for _, p := range parts {
		text += p.Value
	}
	return text
}

// InlayHints requests the inlay hints of a whole open file.
func (e *Editor) InlayHints(path string) []Hint {
	e.t.Helper()
	return e.HintsOf(path, Range{End: Position{Line: 1 + strings.Count(e.buffers[path].text, "\n")}})
}

// HintsOf requests the inlay hints of a range of an open file.
func (e *Editor) HintsOf(path string, r Range) []Hint {
	e.t.Helper()
	var hints []Hint
	e.into(e.MustCall("textDocument/inlayHint", map[string]any{"textDocument": map[string]any{"uri": URI(path)}, "range": r}), &hints)
	return hints
}
