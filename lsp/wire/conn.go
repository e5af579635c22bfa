// Package wire is the connection to one client: framing of JSON-RPC messages, the queue of messages
// to write, the work that runs for the client, and the orderly end of all three, however the client
// ends. It knows frames and calls; it does not know sessions, documents or results.
package wire

import (
	"context"
	"fmt"
	"io"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"spell-lsp/lsp/redact"
)

// A Conn is the connection to a client. As a [protocol.Client] it sends messages to the
// user without control characters and with bounded length. Its methods may be called by
// several goroutines.
type Conn struct {
	sanitizedClient
	stream *stream
	rpc    jsonrpc2.Conn
	tasks  *Tasks
	log    *zap.Logger
}

// Open makes the connection to the client at the other end of rwc. Its work is registered
// in tasks. The client may send 1 MiB until it is admitted.
func Open(rwc io.ReadWriteCloser, tasks *Tasks, log *zap.Logger) *Conn {
	s := newStream(rwc, tasks, log)
	rpc := jsonrpc2.NewConn(s, jsonrpc2.WithCodec(codec{}))
	return &Conn{sanitizedClient: sanitizedClient{protocol.ClientDispatcher(rpc)}, stream: s, rpc: rpc, tasks: tasks, log: log}
}

// Serve passes the messages of the client to handle until the client is gone, Finish is
// called or ctx ends. Then it cancels all tasks, waits for them, and closes the stream.
// ended reports whether the connection came to its own end; err is then the error of the stream, or
// nil. Otherwise err says why Serve returned: ctx has ended, or cancelled work has not ended.
func (c *Conn) Serve(ctx context.Context, handle jsonrpc2.Handler) (ended bool, err error) {
	defer context.AfterFunc(ctx, c.stream.interrupt)()
	// Answers to calls that are being cancelled must still get out, so nothing
	// that the connection holds may end with ctx.
	c.rpc.Go(context.WithoutCancel(ctx), func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		result, err := handle(ctx, req)
		return result, sanitizeError(err)
	})
	select {
	case <-c.rpc.Done():
	case <-c.stream.stuck:
		return false, redact.PlainError(fmt.Sprintf("work for the client did not end within %v of being cancelled: %s", endLimit, strings.Join(c.tasks.Names(), ", ")))
	}
	if ctx.Err() != nil {
		return false, fmt.Errorf("serving: %w", ctx.Err())
	}
	return true, c.stream.err()
}

// Admit lifts the limit on what the client may send. A handler that accepts the client
// calls it before it returns.
func (c *Conn) Admit() { c.stream.admitted.Store(true) }

// Finish makes the message that is being handled the last one that is read.
func (c *Conn) Finish() { c.stream.finished.Store(true) }

// hangUp makes the client look gone.
func (c *Conn) hangUp() { c.stream.interrupt() }

// Notify sends a notification that the protocol does not define.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	return c.rpc.Notify(ctx, method, params)
}

// Lagging reports whether the client has much left to read.
func (c *Conn) Lagging() bool { return c.stream.out.lagging() }

// Room waits until the client has read most of the queue, or ctx ends. A caller that sends several
// states of the same thing waits here, so that a slow client gets only the last state.
func (c *Conn) Room(ctx context.Context) { c.stream.out.room(ctx) }
