package lsp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"spell-lsp/lsp"
	"spell-lsp/lsp/lsptest"
	"spell-lsp/spell/record"
)

// A mistake of the server in one round of publishing must not be the last of it:
// nothing would be shown any more, and who waits for it would wait for ever.
func TestPublishingGoesOnAfterPanic(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if !lsp.PublishWhereItPanics(ctx, 3) {
		t.Error("publishing has ended")
	}
}

// A measurement that returns what no run can be is a failed one: the user is told,
// the progress on the screen ends, and the next one is as good as any.
func TestRunThatCannotBe(t *testing.T) {
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
			alive(t, e, parkGo, "a run that cannot be")
		})
	}
}

// A client that asks for diagnostics and says that it can be told to ask again, but
// does not know how, would show what it got before the first measurement for ever.
func TestPullRefreshUnknown(t *testing.T) {
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
		t.Errorf("what is sent is there to be asked for too: %+v", r)
	}
	e.Edit(parkGo, "oldest(cars []Car) Car { return cars[0]", "oldest(cars []Car) Car { return cars[1]")
	e.Eventually("they are sent after an edit", func() bool {
		list := show(e.Text(parkGo), e.Diagnostics(parkGo))
		return len(list) == 3 && strings.HasSuffix(list[2], "measured before this edit")
	})
}
