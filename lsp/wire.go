package lsp

import (
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
)

// lastWait is how long the server waits for cancelled work when its client is
// gone. A measurement has 2 s to end its processes.
const lastWait = 10 * time.Second

// frames is a stream that shows the connection whole frames. The connection
// asks for it by a type assertion; without it a message that is no request
// would end the connection.
type frames interface {
	jsonrpc2.Stream
	ReadFrame(context.Context) ([]byte, int64, error)
	WriteFrame(context.Context, []byte) (int64, error)
}

// A wire is the stream to the client. It ends all work when the client is
// gone, before the connection hears of it, so that calls in flight are still
// answered; and it answers what is no valid message itself.
type wire struct {
	frames
	in     *io.PipeReader
	tasks  *tasks
	exited func() bool
	log    *zap.Logger
	stuck  chan struct{} // closed if cancelled work did not end in time

	mu      sync.Mutex
	failure error // why reading ended, nil for a clean end
}

func newWire(stream io.ReadWriteCloser, t *tasks, exited func() bool, log *zap.Logger) (*wire, error) {
	w := &wire{tasks: t, exited: exited, log: log, stuck: make(chan struct{})}
	// A read of standard input cannot be interrupted, one of a pipe can.
	in, copied := io.Pipe()
	go func() {
		_, err := io.Copy(copied, stream)
		copied.CloseWithError(err)
	}()
	w.in = in
	inner, ok := jsonrpc2.NewHeaderStream(&transport{in: in, stream: stream, broken: t.broken}).(frames)
	if !ok {
		return nil, errors.New("this version of go.lsp.dev/jsonrpc2 has no frames: use the one that go.mod names")
	}
	w.frames = inner
	return w, nil
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
	if w.exited() {
		return nil, 0, io.EOF
	}
	return w.frames.ReadFrame(ctx)
}

// ending cancels all work and waits until it has ended and was answered.
func (w *wire) ending(err error) {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		w.mu.Lock()
		w.failure = fmt.Errorf("reading from the client: %w", err)
		w.mu.Unlock()
	}
	if !w.tasks.end(lastWait) {
		close(w.stuck)
	}
}

// Write sends a message and notes which call it answers: the connection
// answers a call under the context that it gave to the handler.
func (w *wire) Write(ctx context.Context, m jsonrpc2.Message) (int64, error) {
	defer w.tasks.answered(ctx)
	return w.frames.Write(ctx, m)
}

// Close ends reading and closes the client's stream.
func (w *wire) Close() error {
	w.interrupt()
	return w.frames.Close()
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
		w.log.Warn("answering an invalid message", zap.Error(err))
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

// A transport is the client's bytes.
type transport struct {
	in     io.Reader
	stream io.ReadWriteCloser
	broken func() // called when the client does not read any more
}

func (t *transport) Read(p []byte) (int, error) { return t.in.Read(p) }

func (t *transport) Write(p []byte) (int, error) {
	n, err := t.stream.Write(p)
	if err != nil {
		t.broken()
	}
	return n, err
}

func (t *transport) Close() error { return t.stream.Close() }

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
