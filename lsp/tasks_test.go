package lsp

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// The connection refuses to answer once it knows that the input has ended. So
// the end must wait for the answers, not only for the work.
func TestEndWaitsForAnswers(t *testing.T) {
	tasks := newTasks()
	request := context.WithValue(context.Background(), t, t) // the connection has one for each call
	_, done := tasks.startCall(request, "call", jsonrpc2.NewNumberID(1))
	if got := fmt.Sprint(tasks.names()); got != "[call]" {
		t.Errorf("the work is %s", got)
	}
	done()
	if tasks.end(20 * time.Millisecond) {
		t.Error("the end did not wait for the answer")
	}
	if got := fmt.Sprint(tasks.names()); got != "[answering]" {
		t.Errorf("what is waited for is %s", got)
	}
	tasks.answered(request)
	if !tasks.end(time.Second) {
		t.Error("the end waits after the answer")
	}
}

// Where nobody reads, no answer will ever get out.
func TestEndOfDeafClient(t *testing.T) {
	tasks := newTasks()
	ctx, done := tasks.startCall(context.Background(), "call", jsonrpc2.NewStringID("a"))
	tasks.broken()
	if ctx.Err() == nil {
		t.Error("the work goes on")
	}
	done()
	if !tasks.end(time.Second) {
		t.Error("the end waits for an answer that cannot be sent")
	}
	if names := tasks.names(); len(names) > 0 {
		t.Errorf("the end waits for %q", names)
	}
	late, done := tasks.start(context.Background(), "late")
	defer done()
	if late.Err() == nil {
		t.Error("work that starts after the end goes on")
	}
}

// A client may use an id again as soon as it has the answer. Cancelling the
// second call must not depend on when the first one's work ended.
func TestIDUsedAgain(t *testing.T) {
	tasks := newTasks()
	id := jsonrpc2.NewNumberID(7)
	first, firstDone := tasks.startCall(context.Background(), "call", id)
	second, secondDone := tasks.startCall(context.Background(), "call", id)
	firstDone()
	tasks.cancel(id)
	if second.Err() == nil {
		t.Error("the second call was not cancelled")
	}
	secondDone()
	tasks.cancel(id)
	if first.Err() == nil {
		t.Error("the context of work that ended lives on")
	}
}
