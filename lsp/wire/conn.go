// Package wire is the connection to one client: JSON-RPC messages with their headers,
// what waits to be written, what runs for the client and how all of that ends. It knows
// frames and calls, not sessions, documents or results.
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

// A conn is the connection to a client. Its methods as a [protocol.Client] send messages
// without control characters and of a bounded length: they quote compilers, names and
// files, and some editors show them on a terminal.
type Conn struct {
	cleanClient
	stream *stream
	rpc    jsonrpc2.Conn
	tasks  *Tasks
	log    *zap.Logger
}

// openConn makes the connection to the client at the other end of a stream, whose work
// is among tasks. Until Admit it takes a megabyte of that client at most.
func Open(rwc io.ReadWriteCloser, tasks *Tasks, log *zap.Logger) *Conn {
	s := newStream(rwc, tasks, log)
	rpc := jsonrpc2.NewConn(s, jsonrpc2.WithCodec(codec{}))
	return &Conn{cleanClient: cleanClient{protocol.ClientDispatcher(rpc)}, stream: s, rpc: rpc, tasks: tasks, log: log}
}

// serve gives handle every message of the client until it is gone, or has been
// finished, or ctx ends; then it cancels all tasks, waits for them, and closes the
// stream. It reports whether the connection came to its own end, with what was wrong
// with the stream, nil for nothing. Otherwise the error says what else it ended by.
func (c *Conn) Serve(ctx context.Context, handle jsonrpc2.Handler) (ended bool, err error) {
	defer context.AfterFunc(ctx, c.stream.interrupt)()
	// Answers to calls that are being cancelled must still get out, so nothing
	// that the connection holds may end with ctx.
	c.rpc.Go(context.WithoutCancel(ctx), func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		result, err := handle(ctx, req)
		return result, cleanError(err)
	})
	select {
	case <-c.rpc.Done():
	case <-c.stream.stuck:
		return false, redact.PlainError(fmt.Sprintf("work for the client did not end within %v of being cancelled: %s", lastWait, strings.Join(c.tasks.Names(), ", ")))
	}
	if ctx.Err() != nil {
		return false, fmt.Errorf("serving: %w", ctx.Err())
	}
	return true, c.stream.err()
}

// admit lets the client send as much as it likes. It is called while a message is handled.
func (c *Conn) Admit() { c.stream.admitted.Store(true) }

// finish makes the message that is being handled the last one that is read.
func (c *Conn) Finish() { c.stream.finished.Store(true) }

// hangUp makes the client look gone.
func (c *Conn) hangUp() { c.stream.interrupt() }

// notify sends what the protocol has no words for.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	return c.rpc.Notify(ctx, method, params)
}

// lagging reports whether the client has much to read yet.
func (c *Conn) Lagging() bool { return c.stream.out.full() }

// room waits until the client has read most of what it was sent, or ctx ends. What is
// sent again and again waits here, so that a client that lags behind gets the last state
// only.
func (c *Conn) Room(ctx context.Context) { c.stream.out.room(ctx) }
