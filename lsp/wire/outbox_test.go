package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// The messages of several senders are written whole and in the order of each sender, and the end
// waits for the last one.
func TestOutboxKeepsOrder(t *testing.T) {
	in, out := io.Pipe()
	o := newOutbox(out, func(err error) { t.Errorf("failed: %v", err) })
	var got bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&got, in)
	}()
	const senders, each = 8, 200
	var sent sync.WaitGroup
	for s := range senders {
		sent.Go(func() {
			for i := range each {
				if _, err := o.send(fmt.Appendf(nil, "%d:%d%s.", s, i, strings.Repeat(" ", i*7))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	sent.Wait()
	if !o.close() {
		t.Error("the end did not wait for the last message")
	}
	if _, err := o.send([]byte("late")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("after the end: %v", err)
	}
	_ = out.Close()
	<-read
	next := [senders]int{}
	for message := range strings.SplitSeq(strings.TrimSuffix(got.String(), "."), ".") {
		header, body, _ := strings.Cut(message, "\r\n\r\n")
		var s, i int
		if _, err := fmt.Sscanf(body, "%d:%d", &s, &i); err != nil || i != next[s] || header != fmt.Sprintf("Content-Length: %d", len(body)+1) {
			t.Fatalf("message %d of sender %d is %.80q: %v", next[s], s, message, err)
		}
		next[s]++
	}
	for s, n := range next {
		if n != each {
			t.Errorf("%d messages of sender %d came", n, s)
		}
	}
}

// A single message, such as a ranking of 100,000 functions, may be longer than the limit of the
// queue. A client that leaves more than that unread is disconnected, once.
func TestOutboxLimit(t *testing.T) {
	in, out := io.Pipe()
	defer in.Close()
	failures := make(chan error, 10)
	o := newOutbox(out, func(err error) { failures <- err })
	message := bytes.Repeat([]byte("x"), MaxUnread+1)
	if _, err := o.send(message); err != nil {
		t.Fatalf("the first message: %v", err)
	}
	for range 3 {
		if n, err := o.send(nil); !errors.Is(err, errNotReading) || n != 0 {
			t.Errorf("what comes after it: %d, %v", n, err)
		}
	}
	if err := <-failures; !errors.Is(err, errNotReading) || len(failures) > 0 {
		t.Errorf("it failed with %v and %d times more", err, len(failures))
	}
	if o.close() {
		t.Error("all is said to be written")
	}
}

// A wait for room ends when the client reads, when it is disconnected, and when the context ends.
func TestOutboxRoom(t *testing.T) { synctest.Test(t, testOutboxRoom) }

func testOutboxRoom(t *testing.T) {
	in, out := io.Pipe()
	o := newOutbox(out, func(error) {})
	if o.lagging() {
		t.Error("an empty outbox has no room")
	}
	fill := func() {
		if _, err := o.send(make([]byte, 2*lagBytes)); err != nil {
			t.Fatal(err)
		}
		if !o.lagging() {
			t.Error("a full outbox has room")
		}
	}
	wait := func(ctx context.Context) chan struct{} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			o.room(ctx)
		}()
		return done
	}
	fill()
	ctx, cancel := context.WithCancel(t.Context())
	abandoned, read := wait(ctx), wait(t.Context())
	synctest.Wait()
	select {
	case <-read:
		t.Error("the wait ended although nobody read")
	default:
	}
	cancel()
	<-abandoned
	if _, err := io.CopyN(io.Discard, in, 2*lagBytes); err != nil {
		t.Fatal(err)
	}
	<-read
	fill()
	failed := wait(t.Context())
	_ = in.Close()
	<-failed
	if _, err := o.send(nil); err == nil {
		t.Error("the outbox accepts messages after its client is gone")
	}
}
