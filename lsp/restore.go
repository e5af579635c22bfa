package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// restore shows the last saved runs of a folder, beneath the results that are already shown.
// It does so once for each folder.
func (s *session) restore(ctx context.Context, dir string) {
	clears := s.snapshots.Current().Clears
	if s.Store == nil || !s.restored.add(dir) {
		return
	}
	entries, err := s.Store.List(dir)
	if err != nil {
		s.log.Warn("listing saved runs", redact.Cause(err))
	}
	for _, e := range lastOf(entries) {
		if err := s.restoreRun(ctx, dir, e, clears); err != nil {
			s.client.Show(ctx, protocol.MessageTypeWarning, err.Error())
		}
	}
	s.publisher.Soon()
}

// restoreFor restores the last runs of the module that contains a file.
func (s *session) restoreFor(ctx context.Context, path string) {
	folders := s.snapshots.Current().Folders
	if dir, err := moduleDir(path, folders); err == nil {
		s.restore(ctx, dir)
	}
}

// restoreFolders restores the last runs of the open folders.
func (s *session) restoreFolders(ctx context.Context) {
	folders := s.snapshots.Current().Folders
	for _, f := range folders {
		s.restore(ctx, f.Path)
	}
}

// lastOf picks the newest run and, if that covers only a part of the folder, also the newest
// run of the whole folder. The entries are sorted, newest first. Loaded runs do not count.
func lastOf(entries []store.Entry) []store.Entry {
	entries = slices.DeleteFunc(entries, func(e store.Entry) bool { return strings.HasPrefix(e.Scope, store.Loaded) })
	for i, e := range entries {
		if e.Scope == "" {
			return append([]store.Entry{e}, entries[:min(i, 1)]...)
		}
	}
	return entries[:min(len(entries), 1)]
}

// restoreRun shows a saved run, unless the user has cleared the results since: clears is the
// number of times that they had been cleared before.
func (s *session) restoreRun(ctx context.Context, dir string, e store.Entry, clears int) error {
	run, err := s.Store.Load(dir, e.ID)
	if err != nil {
		return fmt.Errorf("the last run of %s cannot be shown: %w", dir, err)
	}
	s.awaitSettings(ctx)
	current, err := s.settingsOf(dir)
	if err != nil {
		s.complain(ctx, err) // corrected settings are applied later
		current = settings.Default()
	}
	inside := s.snapshots.Current().OpenFolder(dir) != ""
	r := results.New(results.Origin{Dir: dir, Root: results.RootOf(dir, run.Workspace.Root), Scope: e.Scope, Restored: true, InWorkspace: inside}, run, current)
	r.RememberTexts(s.sourceOf)
	calls := r.Calls
	s.tasks.Go(ctx, "following calls", func(context.Context) { calls() }) // in the background, so that a saved run is shown soon
	r = s.compared(ctx, r)
	s.logIncomparable(ctx, r)
	shown := false
	s.update(func(next *snapshot.Snapshot) bool {
		shown = next.Clears == clears && len(next.StillOpen([]*results.Result{r})) > 0
		if shown {
			next.Show(next.Results.Beneath(r))
		}
		return shown
	})
	if !shown {
		return nil
	}
	s.reconfigure(ctx) // settings may have changed meanwhile
	s.publishNeighbours(r)
	return nil
}

// publishNeighbours publishes the files without components of a result in folders with
// components of it: such a file may have been added while no server was running, and
// components may have moved to it. New folders are not searched, because they may hold many
// files.
func (s *session) publishNeighbours(r *results.Result) {
	n := s.snapshots.Current()
	rs := n.Results
	if !slices.ContainsFunc(rs.List, func(shown *results.Result) bool { return shown.Run == r.Run || shown.Run.ID == r.Run.ID }) {
		return
	}
	var others []string
	for dir := range r.Folders() {
		if rs.Hides(r, filepath.Join(dir, "any.go")) {
			continue
		}
		for _, path := range n.GoFiles(dir) {
			if _, ok := slices.BinarySearch(r.FilesIn(dir), path); !ok && !strings.HasSuffix(path, "_test.go") {
				others = append(others, path)
			}
		}
	}
	s.publisher.Republish(others...)
}
