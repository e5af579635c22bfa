package lsp

import (
	"context"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"

	"spell-lsp/lsp/publish"
)

// FlushMethod is a method that exists only in tests. It is answered when the settings have
// been read, all files that were due have been published, and the client has answered the
// requests to refresh.
const FlushMethod = "$/flush"

func init() {
	calls[FlushMethod] = func(s *session, _ jsonrpc2.RawMessage) (work, error) {
		return func(ctx context.Context) (any, error) {
			s.publisher.Flush(ctx)
			s.publisher.Flush(ctx) // files that became due during the first
			for s.changing() && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
				s.publisher.Flush(ctx)
			}
			return nil, ctx.Err()
		}, nil
	}
}

// changing reports whether a task is running that changes what the client sees.
func (s *session) changing() bool {
	return slices.ContainsFunc(s.tasks.Names(), func(name string) bool {
		switch name {
		case readingSettings, readingConfiguration, applyingConfiguration, publish.RefreshingDiagnostics, publish.RefreshingLenses, publish.RefreshingHints:
			return true
		}
		return false
	})
}
