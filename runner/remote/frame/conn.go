package frame

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

const (
	// beat is the time between two heartbeats.
	beat = time.Second
	// Silence is how long nothing may come from a side before it counts as lost.
	Silence = 3 * time.Second
	// Patience is how long the first line of a side may take: it may be a slow machine that starts
	// a program.
	Patience = 30 * time.Second
	// window is how many bytes of messages and chunks may be on the way without an acknowledgement.
	window = 4 << 20
	// lastWrites is how long Close waits for what is queued to be written.
	lastWrites = time.Second
)

// A Conn is one side of a connection. Its methods may be called by several goroutines at a time.
type Conn struct {
	reader io.Reader
	writer io.Writer

	outgoing chan []byte   // whole frames; its capacity is what a slow line may lag behind
	turn     chan struct{} // held by the sender that waits for the window, so that nobody overtakes it
	ready    chan struct{} // closed when the other side's first line has come
	done     chan struct{} // closed when the connection has ended
	closing  chan struct{} // closed by Close: no frame is accepted any more
	written  chan struct{} // closed when the writer has ended

	mu       sync.Mutex
	err      error         // why the connection ended
	unacked  int           // bytes that were sent and not acknowledged
	room     chan struct{} // closed when unacked falls
	received []Frame
	held     int           // bytes in received
	arrived  chan struct{} // has a token when received grew
	consumed int           // bytes that are to be acknowledged
	acks     chan struct{} // has a token when consumed grew
	closed   bool
}

// New starts a connection that reads from r and writes to w, and writes the first line and the
// heartbeats from now on. [Conn.Close] ends it.
func New(r io.Reader, w io.Writer) *Conn {
	c := &Conn{
		reader: r, writer: w,
		outgoing: make(chan []byte, 2), turn: make(chan struct{}, 1), ready: make(chan struct{}),
		done: make(chan struct{}), closing: make(chan struct{}), written: make(chan struct{}),
		room: make(chan struct{}), arrived: make(chan struct{}, 1), acks: make(chan struct{}, 1),
	}
	go c.write()
	go c.read()
	return c
}

// Ready waits until the other side has sent its first line. Other methods need not wait for it.
func (c *Conn) Ready(ctx context.Context) error {
	select {
	case <-c.ready:
		return nil
	case <-c.done:
		return c.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done is closed when the connection has ended. What was received before is still there.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err says why the connection has ended: io.EOF where the other side closed it, io.ErrUnexpectedEOF
// where its stream ended within a frame, [ErrSilent], a [*ProtocolError], a [*JunkError], an error of
// the streams, or io.ErrClosedPipe after [Conn.Close]. It is nil as long as the connection lasts.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Receive returns the next message or chunk. Where there will be none, the error is that of
// [Conn.Err], or that of the context.
func (c *Conn) Receive(ctx context.Context) (Frame, error) {
	for {
		if f, ok := c.take(); ok {
			return f, nil
		}
		select {
		case <-c.arrived:
		case <-c.done:
			if f, ok := c.take(); ok {
				return f, nil
			}
			return Frame{}, c.Err()
		case <-ctx.Done():
			return Frame{}, ctx.Err()
		}
	}
}

// take takes the first frame that was received, and has it acknowledged.
func (c *Conn) take() (Frame, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.received) == 0 {
		return Frame{}, false
	}
	f := c.received[0]
	c.received[0] = Frame{} // so that its memory can be freed
	c.received = c.received[1:]
	c.held -= f.size
	c.consumed += f.size
	token(c.acks)
	if len(c.received) > 0 {
		token(c.arrived) // for another receiver
	}
	return f, true
}

// Close writes what is queued, for at most a second, and ends the connection. It closes the streams
// that can be closed.
func (c *Conn) Close() {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.closing)
	}
	c.mu.Unlock()
	timer := time.NewTimer(lastWrites)
	defer timer.Stop()
	select {
	case <-c.written:
	case <-timer.C:
	}
	c.fail(io.ErrClosedPipe)
	for _, stream := range []any{c.writer, c.reader} {
		if s, ok := stream.(io.Closer); ok {
			s.Close() //nolint:errcheck // nothing is read or written any more
		}
	}
}

