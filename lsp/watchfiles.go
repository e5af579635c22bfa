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

// watchFiles watches for changes of files on disk, so that the results of a file that is not
// open do not look fresh after it changed. The client reports the changes or, if it cannot,
// the system.
func (s *session) watchFiles(ctx context.Context) {
	can := func(c *client.Capabilities) *bool { return &c.Watch }
	own := func(string) bool { return true } // files that the client does not watch
	if s.client.Capable(can) {
		err := s.registerWatchers(ctx)
		s.client.Refused(err, "watching files", can)
		if err == nil { // files of other languages seldom have results, so the client does not watch all files
			own = func(path string) bool { return !strings.HasSuffix(path, ".go") || !s.inFolder(path) }
			s.rereadSettings(false) // the client reported no changes before this
		}
	}
	w := watch.Watcher{
		Files: func() []string { return s.measuredFiles(own) }, Roots: s.roots,
		Changed: s.touched, Appeared: func() { s.rereadSettings(false) }, Again: s.measured, Log: s.log,
	}
	w.Run(ctx)
}

// inFolder reports whether a file is in an open folder: clients watch only these.
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

// measuredFiles lists the files with results that the server itself must watch.
func (s *session) measuredFiles(own func(path string) bool) []string {
	return slices.DeleteFunc(s.snapshots.Current().Results.Paths(), func(path string) bool { return !own(path) })
}

func (s *session) registerWatchers(ctx context.Context) error {
	createOrDelete := protocol.WatchKindCreate | protocol.WatchKindDelete
	options, err := json.Marshal(map[string]any{"watchers": []map[string]any{
		{"globPattern": "**/*.go"}, {"globPattern": "**/" + settings.FileName},
		{"globPattern": "**/*", "kind": createOrDelete}, // folders: clients do not report the files in them
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
