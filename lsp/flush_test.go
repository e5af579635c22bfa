package lsp

import (
	"context"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// FlushMethod is answered when all that was due when it was called has been
// published, and the client was told to ask again for what it asks for by itself.
// Only tests have it.
const FlushMethod = "$/flush"

func init() {
	calls[FlushMethod] = func(s *session, _ jsonrpc2.RawMessage) (work, error) {
		return func(ctx context.Context) (any, error) {
			s.flush(ctx) // this turn may make another one due
			for s.flush(ctx); s.refreshing() && ctx.Err() == nil; s.flush(ctx) {
				time.Sleep(time.Millisecond)
			}
			return nil, ctx.Err()
		}, nil
	}
}

func (s *session) refreshing() bool {
	return slices.ContainsFunc(s.tasks.names(), func(name string) bool {
		return name == diagnosticsAgain || name == lensesAgain || name == hintsAgain
	})
}
