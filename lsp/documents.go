package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/settings"
)

// openParams is the part of the protocol's type that the server needs, with the
// URI as the client wrote it.
type openParams struct {
	TextDocument struct {
		URI     string
		Version int32
		Text    *string
	}
}

func (s *session) didOpen(ctx context.Context, raw jsonrpc2.RawMessage) error {
	var params openParams
	if err := json.Unmarshal(raw, &params); err != nil {
		return fmt.Errorf("reading the parameters: %w", err)
	}
	d := params.TextDocument
	if d.Text == nil {
		return fmt.Errorf("opening %s: there is no text", d.URI)
	}
	k, err := location.Key(d.URI)
	if err != nil {
		return fmt.Errorf("opening %s: %w", d.URI, err)
	}
	path := s.pathOfKey(k)
	s.put(&snapshot.Document{URI: uri.URI(d.URI), Key: k, Path: path, Version: d.Version, Source: outline.NewSource(*d.Text, nil)})
	if s.Store != nil && strings.HasSuffix(path, ".go") {
		s.tasks.Go(ctx, "looking for saved runs", func(ctx context.Context) { s.restoreFor(ctx, path) })
	}
	return nil
}

// changeParams is the protocol's type, but for clients that write null: before
// LSP 3.16 the version could be it, and some do so for a range that is not
// there.
type changeParams struct {
	TextDocument struct {
		URI     string
		Version *int32
	}
	ContentChanges []location.Change
}

func (s *session) didChange(_ context.Context, raw jsonrpc2.RawMessage) error {
	var params changeParams
	if err := json.Unmarshal(raw, &params); err != nil {
		return fmt.Errorf("reading the parameters: %w", err)
	}
	u := params.TextDocument.URI
	k, err := location.Key(u)
	if err != nil {
		return fmt.Errorf("changing %s: %w", u, err)
	}
	old := s.snapshots.Current().Open[k]
	if old == nil {
		return fmt.Errorf("changing %s: it is not open", u)
	}
	text := location.SplitLines(old.Source.Text)
	for i, change := range params.ContentChanges {
		if text, err = text.Apply(change); err != nil {
			return fmt.Errorf("change %d of %s: %w", i, u, err)
		}
	}
	changed := *old
	changed.Source = outline.NewSource(text.Text(), old.Source)
	if v := params.TextDocument.Version; v != nil {
		changed.Version = *v
	}
	s.put(&changed)
	return nil
}

// didSave changes nothing but what is on disk, which no open document is
// shown by; the settings may be in the file.
func (s *session) didSave(_ context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.DidSaveTextDocumentParams](raw)
	if err != nil {
		return err
	}
	path, err := s.pathOf(params.TextDocument.URI)
	if err != nil {
		return err
	}
	s.touched(path)
	return nil
}

func (s *session) didClose(_ context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.DidCloseTextDocumentParams](raw)
	if err != nil {
		return err
	}
	k, err := location.Key(string(params.TextDocument.URI))
	if err != nil {
		return err
	}
	closed := s.snapshots.Current().Open[k]
	if closed == nil {
		return fmt.Errorf("closing %s: it is not open", params.TextDocument.URI)
	}
	s.publisher.Closed(k)
	s.snapshots.Update(func(next *snapshot.Snapshot) bool {
		next.Close(closed)
		return true
	})
	s.textsChanged(closed.Path)
	return nil
}

func (s *session) put(d *snapshot.Document) {
	s.snapshots.Update(func(next *snapshot.Snapshot) bool {
		next.Put(d)
		return true
	})
	s.textsChanged(d.Path)
}

// touched notes that the text of files changed on disk.
func (s *session) touched(paths ...string) {
	if len(paths) == 0 {
		return
	}
	s.snapshots.Update(func(next *snapshot.Snapshot) bool {
		next.Touch()
		return true
	})
	s.textsChanged(paths...)
}

// textsChanged has published what changed texts change.
func (s *session) textsChanged(paths ...string) {
	isSettings := func(path string) bool { return filepath.Base(path) == settings.FileName }
	if slices.ContainsFunc(paths, isSettings) {
		s.rereadSettings(true)
	}
	s.publisher.TextsChanged(paths)
}

// pathOf gives the path of a document, open or not, by its URI.
func (s *session) pathOf(u uri.URI) (string, error) {
	k, err := location.Key(string(u))
	if err != nil {
		return "", jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the URI %q: %v", u, err)
	}
	return s.pathOfKey(k), nil
}

// pathOfKey keeps the path of an open document, wherever its links lead to
// meanwhile.
func (s *session) pathOfKey(k string) string {
	d := s.snapshots.Current().Open[k]
	switch {
	case d != nil:
		return d.Path
	case filepath.IsAbs(k):
		return location.Resolve(k)
	}
	return k
}

// rereadSettings shows results by the settings files as they are now and, if these are
// known to have changed, lenses of tests too.
func (s *session) rereadSettings(changed bool) {
	s.tasks.Go(context.Background(), readingSettings, func(ctx context.Context) {
		s.check(ctx)
		if changed {
			s.publisher.RefreshWithNext()
		}
		s.reconfigure(ctx)
	})
}

// sourceOf gives the text of a file as it stands: in the editor, or else on
// disk. It returns nil if there is none.
func (s *session) sourceOf(path string) *outline.Source {
	return s.snapshots.Current().Source(path)
}

// lookAhead reads files and finds their functions, so that a result that comes later is
// shown sooner.
func (s *session) lookAhead(ctx context.Context, paths []string) {
	defer func() {
		if p := recover(); p != nil {
			_ = s.tasks.Panicked("looking at files", p) // nobody waits for it
		}
	}()
	outline.ParseAhead(ctx, paths, s.sourceOf)
}

// unsaved lists the open Go files that differ from what is on disk, wherever
// they are: what is measured may import packages of other modules and folders.
func (s *session) unsaved() map[string][]byte {
	buffers := map[string][]byte{}
	for path, d := range s.snapshots.Current().Documents {
		if !strings.HasSuffix(path, ".go") || !filepath.IsAbs(path) {
			continue
		}
		if text, err := regularfile.Read(path, regularfile.MaxSource); err != nil || string(text) != d.Source.Text {
			buffers[path] = []byte(d.Source.Text)
		}
	}
	return buffers
}
