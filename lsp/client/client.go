// Package client is the editor at the other end: what it can do, as it says and as it
// turns out, and the messages and requests that it is sent. It does not know what they are
// about.
package client

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/wire"
)

// AnswerWait is how long the server waits for an answer of the client that it
// can do without. Some never answer what they do not know.
const AnswerWait = 10 * time.Second

// ServerName is the server's name in the protocol.
const ServerName = "spell-lsp"

// changedMethod tells a client that asked for it that what is shown looks different
// although it was not edited. The protocol has no words for that.
const changedMethod = "spell-lsp/changed"

// A Client is the editor at the other end: what it can do, and what it is told.
type Client struct {
	*wire.Conn
	log *zap.Logger

	mu  sync.Mutex
	can Capabilities
}

// New makes a client that is not connected yet. Until Introduce it can do nothing.
func New(log *zap.Logger) *Client { return &Client{log: log} }

// Capabilities is what the client can do, as far as it is known by now.
func (c *Client) Capabilities() Capabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.can
}

// Introduce notes what the client says that it can do.
func (c *Client) Introduce(can Capabilities) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.can = can
}

// Capable reports whether the client can do something.
func (c *Client) Capable(of func(*Capabilities) *bool) bool {
	can := c.Capabilities()
	return *of(&can)
}

// Refused notes the answer to a call. Some clients claim more than they can:
// one that does not know the method is not called again.
func (c *Client) Refused(err error, what string, of func(*Capabilities) *bool) {
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

// Show tells the user something, also when ctx has ended meanwhile.
func (c *Client) Show(ctx context.Context, kind protocol.MessageType, text string) {
	err := c.ShowMessage(context.WithoutCancel(ctx), &protocol.ShowMessageParams{Type: kind, Message: ServerName + ": " + text})
	if err != nil {
		c.log.Warn("showing a message", redact.Cause(err))
	}
}

// Log puts a message into the client's log.
func (c *Client) Log(ctx context.Context, kind protocol.MessageType, text string) {
	_ = c.LogMessage(ctx, &protocol.LogMessageParams{Type: kind, Message: text}) // lost with the client
}

// SendProgress sends a value of a progress, also when ctx has ended meanwhile.
func (c *Client) SendProgress(ctx context.Context, token protocol.ProgressToken, value any) {
	raw, err := protocol.Marshal(value)
	if err == nil {
		err = c.Progress(context.WithoutCancel(ctx), &protocol.ProgressParams{Token: token, Value: raw})
	}
	if err != nil {
		c.log.Info("telling progress", redact.Cause(err))
	}
}

// Publish sends the diagnostics of a file.
func (c *Client) Publish(ctx context.Context, params *protocol.PublishDiagnosticsParams) {
	if err := c.PublishDiagnostics(ctx, params); err != nil && ctx.Err() == nil {
		c.log.Warn("publishing diagnostics", redact.Cause(err))
	}
}

// CanRefresh is that the client can be told to ask for diagnostics again.
func CanRefresh(c *Capabilities) *bool { return &c.PullRefresh }

// RefreshDiagnostics tells the client to ask for diagnostics again. It reports whether
// the client can be told.
func (c *Client) RefreshDiagnostics(ctx context.Context) bool {
	c.ask(ctx, "refreshing diagnostics", CanRefresh, c.DiagnosticRefresh)
	return c.Capable(CanRefresh)
}

// RefreshLenses tells the client to ask for lenses again, if it can be told.
func (c *Client) RefreshLenses(ctx context.Context) {
	c.ask(ctx, "refreshing code lenses", func(c *Capabilities) *bool { return &c.LensRefresh }, c.CodeLensRefresh)
}

// RefreshHints tells the client to ask for inlay hints again, if it can be told.
func (c *Client) RefreshHints(ctx context.Context) {
	c.ask(ctx, "refreshing inlay hints", func(c *Capabilities) *bool { return &c.HintRefresh }, c.InlayHintRefresh)
}

// ask calls the client, if it can do what is asked, and does not wait for long.
func (c *Client) ask(ctx context.Context, what string, able func(*Capabilities) *bool, call func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, AnswerWait)
	defer cancel()
	if c.Capable(able) {
		c.Refused(call(ctx), what, able)
	}
}

// TellChanged tells a client that wants to know it that what is shown is not what
// it was, for another cause than its own edits.
func (c *Client) TellChanged(ctx context.Context) {
	if !c.Capable(func(c *Capabilities) *bool { return &c.HearsChanges }) {
		return
	}
	if err := c.Notify(ctx, changedMethod, struct{}{}); err != nil && ctx.Err() == nil {
		c.log.Warn("telling of other results", redact.Cause(err))
	}
}

// Capabilities is what the server needs to know about its client. The zero
// value is the poorest client.
type Capabilities struct {
	Markdown      bool // in hovers
	Progress      bool // the server may create progress
	Configuration bool // the server may ask for settings
	ConfigChanges bool // the client can be asked to tell of changes of settings
	LensRefresh   bool
	LensResolve   bool // lenses may come without their commands
	Watch         bool // files can be watched
	HintRefresh   bool
	Actions       bool // code actions may be more than commands
	Disabled      bool // code actions may be there that cannot be chosen
	Changes       bool // edits of the workspace may have versions
	Create        bool // and make files
	Pull          bool // diagnostics are asked for
	PullRefresh   bool // and asked for again when the client is told to
	HearsChanges  bool // it wants to be told when what is shown changes, see changedMethod
	SpacedTables  bool // its tables in Markdown have no room between columns
	NoVersions    bool // diagnostics must not name the version of their document
	Pushed        DiagnosticAbilities
	Pulled        DiagnosticAbilities
}

// DiagnosticAbilities is what diagnostics may have.
type DiagnosticAbilities struct {
	Related bool // places of other code
	Link    bool // of the code
	Fade    bool // the tag for what is unnecessary
}
