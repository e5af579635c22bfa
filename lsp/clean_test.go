package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/record"
)

const hostile = "\x1b]52;c;aGk=\a\u202e\u009b2J\u2028\r"

// checkClean fails if a text in a message has a control character, which an editor on a
// terminal must not get. The message must contain "said", which the hostile texts begin with.
func checkClean(t *testing.T, what string, value any) {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if strings.ContainsFunc(v, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }) {
				t.Errorf("%s: %q", what, v)
			}
		case []any:
			for _, v := range v {
				walk(v)
			}
		case map[string]any:
			for _, v := range v {
				walk(v)
			}
		}
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), "said") {
		t.Errorf("%s does not say what it should: %s", what, raw)
	}
	walk(v)
}

// The output of a compiler, the name of a test and the texts of a record may hold control
// characters. Messages, progress, errors, diagnostics, lenses and hovers show these texts, and
// some editors show them on a terminal.
func TestNoControlCharactersReachTheClient(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(r *record.Run) {
		r.Warnings = []string{"said " + hostile}
		r.Tests[0].Name = "said" + hostile
		for i := range r.Components {
			r.Components[i].Explanation = "said " + hostile
		}
	}
	for _, kind := range []string{"markdown", "plaintext"} {
		e, _, parkGo := openPark(t, l, func(e *lsptest.Editor) {
			e.Capabilities = map[string]any{"textDocument": map[string]any{"hover": map[string]any{"contentFormat": []string{kind}}}}
		})
		measure(t, e)
		checkClean(t, "log", e.Messages("window/logMessage"))
		checkClean(t, "diagnostics", e.AwaitDiagnostics(parkGo))
		checkClean(t, "hover", e.Hover(parkGo, "Add"))
	}

	fail := func(_ context.Context, _ lsp.Request, progress func(lsp.Progress)) (*record.Run, error) {
		progress(lsp.Progress{Message: "said " + hostile, Fraction: -1})
		return nil, errors.New("said " + hostile + strings.Repeat("a line of a compiler\n", 1<<20))
	}
	e, _ := serve(t, lsp.Options{Measure: fail})
	e.Folders = []string{module(t, park)}
	e.Start()
	_, err := e.ExecuteWithProgress(7, "spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait()
	if err == nil {
		t.Fatal("the measurement did not fail")
	}
	checkClean(t, "error", err)
	checkClean(t, "message", e.Messages("window/showMessage"))
	for _, m := range e.Messages("window/showMessage") {
		if len(m.Params) > 1<<16 {
			t.Errorf("a message has %d bytes", len(m.Params))
		}
	}
	if len(err.Message) > 1<<16 {
		t.Errorf("the error has %d bytes", len(err.Message))
	}
	checkClean(t, "progress", e.Messages("$/progress"))
}
