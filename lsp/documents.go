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

// openParams is the part of the protocol's type that the server needs, with the URI exactly
// as the client wrote it.
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

// changeParams is the protocol's type, except that it accepts null: LSP before 3.16 allowed
// it as the version, and some clients send it in place of an absent range.
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

// didSave handles a file that was written to disk. Open documents are shown by their text
// in the editor, but the saved file may be the configuration file.
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

// touched records that files changed on disk.
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

// textsChanged publishes the effects of changed texts.
func (s *session) textsChanged(paths ...string) {
	isSettings := func(path string) bool { return filepath.Base(path) == settings.FileName }
	if slices.ContainsFunc(paths, isSettings) {
		s.rereadSettings(true)
	}
	s.publisher.TextsChanged(paths)
}

// pathOf returns the path of a document, open or not, by its URI.
func (s *session) pathOf(u uri.URI) (string, error) {
	k, err := location.Key(string(u))
	if err != nil {
		return "", jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the URI %q: %v", u, err)
	}
	return s.pathOfKey(k), nil
}

// pathOfKey returns the path of a document by its key. An open document keeps the path that
// it had when it was opened, even if symbolic links have changed.
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

// rereadSettings applies the settings files to the results. If the files are known to have
// changed, it refreshes the lenses of tests as well.
func (s *session) rereadSettings(changed bool) {
	s.tasks.Go(context.Background(), readingSettings, func(ctx context.Context) {
		s.check(ctx)
		if changed {
			s.publisher.RefreshWithNext()
		}
		s.reconfigure(ctx)
	})
}

// sourceOf returns the current text of a file: the text in the editor, else the text on
// disk, else nil.
func (s *session) sourceOf(path string) *outline.Source {
	return s.snapshots.Current().Source(path)
}

// parseAhead parses files while their tests are built, so that the result is shown sooner.
func (s *session) parseAhead(ctx context.Context, paths []string) {
	defer func() {
		if p := recover(); p != nil {
			_ = s.tasks.Panicked("parsing files", p) // no call waits for the error
		}
	}()
	outline.ParseAhead(ctx, paths, s.sourceOf)
}

// unsaved returns the texts of all open Go files that differ from the files on disk, in any
// folder: the measured packages may import packages of other modules and folders.
func unsaved(n *snapshot.Snapshot) map[string][]byte {
	buffers := map[string][]byte{}
	for path, d := range n.Documents {
		if !strings.HasSuffix(path, ".go") || !filepath.IsAbs(path) {
			continue
		}
		if text, err := regularfile.Read(path, regularfile.MaxSource); err != nil || string(text) != d.Source.Text {
			buffers[path] = []byte(d.Source.Text)
		}
	}
	return buffers
}
