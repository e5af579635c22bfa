// Package client represents the editor: what it supports, as announced and as its answers
// show, and the messages and requests to it. It does not know what they are about.
package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/wire"
)

// AnswerWait is how long the server waits for an answer of the client that it does not need.
// Some clients never answer requests that they do not know.
const AnswerWait = 10 * time.Second

// ServerName is the server's name in the protocol.
const ServerName = "spell-lsp"

// changedMethod is not part of the protocol: it tells a client that asked for it that a file
// renders differently although nobody edited it.
const changedMethod = "spell-lsp/changed"

// A Client is the connection to the editor, with the editor's capabilities.
type Client struct {
	*wire.Conn
	log *zap.Logger

	mu  sync.Mutex
	can Capabilities
}

// New returns a client that is not connected yet. Until Introduce it has no capabilities.
func New(log *zap.Logger) *Client { return &Client{log: log} }

// Capabilities returns the known capabilities of the client.
func (c *Client) Capabilities() Capabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.can
}

// Introduce records the capabilities that the client announced.
func (c *Client) Introduce(can Capabilities) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.can = can
}

// Capable reports whether the client has a capability.
func (c *Client) Capable(of func(*Capabilities) *bool) bool {
	can := c.Capabilities()
	return *of(&can)
}

// Refused logs the error with which the client answered a call. Some clients announce more
// than they support: if a client does not know the method, the capability is removed.
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

// Show shows the user a message, also after ctx has ended.
func (c *Client) Show(ctx context.Context, kind protocol.MessageType, text string) {
	err := c.ShowMessage(context.WithoutCancel(ctx), &protocol.ShowMessageParams{Type: kind, Message: ServerName + ": " + text})
	if err != nil {
		c.log.Warn("showing a message", redact.Cause(err))
	}
}

// Ask shows the user a message with a choice of answers, and returns the one that was chosen; "" if
// none was, or the client shows none.
func (c *Client) Ask(ctx context.Context, kind protocol.MessageType, text string, answers ...string) string {
	params := &protocol.ShowMessageRequestParams{Type: kind, Message: ServerName + ": " + text}
	for _, a := range answers {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: a})
	}
	chosen, err := c.ShowMessageRequest(ctx, params)
	switch {
	case err != nil && ctx.Err() == nil:
		c.log.Info("asking the user", redact.Cause(err))
		c.Show(ctx, kind, text)
	case chosen != nil:
		return chosen.Title
	}
	return ""
}

// Edit asks the client to apply an edit, which its list of undo steps shows under a label.
func (c *Client) Edit(ctx context.Context, label string, edit *protocol.WorkspaceEdit) error {
	answer, err := c.ApplyEdit(ctx, &protocol.ApplyWorkspaceEditParams{Label: &label, Edit: *edit})
	switch {
	case err != nil:
		return fmt.Errorf("the editor did not make the change: %w", err)
	case answer != nil && answer.Applied:
		return nil
	case answer != nil && answer.FailureReason != nil && *answer.FailureReason != "":
		return fmt.Errorf("the editor did not make the change: %s", *answer.FailureReason)
	}
	return errors.New("the editor did not make the change")
}

// Log writes a message to the client's log.
func (c *Client) Log(ctx context.Context, kind protocol.MessageType, text string) {
	_ = c.LogMessage(ctx, &protocol.LogMessageParams{Type: kind, Message: text}) // fails only when the client is gone
}

// SendProgress sends a value of a progress, also after ctx has ended.
func (c *Client) SendProgress(ctx context.Context, token protocol.ProgressToken, value any) {
	raw, err := protocol.Marshal(value)
	if err == nil {
		err = c.Progress(context.WithoutCancel(ctx), &protocol.ProgressParams{Token: token, Value: raw})
	}
	if err != nil {
		c.log.Info("sending progress", redact.Cause(err))
	}
}

// Publish sends the diagnostics of a file.
func (c *Client) Publish(ctx context.Context, params *protocol.PublishDiagnosticsParams) {
	if err := c.PublishDiagnostics(ctx, params); err != nil && ctx.Err() == nil {
		c.log.Warn("publishing diagnostics", redact.Cause(err))
	}
}

// CanRefresh selects the capability workspace/diagnostic/refresh.
func CanRefresh(c *Capabilities) *bool { return &c.PullRefresh }

// RefreshDiagnostics tells the client to pull diagnostics again. It reports whether the
// client supports that.
func (c *Client) RefreshDiagnostics(ctx context.Context) bool {
	c.ask(ctx, "refreshing diagnostics", CanRefresh, c.DiagnosticRefresh)
	return c.Capable(CanRefresh)
}

// RefreshLenses tells the client to request lenses again, if it supports that.
func (c *Client) RefreshLenses(ctx context.Context) {
	c.ask(ctx, "refreshing code lenses", func(c *Capabilities) *bool { return &c.LensRefresh }, c.CodeLensRefresh)
}

// RefreshHints tells the client to request inlay hints again, if it supports that.
func (c *Client) RefreshHints(ctx context.Context) {
	c.ask(ctx, "refreshing inlay hints", func(c *Capabilities) *bool { return &c.HintRefresh }, c.InlayHintRefresh)
}

// ask calls the client, if it has the capability, and waits at most AnswerWait.
func (c *Client) ask(ctx context.Context, what string, able func(*Capabilities) *bool, call func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, AnswerWait)
	defer cancel()
	if c.Capable(able) {
		c.Refused(call(ctx), what, able)
	}
}

// TellChanged sends spell-lsp/changed to a client that asked for it.
func (c *Client) TellChanged(ctx context.Context) {
	if !c.Capable(func(c *Capabilities) *bool { return &c.HearsChanges }) {
		return
	}
	if err := c.Notify(ctx, changedMethod, struct{}{}); err != nil && ctx.Err() == nil {
		c.log.Warn("sending spell-lsp/changed", redact.Cause(err))
	}
}

// Capabilities are the capabilities of the client. The zero value is a client without any.
type Capabilities struct {
	Markdown      bool // hovers may be Markdown
	Progress      bool // the server may create progress
	Configuration bool // the server may request settings
	ConfigChanges bool // the server may register for changes of settings
	LensRefresh   bool
	LensResolve   bool // lenses may be sent without their commands
	Watch         bool // the server may register for changes of files
	HintRefresh   bool
	Actions       bool // code actions may be more than commands
	Disabled      bool // code actions may be disabled with a reason
	Apply         bool // the server may ask for edits
	Changes       bool // workspace edits may name versions of documents
	Create        bool // workspace edits may create files
	Pull          bool // the client pulls diagnostics
	PullRefresh   bool // the client pulls diagnostics again when it is told to
	HearsChanges  bool // the client wants to receive changedMethod
	SpacedTables  bool // tables need spaces between columns: the client renders them without a gap
	NoVersions    bool // diagnostics must not name the version of their document
	Pushed        DiagnosticAbilities
	Pulled        DiagnosticAbilities
}

// DiagnosticAbilities are the optional parts of diagnostics that a client supports.
type DiagnosticAbilities struct {
	Related bool // related information
	Link    bool // a link from the code to its documentation
	Fade    bool // the tag for unnecessary code
}
