package wire

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"
)

// The connection sends no answers after it was told that the input has ended. So the end must wait
// for the answers, not only for the work.
func TestEndWaitsForAnswers(t *testing.T) { synctest.Test(t, testEndWaitsForAnswers) }

func testEndWaitsForAnswers(t *testing.T) {
	tasks := NewTasks(zap.NewNop())
	request := context.WithValue(context.Background(), t, t) // the connection has one for each call
	_, done := tasks.StartCall(request, "call", jsonrpc2.NewNumberID(1))
	if got := fmt.Sprint(tasks.Names()); got != "[call]" {
		t.Errorf("the work is %s", got)
	}
	done()
	if tasks.End(time.Minute) {
		t.Error("the end did not wait for the answer")
	}
	if got := fmt.Sprint(tasks.Names()); got != "[answering]" {
		t.Errorf("what is waited for is %s", got)
	}
	tasks.answered(request)
	if !tasks.End(time.Second) {
		t.Error("the end still waits after the answer")
	}
}

// A client that reads nothing gets no answer, so the end does not wait for one.
func TestEndWhereNobodyReads(t *testing.T) {
	tasks := NewTasks(zap.NewNop())
	ctx, done := tasks.StartCall(context.Background(), "call", jsonrpc2.NewStringID("a"))
	tasks.abandon()
	if ctx.Err() == nil {
		t.Error("the work is still running")
	}
	done()
	if !tasks.End(time.Second) {
		t.Error("the end waits for an answer that cannot be sent")
	}
	if names := tasks.Names(); len(names) > 0 {
		t.Errorf("the end waits for %q", names)
	}
	late, done := tasks.Start(context.Background(), "late")
	defer done()
	if late.Err() == nil {
		t.Error("work that starts after the end is still running")
	}
}

// A client may use an id again as soon as it has the answer. Cancelling the second call must work
// even if the work of the first call has not ended yet.
func TestIDUsedAgain(t *testing.T) {
	tasks := NewTasks(zap.NewNop())
	id := jsonrpc2.NewNumberID(7)
	first, firstDone := tasks.StartCall(context.Background(), "call", id)
	second, secondDone := tasks.StartCall(context.Background(), "call", id)
	firstDone()
	tasks.Cancel(id)
	if second.Err() == nil {
		t.Error("the second call was not cancelled")
	}
	secondDone()
	tasks.Cancel(id)
	if first.Err() == nil {
		t.Error("the context of work that ended was not cancelled")
	}
}
