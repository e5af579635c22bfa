package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"spell-lsp/lsp/redact"
)

const (
	// MaxUnread is how many bytes may wait for the client, besides the last message. One
	// that leaves more of them unread is taken for dead.
	MaxUnread = 64 << 20
	// slack is how many bytes may wait before what can wait itself does so.
	slack = 256 << 10
	// piece is how many bytes are written at once, so that a client that reads
	// slowly is seen to read.
	piece = 64 << 10
	// drainWait is how long a client has to read what is left at the end.
	drainWait = time.Second
)

var errDeaf = redact.PlainError(fmt.Sprintf("the client does not read: %d MiB wait for it", MaxUnread>>20))

// An outbox is what waits to be written to the client. Writing is a goroutine's
// own business: a client that does not read must not keep the server from
// reading, from cancelling and from ending.
type outbox struct {
	out    io.Writer
	failed func(error) // called once, when nothing can be written any more

	mu      sync.Mutex
	waiting []byte        // whole messages in their order
	size    int           // bytes of waiting and of what is being written
	err     error         // why nothing is taken any more
	filled  chan struct{} // holds a token when there is something to do
	moved   chan struct{} // closed, and replaced, when something was written
	done    chan struct{} // closed when nothing more will be written
}

func newOutbox(out io.Writer, failed func(error)) *outbox {
	o := &outbox{
		out: out, failed: failed, filled: make(chan struct{}, 1), moved: make(chan struct{}), done: make(chan struct{}),
	}
	go o.run()
	return o
}

// send takes a message and puts its header before it. It does not wait for the
// client.
func (o *outbox) send(message []byte) (n int, err error) {
	o.mu.Lock()
	if o.err == nil && o.size > MaxUnread {
		o.mu.Unlock()
		o.fail(errDeaf)
		o.mu.Lock()
	}
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	before := len(o.waiting)
	o.waiting = fmt.Appendf(o.waiting, "Content-Length: %d\r\n\r\n", len(message))
	o.waiting = append(o.waiting, message...)
	n = len(o.waiting) - before
	o.size += n
	o.wake()
	return n, nil
}

// wake makes run look again.
func (o *outbox) wake() {
	select {
	case o.filled <- struct{}{}:
	default: // it is about to look anyway
	}
}

func (o *outbox) run() {
	defer close(o.done)
	var spare []byte
	for range o.filled {
		o.mu.Lock()
		batch, closed := o.waiting, o.err != nil
		o.waiting = spare[:0]
		o.mu.Unlock()
		if err := o.write(batch); err != nil {
			o.fail(fmt.Errorf("writing to the client: %w", err))
			return
		}
		if closed {
			return
		}
		if spare = batch; cap(spare) > slack {
			spare = nil
		}
	}
}

func (o *outbox) write(batch []byte) error {
	for len(batch) > 0 {
		n, err := o.out.Write(batch[:min(piece, len(batch))])
		if err != nil {
			return err
		}
		batch = batch[n:]
		o.mu.Lock()
		o.size -= n
		o.stir()
		o.mu.Unlock()
	}
	return nil
}

// stir makes those look again who wait for room. The caller holds mu.
func (o *outbox) stir() {
	close(o.moved)
	o.moved = make(chan struct{})
}

// fail ends taking messages because of err, unless it has ended before.
func (o *outbox) fail(err error) {
	o.mu.Lock()
	first := o.err == nil
	if first {
		o.err = err
		o.stir()
	}
	o.mu.Unlock()
	if first {
		o.failed(err)
	}
	o.wake()
}

// full reports whether the client lags behind.
func (o *outbox) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size > slack
}

// room waits until the client has read most of what it was sent, or ctx ends.
// What is sent again and again waits here, so that a client that lags behind
// gets the last state only.
func (o *outbox) room(ctx context.Context) {
	for {
		o.mu.Lock()
		moved, enough := o.moved, o.size <= slack || o.err != nil
		o.mu.Unlock()
		if enough {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return
		}
	}
}

// close takes no more, and waits until all is written, but not for long. It
// reports whether it was.
func (o *outbox) close() bool {
	o.mu.Lock()
	if o.err == nil {
		o.err = io.ErrClosedPipe
	}
	deaf := errors.Is(o.err, errDeaf)
	o.mu.Unlock()
	o.wake()
	if deaf {
		return false
	}
	select {
	case <-o.done:
		return true
	case <-time.After(drainWait):
		return false
	}
}
