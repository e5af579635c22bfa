package lsp

import (
	"context"
	"maps"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// publishSoon wakes publishLoop.
func (s *session) publishSoon() {
	select {
	case s.wake <- struct{}{}:
	default: // it is about to look anyway
	}
}

// flush waits until what is due now was published.
func (s *session) flush(ctx context.Context) {
	done := make(chan struct{})
	s.mu.Lock()
	s.flushes = append(s.flushes, done)
	s.mu.Unlock()
	s.publishSoon()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// publishLoop publishes the diagnostics of the files that are due. There is
// one such loop, so the last diagnostics of a file that the client gets are
// those of its last state. It is apart from the goroutine that reads because a
// client may write much before it reads again.
func (s *session) publishLoop(ctx context.Context) {
	shown := map[string]uri.URI{} // files with diagnostics, and what the client was told they are called
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		s.mu.Lock()
		due, flushes := slices.Sorted(maps.Keys(s.due)), s.flushes
		clear(s.due)
		restyle := s.restyle
		s.flushes, s.restyle = nil, false
		s.mu.Unlock()
		for _, path := range due {
			s.room(ctx)
			s.publish(ctx, path, shown)
		}
		if restyle {
			s.background(ctx, "refreshing code lenses", s.refreshLenses)
		}
		for _, f := range flushes {
			close(f)
		}
	}
}

func (s *session) publish(ctx context.Context, path string, shown map[string]uri.URI) {
	params := protocol.PublishDiagnosticsParams{URI: s.uriOf(path), Diagnostics: []protocol.Diagnostic{}}
	if v := s.view(path); v != nil {
		params.Diagnostics = v.diagnostics()
		if v.document != nil {
			params.URI = v.document.uri
			params.Version = protocol.NewOptional(v.document.version)
		}
	}
	if before, ok := shown[path]; ok && before != params.URI {
		s.notify(ctx, &protocol.PublishDiagnosticsParams{URI: before, Diagnostics: []protocol.Diagnostic{}})
	} else if !ok && len(params.Diagnostics) == 0 {
		return
	}
	s.notify(ctx, &params)
	shown[path] = params.URI
	if len(params.Diagnostics) == 0 {
		delete(shown, path)
	}
}

func (s *session) notify(ctx context.Context, params *protocol.PublishDiagnosticsParams) {
	if err := s.client.PublishDiagnostics(ctx, params); err != nil && ctx.Err() == nil {
		s.log.Warn("publishing diagnostics", cause(err))
	}
}