// fail ends the connection; only the first reason counts.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
		close(c.done)
	}
}

// read reads frames until the stream ends. It never waits for a receiver.
func (c *Conn) read() {
	quiet := time.AfterFunc(Patience, func() { c.fail(ErrSilent) })
	defer quiet.Stop()
	r := bufio.NewReader(&watched{c.reader, quiet, c.ready})
	if err := awaitGreeting(r); err != nil {
		c.fail(err)
		return
	}
	quiet.Reset(Silence)
	close(c.ready)
	for {
		kind, payload, err := decode(r)
		if err == nil {
			err = c.accept(kind, payload)
		}
		if err != nil {
			c.fail(err)
			return
		}
	}
}

// A watched stream resets a timer with each byte, once the first line has come.
type watched struct {
	r     io.Reader
	quiet *time.Timer
	ready <-chan struct{}
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		select {
		case <-w.ready:
			w.quiet.Reset(Silence)
		default:
		}
	}
	return n, err
}

func (c *Conn) accept(kind byte, payload []byte) (err error) {
	var f Frame
	switch kind {
	case heartbeat:
		return nil
	case acknowledgement:
		n, err := decodeCount(payload)
		if err != nil {
			return err
		}
		return c.acknowledged(n)
	case message:
		f, err = decodeMessage(payload)
	case blob:
		f, err = decodeChunk(payload)
	default:
		err = violation("a frame of the unknown kind %q", kind)
	}
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held > 0 && c.held+f.size > window {
		return violation("it sent more than %d bytes that were not acknowledged", window)
	}
	c.held += f.size
	c.received = append(c.received, f)
	token(c.arrived)
	return nil
}

func (c *Conn) acknowledged(n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > c.unacked {
		return violation("it acknowledged %d bytes, and %d were sent", n, c.unacked)
	}
	c.widen(n)
	return nil
}

// release takes back what reserve reserved.
func (c *Conn) release(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.widen(n)
}

// widen makes room for n more bytes. The caller holds the lock.
func (c *Conn) widen(n int) {
	c.unacked -= n
	close(c.room)
	c.room = make(chan struct{})
}

// write writes frames, and heartbeats and acknowledgements between them, until the connection ends.
func (c *Conn) write() {
	defer close(c.written)
	ticks := time.NewTicker(beat)
	defer ticks.Stop()
	text := []byte(greeting + "\n")
	for {
		if _, err := c.writer.Write(text); err != nil {
			c.failedWrite(err)
			return
		}
		var more bool
		if text, more = c.next(ticks.C); !more {
			return
		}
	}
}

// next waits for what is to be written: first of all heartbeats and acknowledgements.
func (c *Conn) next(ticks <-chan time.Time) (text []byte, more bool) {
	select {
	case <-ticks:
		return encode(heartbeat), true
	case <-c.acks:
		return encodeCount(c.takeConsumed()), true
	default:
	}
	select {
	case <-ticks:
		return encode(heartbeat), true
	case <-c.acks:
		return encodeCount(c.takeConsumed()), true
	case text = <-c.outgoing:
		return text, true
	case <-c.done:
	case <-c.closing:
		select {
		case text = <-c.outgoing:
			return text, true
		default:
		}
	}
	return nil, false
}

// failedWrite ends the connection, but lets the reader tell the reason if it can: where the other
// side has ended, reading says so too, and after the last frames.
func (c *Conn) failedWrite(err error) {
	timer := time.NewTimer(beat)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-timer.C:
		c.fail(errors.Join(errors.New("the connection takes nothing any more"), err))
	}
}

func (c *Conn) takeConsumed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.consumed
	c.consumed = 0
	return n
}

// token puts a token into a channel of capacity 1, where there may be one already.
func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
