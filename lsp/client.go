package lsp

import (
	"context"
	"errors"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/redact"
)

// answerWait is how long the server waits for an answer of the client that it
// can do without. Some never answer what they do not know.
const answerWait = 10 * time.Second

// show tells the user something, also when ctx has ended meanwhile.
func (s *session) show(ctx context.Context, kind protocol.MessageType, text string) {
	err := s.client.ShowMessage(context.WithoutCancel(ctx), &protocol.ShowMessageParams{Type: kind, Message: Name + ": " + text})
	if err != nil {
		s.log.Warn("showing a message", redact.Cause(err))
	}
}

// capable reports whether the client can do something.
func (s *session) capable(of func(*capabilities) *bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *of(&s.can)
}

// refused notes the answer to a call. Some clients claim more than they can:
// one that does not know the method is not called again.
func (s *session) refused(err error, what string, of func(*capabilities) *bool) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	s.log.Info(what, redact.Cause(err))
	if errors.Is(err, jsonrpc2.ErrMethodNotFound) {
		s.mu.Lock()
		*of(&s.can) = false
		s.mu.Unlock()
	}
}

// refreshLenses tells the client to ask for lenses again, if it can be told.
func (s *session) refreshLenses(ctx context.Context) {
	refresh := func(c *capabilities) *bool { return &c.lensRefresh }
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	if s.capable(refresh) {
		s.refused(s.client.CodeLensRefresh(ctx), "refreshing code lenses", refresh)
	}
}
