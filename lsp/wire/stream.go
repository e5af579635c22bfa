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

// endLimit is how long cancelled work may take to end when the client is gone. A
// measurement has 2 s to end its processes.
const endLimit = 10 * time.Second

// A stream carries JSON-RPC messages to and from a client. When the client is gone, it
// ends all work before the connection learns of it, so that calls in flight are still
// answered. It answers invalid messages itself: to the connection, one would be the end
// of the stream.
//
// The connection discovers ReadFrame and WriteFrame by a type assertion.
type stream struct {
	in                 *io.PipeReader
	reader             frameReader
	out                *outbox
	closer             io.Closer
	tasks              *Tasks
	admitted, finished atomic.Bool // by Conn.Admit and Conn.Finish
	log                *zap.Logger
	stuck              chan struct{} // closed when cancelled work has not ended within endLimit

	mu      sync.Mutex
	failure error // why reading failed or the client was given up; nil for a clean end
}

func newStream(rwc io.ReadWriteCloser, tasks *Tasks, log *zap.Logger) *stream {
	// A read from a pipe can be interrupted; one from standard input cannot.
	in, copied := io.Pipe()
	go func() {
		_, err := io.Copy(copied, rwc)
		copied.CloseWithError(err)
	}()
	s := &stream{
		in: in, reader: frameReader{in: bufio.NewReader(in)}, closer: rwc, tasks: tasks, log: log, stuck: make(chan struct{}),
	}
	s.out = newOutbox(rwc, s.giveUp)
	return s
}

// giveUp ends the session with a client that nothing can be written to.
func (s *stream) giveUp(err error) {
	s.log.Warn("giving up the client", redact.Cause(err))
	if errors.Is(err, errNotReading) {
		s.fail(err)
	}
	s.tasks.abandon()
	s.interrupt()
}

// fail records the first failure.
func (s *stream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = err
	}
}

// interrupt makes the next read see the end of the stream.
func (s *stream) interrupt() { s.in.CloseWithError(io.EOF) }

func (s *stream) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// ReadFrame returns the next frame that holds a valid message.
func (s *stream) ReadFrame(ctx context.Context) ([]byte, int64, error) {
	for {
		frame, n, err := s.next(ctx)
		if err == nil {
			var bad *invalidMessage
			if err = validate(frame); err == nil {
				return frame, n, nil
			}
			if errors.As(err, &bad) {
				s.refuse(ctx, bad)
				if bad.err.Code == jsonrpc2.InvalidRequest {
					continue
				}
			}
		}
		s.ending(err)
		return nil, 0, err
	}
}

// next returns the next frame, valid or not.
func (s *stream) next(ctx context.Context) ([]byte, int64, error) {
	if s.finished.Load() {
		return nil, 0, io.EOF
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	limit := int64(maxMessage)
	if !s.admitted.Load() {
		if limit = maxUnadmitted - s.reader.read; limit <= 0 {
			return nil, 0, redact.PlainError(fmt.Sprintf("the client has sent %d bytes without showing its token", s.reader.read))
		}
	}
	frame, err := s.reader.next(limit)
	return frame, int64(len(frame)), err
}

// Read is ReadFrame for a connection without support for frames, as the interface
// requires.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	frame, n, err := s.ReadFrame(ctx)
	if err != nil {
		return nil, 0, err
	}
	m, err := jsonrpc2.DecodeMessage(frame)
	return m, n, err
}

// ending cancels all work, and waits until it has ended and its calls are answered.
func (s *stream) ending(err error) {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		s.fail(fmt.Errorf("reading from the client: %w", err))
	}
	if !s.tasks.End(endLimit) {
		close(s.stuck)
	}
}

// Write sends a message and notes which call it answers: the connection answers a call
// under the context that it gave to the handler.
func (s *stream) Write(ctx context.Context, m jsonrpc2.Message) (int64, error) {
	defer s.tasks.answered(ctx)
	body, err := jsonrpc2.EncodeMessage(m)
	if err != nil {
		return 0, err
	}
	return s.WriteFrame(ctx, body)
}

// WriteFrame sends an encoded message.
func (s *stream) WriteFrame(_ context.Context, body []byte) (int64, error) {
	n, err := s.out.send(body)
	return int64(n), err
}

// Close ends reading, writes the queued messages, and closes the stream of the client.
func (s *stream) Close() error {
	s.interrupt()
	if !s.out.close() {
		s.log.Warn("the client has not read everything that was sent")
	}
	return s.closer.Close()
}

// refuse answers an invalid message, unless it is a response.
func (s *stream) refuse(ctx context.Context, bad *invalidMessage) {
	s.log.Warn("invalid message", zap.Error(bad))
	if bad.isResponse {
		return
	}
	frame, err := jsonrpc2.EncodeMessage(jsonrpc2.NewResponse(bad.id, nil, bad.err))
	if err == nil {
		_, err = s.WriteFrame(ctx, frame)
	}
	if err != nil {
		s.log.Warn("answering an invalid message", redact.Cause(err))
	}
}
