package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"spell-lsp/lsp/redact"
)

// lastWait is how long the server waits for cancelled work when its client is
// gone. A measurement has 2 s to end its processes.
const lastWait = 10 * time.Second

// A stream is what goes to the client. It ends all work when the client is
// gone, before the connection hears of it, so that calls in flight are still
// answered; and it answers what is no valid message itself.
//
// The connection asks for ReadFrame and WriteFrame by a type assertion; without
// them a message that is no request would end the connection.
type stream struct {
	in                 *io.PipeReader
	reader             headerReader
	out                *outbox
	stream             io.Closer
	tasks              *Tasks
	admitted, finished atomic.Bool // see Conn.Admit and Conn.Finish
	log                *zap.Logger
	stuck              chan struct{} // closed if cancelled work did not end in time

	mu      sync.Mutex
	failure error // why the client was given up, nil for a clean end
}

func newStream(rwc io.ReadWriteCloser, tasks *Tasks, log *zap.Logger) *stream {
	// A read of standard input cannot be interrupted, one of a pipe can.
	in, copied := io.Pipe()
	go func() {
		_, err := io.Copy(copied, rwc)
		copied.CloseWithError(err)
	}()
	w := &stream{
		in: in, reader: headerReader{in: bufio.NewReader(in)}, stream: rwc, tasks: tasks, log: log, stuck: make(chan struct{}),
	}
	w.out = newOutbox(rwc, w.deaf)
	return w
}

// deaf gives up a client that does not read any more.
func (w *stream) deaf(err error) {
	w.log.Warn("giving up the client", redact.Cause(err))
	if errors.Is(err, errDeaf) {
		w.fail(err)
	}
	w.tasks.broken()
	w.interrupt()
}

func (w *stream) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure == nil {
		w.failure = err
	}
}

// interrupt makes the client look gone.
func (w *stream) interrupt() { w.in.CloseWithError(io.EOF) }

func (w *stream) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure
}

// ReadFrame gives the next frame that holds a valid message.
func (w *stream) ReadFrame(ctx context.Context) ([]byte, int64, error) {
	for {
		frame, n, err := w.next(ctx)
		if err == nil {
			var bad *invalidMessage
			if err = validate(frame); err == nil {
				return frame, n, nil
			}
			if errors.As(err, &bad) {
				w.refuse(ctx, bad)
				if bad.err.Code == jsonrpc2.InvalidRequest {
					continue
				}
			}
		}
		w.ending(err)
		return nil, 0, err
	}
}

func (w *stream) next(ctx context.Context) ([]byte, int64, error) {
	if w.finished.Load() {
		return nil, 0, io.EOF
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	limit := int64(maxMessage)
	if !w.admitted.Load() {
		if limit = maxStranger - w.reader.read; limit <= 0 {
			return nil, 0, redact.PlainError(fmt.Sprintf("the client has sent %d bytes and not shown its token", w.reader.read))
		}
	}
	frame, err := w.reader.next(limit)
	return frame, int64(len(frame)), err
}

// Read is ReadFrame for a connection that does not know frames.
func (w *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	frame, n, err := w.ReadFrame(ctx)
	if err != nil {
		return nil, 0, err
	}
	m, err := jsonrpc2.DecodeMessage(frame)
	return m, n, err
}

// ending cancels all work and waits until it has ended and was answered.
func (w *stream) ending(err error) {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		w.fail(fmt.Errorf("reading from the client: %w", err))
	}
	if !w.tasks.End(lastWait) {
		close(w.stuck)
	}
}

// Write sends a message and notes which call it answers: the connection
// answers a call under the context that it gave to the handler.
func (w *stream) Write(ctx context.Context, m jsonrpc2.Message) (int64, error) {
	defer w.tasks.answered(ctx)
	body, err := jsonrpc2.EncodeMessage(m)
	if err != nil {
		return 0, err
	}
	return w.WriteFrame(ctx, body)
}

// WriteFrame sends an encoded message.
func (w *stream) WriteFrame(_ context.Context, body []byte) (int64, error) {
	n, err := w.out.send(body)
	return int64(n), err
}

// Close ends reading, writes what is left, and closes the client's stream.
func (w *stream) Close() error {
	w.interrupt()
	if !w.out.close() {
		w.log.Warn("the client did not read all")
	}
	return w.stream.Close()
}

func (w *stream) refuse(ctx context.Context, bad *invalidMessage) {
	w.log.Warn("invalid message", zap.Error(bad))
	if bad.isResponse {
		return
	}
	frame, err := jsonrpc2.EncodeMessage(jsonrpc2.NewResponse(bad.id, nil, bad.err))
	if err == nil {
		_, err = w.WriteFrame(ctx, frame)
	}
	if err != nil {
		w.log.Warn("answering an invalid message", redact.Cause(err))
	}
}
