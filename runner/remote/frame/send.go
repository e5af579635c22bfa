package frame

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Send sends a value as a message: encoding/json must make an object of it that has a member "type".
// It waits as long as the line or the receiver is slower. When it returns, the message is queued.
func (c *Conn) Send(ctx context.Context, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err := typeOf(text); err != nil {
		return fmt.Errorf("sending a message %w", err)
	}
	if len(text) > MaxPayload {
		return fmt.Errorf("sending a message of %d bytes: %w", len(text), ErrTooLarge)
	}
	return c.send(ctx, encode(message, text))
}

// SendBlob sends content in chunks until r ends, and returns its length. It does not compare the
// content with the hash. Where r fails, the receiver is told, and the connection lasts.
func (c *Conn) SendBlob(ctx context.Context, hash Hash, r io.Reader) (size int64, err error) {
	chunk := make([]byte, chunkSize)
	for {
		n, err := fill(r, chunk)
		last := errors.Is(err, io.EOF)
		flag := byte(more)
		switch {
		case last:
			flag = end
		case err != nil:
			reason := err.Error()
			return size, errors.Join(err, c.sendChunk(ctx, hash, abandoned, []byte(reason[:min(len(reason), chunkSize)])))
		}
		if err := c.sendChunk(ctx, hash, flag, chunk[:n]); err != nil {
			return size, err
		}
		if size += int64(n); last {
			return size, nil
		}
	}
}

// fill reads until the buffer is full. io.ReadFull would not tell the end of a stream from an
// io.ErrUnexpectedEOF that r itself returns.
func fill(r io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var more int
		more, err = r.Read(buffer[n:])
		n += more
	}
	return n, err
}

func (c *Conn) sendChunk(ctx context.Context, hash Hash, flag byte, data []byte) error {
	return c.send(ctx, encode(blob, hash[:], []byte{flag}, data))
}

// send queues a frame when the window has room for it.
func (c *Conn) send(ctx context.Context, text []byte) error {
	select {
	case c.turn <- struct{}{}:
	case <-c.done:
		return c.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.turn }()
	if err := c.reserve(ctx, len(text)); err != nil {
		return err
	}
	select {
	case c.outgoing <- text:
		return nil
	case <-c.closing:
		return io.ErrClosedPipe
	case <-c.done:
		return c.Err()
	case <-ctx.Done():
		c.release(len(text))
		return ctx.Err()
	}
}

// reserve waits until n bytes may be on the way in addition.
func (c *Conn) reserve(ctx context.Context, n int) error {
	for {
		c.mu.Lock()
		err, room := c.err, c.room
		fits := c.unacked == 0 || c.unacked+n <= window
		if err == nil && c.closed {
			err = io.ErrClosedPipe
		}
		if fits && err == nil {
			c.unacked += n
		}
		c.mu.Unlock()
		if fits || err != nil {
			return err
		}
		select {
		case <-room:
		case <-c.closing:
		case <-c.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
