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
	// MaxUnread is how many bytes may be queued for the client besides the last message.
	// A client with more is taken for dead.
	MaxUnread = 64 << 20
	// lagBytes is how many bytes may be queued before a client counts as lagging.
	lagBytes = 256 << 10
	// chunkBytes is the size of one write, so that a client that reads slowly is seen to
	// make progress.
	chunkBytes = 64 << 10
	// drainLimit is how long the client has, at the end, to read the queued messages.
	drainLimit = time.Second
)

var errNotReading = redact.PlainError(fmt.Sprintf("the client does not read: %d MiB are queued for it", MaxUnread>>20))

// An outbox queues messages for the client. A goroutine of its own writes them: a client
// that does not read must not keep the server from reading, cancelling and ending.
type outbox struct {
	out    io.Writer
	failed func(error) // called once, when writing has failed or was given up

	mu      sync.Mutex
	waiting []byte        // whole messages, in order
	size    int           // bytes in waiting and in the batch that is being written
	err     error         // why no message is accepted any more; nil while they are
	filled  chan struct{} // holds a token when there is something for run to do
	moved   chan struct{} // closed and replaced after each write
	done    chan struct{} // closed when run has ended
}

// newOutbox returns an outbox that writes to out until it is closed.
func newOutbox(out io.Writer, failed func(error)) *outbox {
	o := &outbox{
		out: out, failed: failed, filled: make(chan struct{}, 1), moved: make(chan struct{}), done: make(chan struct{}),
	}
	go o.run()
	return o
}

// send queues a message with its header and returns the number of bytes queued. It does
// not wait for the client.
func (o *outbox) send(message []byte) (n int, err error) {
	o.mu.Lock()
	if o.err == nil && o.size > MaxUnread {
		o.mu.Unlock()
		o.stop(errNotReading)
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

// wake makes run look at the queue.
func (o *outbox) wake() {
	select {
	case o.filled <- struct{}{}:
	default: // run is about to look anyway
	}
}

// run writes the queued messages, batch by batch.
func (o *outbox) run() {
	defer close(o.done)
	var spare []byte
	for range o.filled {
		o.mu.Lock()
		batch, closed := o.waiting, o.err != nil
		o.waiting = spare[:0]
		o.mu.Unlock()
		if err := o.write(batch); err != nil {
			o.stop(fmt.Errorf("writing to the client: %w", err))
			return
		}
		if closed {
			return
		}
		if spare = batch; cap(spare) > lagBytes {
			spare = nil
		}
	}
}

func (o *outbox) write(batch []byte) error {
	for len(batch) > 0 {
		n, err := o.out.Write(batch[:min(chunkBytes, len(batch))])
		if err != nil {
			return err
		}
		batch = batch[n:]
		o.mu.Lock()
		o.size -= n
		o.signalRoom()
		o.mu.Unlock()
	}
	return nil
}

// signalRoom wakes the callers of room. The caller holds mu.
func (o *outbox) signalRoom() {
	close(o.moved)
	o.moved = make(chan struct{})
}

// stop makes the outbox accept no more messages because of err. Only the first call has
// an effect.
func (o *outbox) stop(err error) {
	o.mu.Lock()
	first := o.err == nil
	if first {
		o.err = err
		o.signalRoom()
	}
	o.mu.Unlock()
	if first {
		o.failed(err)
	}
	o.wake()
}

// lagging reports whether the client has much left to read.
func (o *outbox) lagging() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size > lagBytes
}

// room waits until the client has read most of the queue, or ctx ends.
func (o *outbox) room(ctx context.Context) {
	for {
		o.mu.Lock()
		moved, enough := o.moved, o.size <= lagBytes || o.err != nil
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

// close accepts no more messages, and waits up to drainLimit until all are written. It
// reports whether they were.
func (o *outbox) close() bool {
	o.mu.Lock()
	if o.err == nil {
		o.err = io.ErrClosedPipe
	}
	gaveUp := errors.Is(o.err, errNotReading)
	o.mu.Unlock()
	o.wake()
	if gaveUp {
		return false
	}
	select {
	case <-o.done:
		return true
	case <-time.After(drainLimit):
		return false
	}
}
