package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/outline"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/settings"
)

// A document is a text as it stands in the editor. It does not change: an
// edit makes a new one.
type document struct {
	uri     uri.URI // as the client writes it: some compare URIs as text
	key     string  // see key
	path    string  // of a file without symbolic links, otherwise the key
	version int32   // as the client counts; it may jump
	source  *outline.Source
}

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
	s.put(&document{uri: uri.URI(d.URI), key: k, path: path, version: d.Version, source: outline.NewSource(*d.Text, nil)})
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
	s.mu.Lock()
	old := s.open[k]
	s.mu.Unlock()
	if old == nil {
		return fmt.Errorf("changing %s: it is not open", u)
	}
	text := location.SplitLines(old.source.Text)
	for i, change := range params.ContentChanges {
		if text, err = text.Apply(change); err != nil {
			return fmt.Errorf("change %d of %s: %w", i, u, err)
		}
	}
	changed := *old
	changed.source = outline.NewSource(text.Text(), old.source)
	if v := params.TextDocument.Version; v != nil {
		changed.version = *v
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

// didClose shows a file by another document of it, if there is one: the editor
// may have it open under the names of a folder and of a link to that.
func (s *session) didClose(_ context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.DidCloseTextDocumentParams](raw)
	if err != nil {
		return err
	}
	k, err := location.Key(string(params.TextDocument.URI))
	if err != nil {
		return err
	}
	s.mu.Lock()
	closed := s.open[k]
	if closed == nil {
		s.mu.Unlock()
		return fmt.Errorf("closing %s: it is not open", params.TextDocument.URI)
	}
	delete(s.open, k)
	delete(s.documents, closed.path)
	delete(s.pulls, k)
	for _, other := range slices.Sorted(maps.Keys(s.open)) {
		if d := s.open[other]; d.path == closed.path {
			s.documents[d.path] = d
		}
	}
	s.mu.Unlock()
	s.touched(closed.path)
	return nil
}

func (s *session) put(d *document) {
	s.mu.Lock()
	s.open[d.key], s.documents[d.path] = d, d
	s.mu.Unlock()
	s.touched(d.path)
}

func (s *session) document(path string) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.documents[path]
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
	s.mu.Lock()
	d := s.open[k]
	s.mu.Unlock()
	switch {
	case d != nil:
		return d.path
	case filepath.IsAbs(k):
		return location.Resolve(k)
	}
	return k
}

// touched notes that the text of files changed, in the editor or on disk.
func (s *session) touched(paths ...string) {
	if len(paths) == 0 {
		return
	}
	isSettings := func(path string) bool { return filepath.Base(path) == settings.FileName }
	if slices.ContainsFunc(paths, isSettings) {
		s.rereadSettings(true)
	}
	s.mu.Lock()
	s.changes++ // or the view of the text before, being made now, would be kept
	for _, path := range paths {
		delete(s.views, path)
	}
	if len(s.results.list) > 0 {
		s.changed(paths)
		s.changedBeside(s.beside(paths))
		for _, path := range paths {
			if s.documents[path] == nil {
				s.rewritten[path] = true
			}
		}
	}
	s.mu.Unlock()
	s.publishPolitely()
}

// rereadSettings shows results by the settings files as they are now and, if these are
// known to have changed, lenses of tests too.
func (s *session) rereadSettings(changed bool) {
	s.tasks.Go(context.Background(), readingSettings, func(ctx context.Context) {
		s.check(ctx)
		s.mu.Lock()
		s.restyle = s.restyle || changed
		s.mu.Unlock()
		s.reconfigure(ctx)
	})
}

// beside lists the files that a change of others may make look different: where a
// function has the name or the body of one of another file, and where what stands is
// of all of a folder. The caller holds mu.
func (s *session) beside(paths []string) []string {
	list := slices.Collect(maps.Keys(s.strays))
	folders := map[string]bool{}
	for _, path := range paths {
		folders[filepath.Dir(path)] = true
	}
	for dir := range folders {
		list = append(list, s.results.grouped(dir)...)
	}
	return list
}

// sourceOf gives the text of a file as it stands: in the editor, or else on
// disk. It returns nil if there is none.
func (s *session) sourceOf(path string) *outline.Source {
	if d := s.document(path); d != nil {
		return d.source
	}
	return s.disk.Source(path)
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
	s.mu.Lock()
	open := maps.Clone(s.documents)
	s.mu.Unlock()
	buffers := map[string][]byte{}
	for path, d := range open {
		if !strings.HasSuffix(path, ".go") || !filepath.IsAbs(path) {
			continue
		}
		if text, err := regularfile.Read(path, regularfile.MaxSource); err != nil || string(text) != d.source.Text {
			buffers[path] = []byte(d.source.Text)
		}
	}
	return buffers
}
