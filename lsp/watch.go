package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"go.lsp.dev/protocol"

	"spell-lsp/spell/settings"
)

// pollInterval is how often files with results are looked at where the client
// does not report changes.
const pollInterval = time.Second

// watchFiles learns of changes that are made outside of the client's buffers,
// so that results of files that are not open do not look fresh when they are
// not: from the client, or where it cannot tell, by looking.
func (s *session) watchFiles(ctx context.Context) {
	can := func(c *capabilities) *bool { return &c.watch }
	if s.capable(can) {
		err := s.registerWatchers(ctx)
		s.refused(err, "watching files", can)
		if err == nil || errors.Is(err, context.Canceled) {
			return
		}
	}
	s.pollFiles(ctx)
}

func (s *session) registerWatchers(ctx context.Context) error {
	options, err := json.Marshal(map[string]any{"watchers": []map[string]string{
		{"globPattern": "**/*.go"}, {"globPattern": "**/" + settings.FileName},
	}})
	if err != nil {
		return err
	}
	return s.client.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: Name + ".files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
	}}})
}

// A stamp tells whether a file has changed.
type stamp struct {
	size     int64
	modified time.Time
}

// pollFiles looks at the files that have results, until ctx ends. While there
// are no results it sleeps.
func (s *session) pollFiles(ctx context.Context) {
	seen := make(map[string]stamp)
	for {
		s.mu.Lock()
		paths := s.results.paths()
		s.mu.Unlock()
		var next <-chan time.Time
		if len(paths) > 0 {
			next = time.After(pollInterval)
		}
		var changed []string
		for _, path := range paths {
			var now stamp // zero for a file that is gone
			if info, err := os.Stat(path); err == nil {
				now = stamp{info.Size(), info.ModTime()}
			}
			// A file that is new here may have changed since it was measured.
			if before, ok := seen[path]; !ok || before != now {
				seen[path] = now
				changed = append(changed, path)
			}
		}
		if len(changed) > 0 {
			s.touched(changed...)
		}
		select {
		case <-ctx.Done():
			return
		case <-next:
		case <-s.measured:
		}
	}
}
