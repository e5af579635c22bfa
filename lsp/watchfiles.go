package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/watch"
	"spell-lsp/spell/settings"
)

// watchFiles learns of changes that are made outside of the client's buffers,
// so that results of files that are not open do not look fresh when they are
// not: from the client, or where it cannot tell, from the system.
func (s *session) watchFiles(ctx context.Context) {
	can := func(c *client.Capabilities) *bool { return &c.Watch }
	which := func(string) bool { return true }
	if s.client.Capable(can) {
		err := s.registerWatchers(ctx)
		s.client.Refused(err, "watching files", can)
		if err == nil { // results of other languages are rare, the client is not asked for all files
			which = func(path string) bool { return !strings.HasSuffix(path, ".go") || !s.inFolder(path) }
			s.rereadSettings(false) // of a change before this the client did not tell
		}
	}
	w := watch.Watcher{
		Files: func() []string { return s.measuredFiles(which) }, Roots: s.roots,
		Changed: s.touched, Appeared: func() { s.rereadSettings(false) }, Again: s.measured, Log: s.log,
	}
	w.Run(ctx)
}

// inFolder reports whether a file is in one of the open folders, which are all that
// a client watches.
func (s *session) inFolder(path string) bool {
	return s.snapshots.Current().OpenFolder(path) != ""
}

// roots lists the open folders.
func (s *session) roots() []string {
	var roots []string
	for _, f := range s.snapshots.Current().Folders {
		roots = append(roots, f.Path)
	}
	return roots
}

// measuredFiles lists those of the files with results that the server has to
// look after itself.
func (s *session) measuredFiles(which func(path string) bool) []string {
	return slices.DeleteFunc(s.snapshots.Current().Results.Paths(), func(path string) bool { return !which(path) })
}

func (s *session) registerWatchers(ctx context.Context) error {
	comesOrGoes := protocol.WatchKindCreate | protocol.WatchKindDelete
	options, err := json.Marshal(map[string]any{"watchers": []map[string]any{
		{"globPattern": "**/*.go"}, {"globPattern": "**/" + settings.FileName},
		{"globPattern": "**/*", "kind": comesOrGoes}, // folders: of the files in them nothing is told then
	}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, client.AnswerWait)
	defer cancel()
	return s.client.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: Name + ".files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
	}}})
}
