package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/spell/settings"
)

// A document is a text as it stands in the editor. It does not change: an
// edit makes a new one.
type document struct {
	uri     uri.URI // as the client writes it: some compare URIs as text
	version int32   // as the client counts; it may jump
	source  *source
}

// key is what documents are found by, however the client writes a URI: the
// path of a file, or else the URI in its canonical form.
func key(u uri.URI) string {
	if path, ok := pathOf(string(u)); ok {
		return path
	}
	if canonical, err := uri.Parse(string(u)); err == nil {
		return string(canonical)
	}
	return string(u)
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

func (s *session) didOpen(_ context.Context, raw jsonrpc2.RawMessage) error {
	var params openParams
	if err := json.Unmarshal(raw, &params); err != nil {
		return fmt.Errorf("reading the parameters: %w", err)
	}
	d := params.TextDocument
	if d.Text == nil {
		return fmt.Errorf("opening %s: there is no text", d.URI)
	}
	s.put(&document{uri: uri.URI(d.URI), version: d.Version, source: newSource(*d.Text, nil)})
	return nil
}

// changeParams is the protocol's type, but for clients that write null: before
// LSP 3.16 the version could be it, and some do so for a range that is not
// there.
type changeParams struct {
	TextDocument struct {
		URI     uri.URI
		Version *int32
	}
	ContentChanges []contentChange
}

type contentChange struct {
	Range *struct{ Start, End protocol.Position } // nil for the whole text
	Text  *string
}

func (s *session) didChange(_ context.Context, raw jsonrpc2.RawMessage) error {
	var params changeParams
	if err := json.Unmarshal(raw, &params); err != nil {
		return fmt.Errorf("reading the parameters: %w", err)
	}
	u := params.TextDocument.URI
	old := s.document(key(u))
	if old == nil {
		return fmt.Errorf("changing %s: it is not open", u)
	}
	text := old.source.text
	for i, change := range params.ContentChanges {
		var err error
		if text, err = change.apply(text); err != nil {
			return fmt.Errorf("change %d of %s: %w", i, u, err)
		}
	}
	changed := &document{uri: old.uri, version: old.version, source: newSource(text, old.source)}
	if v := params.TextDocument.Version; v != nil {
		changed.version = *v
	}
	s.put(changed)
	return nil
}

func (c contentChange) apply(text string) (string, error) {
	switch {
	case c.Text == nil:
		return "", errors.New("it has no text")
	case c.Range == nil:
		return *c.Text, nil
	}
	m := newMapper(text)
	from, to := m.offset(c.Range.Start), m.offset(c.Range.End)
	if from > to {
		return "", errors.New("its range ends before it starts")
	}
	return text[:from] + *c.Text + text[to:], nil
}

// didSave changes nothing but what is on disk, which no open document is
// shown by; the settings may be in the file.
func (s *session) didSave(_ context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.DidSaveTextDocumentParams](raw)
	if err != nil {
		return err
	}
	s.touched(key(params.TextDocument.URI))
	return nil
}

func (s *session) didClose(_ context.Context, raw jsonrpc2.RawMessage) error {
	params, err := decode[protocol.DidCloseTextDocumentParams](raw)
	if err != nil {
		return err
	}
	k := key(params.TextDocument.URI)
	s.mu.Lock()
	delete(s.documents, k)
	s.mu.Unlock()
	s.touched(k)
	return nil
}

func (s *session) put(d *document) {
	k := key(d.uri)
	s.mu.Lock()
	s.documents[k] = d
	s.mu.Unlock()
	s.touched(k)
}

func (s *session) document(key string) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.documents[key]
}

// touched notes that the text of a file changed, in the editor or on disk.
func (s *session) touched(path string) {
	if filepath.Base(path) == settings.FileName {
		s.reconfigure()
		return
	}
	s.mu.Lock()
	delete(s.views, path)
	s.changed(s.results.near(path))
	s.mu.Unlock()
	s.publishSoon()
}

// sourceOf gives the text of a file as it stands: in the editor, or else on
// disk. It returns nil if there is none.
func (s *session) sourceOf(path string) *source {
	if d := s.document(path); d != nil {
		return d.source
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return newSource(string(text), nil)
}

// unsaved lists the open Go files in dir that differ from what is on disk.
func (s *session) unsaved(dir string) map[string][]byte {
	s.mu.Lock()
	open := make(map[string]*document, len(s.documents))
	for k, d := range s.documents {
		if strings.HasSuffix(k, ".go") && filepath.IsAbs(k) && within(k, dir) {
			open[k] = d
		}
	}
	s.mu.Unlock()
	buffers := map[string][]byte{}
	for path, d := range open {
		if text, err := os.ReadFile(path); err != nil || string(text) != d.source.text {
			buffers[path] = []byte(d.source.text)
		}
	}
	return buffers
}
