package lsp

import (
	"context"
	"errors"
	"sync"
	"time"

	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/wire"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// answerWait is how long the server waits for an answer of the client that it
// can do without. Some never answer what they do not know.
const answerWait = 10 * time.Second

// A client is the editor at the other end: what it can do, and what it is told.
type client struct {
	*wire.Conn
	log *zap.Logger

	mu  sync.Mutex
	can capabilities
}

// abilities is what the client can do, as far as it is known by now.
func (c *client) abilities() capabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.can
}

// introduced notes what the client says that it can do.
func (c *client) introduced(can capabilities) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.can = can
}

// capable reports whether the client can do something.
func (c *client) capable(of func(*capabilities) *bool) bool {
	can := c.abilities()
	return *of(&can)
}

// refused notes the answer to a call. Some clients claim more than they can:
// one that does not know the method is not called again.
func (c *client) refused(err error, what string, of func(*capabilities) *bool) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	c.log.Info(what, redact.Cause(err))
	if errors.Is(err, jsonrpc2.ErrMethodNotFound) {
		c.mu.Lock()
		*of(&c.can) = false
		c.mu.Unlock()
	}
}

// show tells the user something, also when ctx has ended meanwhile.
func (c *client) show(ctx context.Context, kind protocol.MessageType, text string) {
	err := c.ShowMessage(context.WithoutCancel(ctx), &protocol.ShowMessageParams{Type: kind, Message: Name + ": " + text})
	if err != nil {
		c.log.Warn("showing a message", redact.Cause(err))
	}
}

// note puts a message into the client's log.
func (c *client) note(ctx context.Context, kind protocol.MessageType, text string) {
	_ = c.LogMessage(ctx, &protocol.LogMessageParams{Type: kind, Message: text}) // lost with the client
}

// publish sends the diagnostics of a file.
func (c *client) publish(ctx context.Context, params *protocol.PublishDiagnosticsParams) {
	if err := c.PublishDiagnostics(ctx, params); err != nil && ctx.Err() == nil {
		c.log.Warn("publishing diagnostics", redact.Cause(err))
	}
}

// canRefresh is that the client can be told to ask for diagnostics again.
func canRefresh(c *capabilities) *bool { return &c.pullRefresh }

// refreshDiagnostics tells the client to ask for diagnostics again. It reports whether
// the client can be told.
func (c *client) refreshDiagnostics(ctx context.Context) bool {
	c.ask(ctx, "refreshing diagnostics", canRefresh, c.DiagnosticRefresh)
	return c.capable(canRefresh)
}

// refreshLenses tells the client to ask for lenses again, if it can be told.
func (c *client) refreshLenses(ctx context.Context) {
	c.ask(ctx, "refreshing code lenses", func(c *capabilities) *bool { return &c.lensRefresh }, c.CodeLensRefresh)
}

// refreshHints tells the client to ask for inlay hints again, if it can be told.
func (c *client) refreshHints(ctx context.Context) {
	c.ask(ctx, "refreshing inlay hints", func(c *capabilities) *bool { return &c.hintRefresh }, c.InlayHintRefresh)
}

// ask calls the client, if it can do what is asked, and does not wait for long.
func (c *client) ask(ctx context.Context, what string, able func(*capabilities) *bool, call func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	if c.capable(able) {
		c.refused(call(ctx), what, able)
	}
}

// tellChanged tells a client that wants to know it that what is shown is not what
// it was, for another cause than its own edits.
func (c *client) tellChanged(ctx context.Context) {
	if !c.capable(func(c *capabilities) *bool { return &c.hearsChanges }) {
		return
	}
	if err := c.Notify(ctx, changedMethod, struct{}{}); err != nil && ctx.Err() == nil {
		c.log.Warn("telling of other results", redact.Cause(err))
	}
}

func (s *session) show(ctx context.Context, kind protocol.MessageType, text string) {
	s.client.show(ctx, kind, text)
}

func (s *session) capable(of func(*capabilities) *bool) bool { return s.client.capable(of) }

func (s *session) refused(err error, what string, of func(*capabilities) *bool) {
	s.client.refused(err, what, of)
}
