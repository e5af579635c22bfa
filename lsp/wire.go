package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"spell-lsp/lsp/redact"
)

// lastWait is how long the server waits for cancelled work when its client is
// gone. A measurement has 2 s to end its processes.
const lastWait = 10 * time.Second

// A wire is the stream to the client. It ends all work when the client is
// gone, before the connection hears of it, so that calls in flight are still
// answered; and it answers what is no valid message itself.
//
// The connection asks for ReadFrame and WriteFrame by a type assertion; without
// them a message that is no request would end the connection.
type wire struct {
	in     *io.PipeReader
	reader headerReader
	out    *outbox
	stream io.Closer
	tasks  *tasks
	client interface {
		exited() bool
		admitted() bool
	}
	log   *zap.Logger
	stuck chan struct{} // closed if cancelled work did not end in time

	mu      sync.Mutex
	failure error // why the client was given up, nil for a clean end
}

func newWire(stream io.ReadWriteCloser, s *session) *wire {
	// A read of standard input cannot be interrupted, one of a pipe can.
	in, copied := io.Pipe()
	go func() {
		_, err := io.Copy(copied, stream)
		copied.CloseWithError(err)
	}()
	w := &wire{
		in: in, reader: headerReader{in: bufio.NewReader(in)}, stream: stream, tasks: s.tasks, client: s, log: s.log,
		stuck: make(chan struct{}),
	}
	w.out = newOutbox(stream, w.deaf)
	return w
}

// deaf gives up a client that does not read any more.
func (w *wire) deaf(err error) {
	w.log.Warn("giving up the client", redact.Cause(err))
	if errors.Is(err, errDeaf) {
		w.fail(err)
	}
	w.tasks.broken()
	w.interrupt()
}

func (w *wire) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure == nil {
		w.failure = err
	}
}

// interrupt makes the client look gone.
func (w *wire) interrupt() { w.in.CloseWithError(io.EOF) }

func (w *wire) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure
}

// ReadFrame gives the next frame that holds a valid message.
func (w *wire) ReadFrame(ctx context.Context) ([]byte, int64, error) {
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

func (w *wire) next(ctx context.Context) ([]byte, int64, error) {
	if w.client.exited() {
		return nil, 0, io.EOF
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	limit := int64(maxMessage)
	if !w.client.admitted() {
		if limit = maxStranger - w.reader.read; limit <= 0 {
			return nil, 0, redact.PlainError(fmt.Sprintf("the client has sent %d bytes and not shown its token", w.reader.read))
		}
	}
	frame, err := w.reader.next(limit)
	return frame, int64(len(frame)), err
}

// Read is ReadFrame for a connection that does not know frames.
func (w *wire) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	frame, n, err := w.ReadFrame(ctx)
	if err != nil {
		return nil, 0, err
	}
	m, err := jsonrpc2.DecodeMessage(frame)
	return m, n, err
}

// ending cancels all work and waits until it has ended and was answered.
func (w *wire) ending(err error) {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		w.fail(fmt.Errorf("reading from the client: %w", err))
	}
	if !w.tasks.end(lastWait) {
		close(w.stuck)
	}
}

// Write sends a message and notes which call it answers: the connection
// answers a call under the context that it gave to the handler.
func (w *wire) Write(ctx context.Context, m jsonrpc2.Message) (int64, error) {
	defer w.tasks.answered(ctx)
	body, err := jsonrpc2.EncodeMessage(m)
	if err != nil {
		return 0, err
	}
	return w.WriteFrame(ctx, body)
}

// WriteFrame sends an encoded message.
func (w *wire) WriteFrame(_ context.Context, body []byte) (int64, error) {
	n, err := w.out.send(body)
	return int64(n), err
}

// Close ends reading, writes what is left, and closes the client's stream.
func (w *wire) Close() error {
	w.interrupt()
	if !w.out.close() {
		w.log.Warn("the client did not read all")
	}
	return w.stream.Close()
}

func (w *wire) refuse(ctx context.Context, bad *invalidMessage) {
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

// An invalidMessage is a frame that is no message of JSON-RPC 2.0. One that
// is not even JSON ends the connection: the client is broken.
type invalidMessage struct {
	id         jsonrpc2.ID // unset if it has none
	err        *jsonrpc2.Error
	isResponse bool
}

func (e *invalidMessage) Error() string { return e.err.Error() }

func validate(frame []byte) error {
	_, err := jsonrpc2.DecodeMessage(frame)
	if err == nil {
		return nil
	}
	bad := &invalidMessage{err: jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "not a request of JSON-RPC 2.0 with a method and a whole number or text as id")}
	if !json.Valid(frame) {
		bad.err = jsonrpc2.NewError(jsonrpc2.ParseError, "the message is not JSON")
		return bad
	}
	var m struct {
		ID            any
		Method        json.RawMessage
		Result, Error json.RawMessage
	}
	if json.Unmarshal(frame, &m) == nil {
		bad.isResponse = m.Method == nil && (m.Result != nil || m.Error != nil)
		bad.id = idOf(m.ID)
	}
	return bad
}

func idOf(v any) jsonrpc2.ID {
	switch v := v.(type) {
	case string:
		return jsonrpc2.NewStringID(v)
	case float64:
		if v == float64(int64(v)) {
			return jsonrpc2.NewNumberID(int64(v))
		}
	}
	return jsonrpc2.ID{}
}

// codec writes and reads the parameters and results of calls with the
// protocol's own rules for unions and absent values. The protocol package has
// the same, not exported.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		return raw, nil
	}
	return protocol.Marshal(v)
}

func (codec) Unmarshal(data []byte, v any) error { return protocol.Unmarshal(data, v) }
