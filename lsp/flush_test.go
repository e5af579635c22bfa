package lsp

import (
	"context"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"

	"spell-lsp/lsp/publish"
)

// FlushMethod is answered when the settings have been read, all that was due when it
// was called has been published, and the client has answered that it will ask again for
// what it asks for by itself. Only tests have it.
const FlushMethod = "$/flush"

func init() {
	calls[FlushMethod] = func(s *session, _ jsonrpc2.RawMessage) (work, error) {
		return func(ctx context.Context) (any, error) {
			s.publisher.Flush(ctx)
			s.publisher.Flush(ctx) // what the first made due
			for s.changing() && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
				s.publisher.Flush(ctx)
			}
			return nil, ctx.Err()
		}, nil
	}
}

// changing reports whether something runs that changes what is seen.
func (s *session) changing() bool {
	return slices.ContainsFunc(s.tasks.Names(), func(name string) bool {
		switch name {
		case readingSettings, readingConfiguration, applyingConfiguration, publish.RefreshingDiagnostics, publish.RefreshingLenses, publish.RefreshingHints:
			return true
		}
		return false
	})
}
