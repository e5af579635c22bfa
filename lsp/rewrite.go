package lsp

import (
	"context"
	"errors"
	"fmt"

	"github.com/aymanbagabas/go-udiff"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/results"
	"spell-lsp/spell/advice"
)

// A rewrite replaces the texts of files in the editor, and saves none.
type rewrite []rewrittenFile

type rewrittenFile struct {
	path          string
	before, after string
}

// rewriteOf makes edits of the files of a result, in the texts that the editor has now.
func (s *session) rewriteOf(r *results.Result, edits []advice.Edit) (rewrite, error) {
	var rw rewrite
	files, of := advice.ByFile(edits)
	for _, file := range files {
		path := r.Path(file)
		source := s.sourceOf(path)
		if source == nil {
			return nil, fmt.Errorf("%s cannot be read any more", path)
		}
		after, err := advice.Rewrite([]byte(source.Text), of[file])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		rw = append(rw, rewrittenFile{path, source.Text, string(after)})
	}
	return rw, nil
}

// apply has the editor apply a rewrite. The error says if a file was edited meanwhile.
func (s *session) apply(ctx context.Context, label string, rw rewrite) error {
	if !s.client.Capabilities().Apply {
		return errors.New("this editor does not let a server edit files: take the patch of spell-lsp advise --fix")
	}
	for _, f := range rw {
		if source := s.sourceOf(f.path); source == nil || source.Text != f.before {
			return fmt.Errorf("%s was edited meanwhile", f.path)
		}
	}
	return s.client.Edit(ctx, label, s.workspaceEdit(rw))
}

// workspaceEdit returns a rewrite in the form that the client supports: only what differs, so that
// the cursor and marks of the user stay where they are.
func (s *session) workspaceEdit(rw rewrite) *protocol.WorkspaceEdit {
	edit := &protocol.WorkspaceEdit{}
	n, versioned := s.snapshots.Current(), s.client.Capabilities().Changes
	for _, f := range rw {
		at, of := location.NewMapper(f.before), n.URI(f.path)
		var version *int32
		if d := n.Documents[f.path]; d != nil {
			of, version = d.URI, &d.Version
		}
		var list []protocol.TextEdit
		for _, e := range udiff.Strings(f.before, f.after) {
			list = append(list, protocol.TextEdit{Range: at.Span(e.Start, e.End), NewText: e.New})
		}
		if !versioned {
			if edit.Changes == nil {
				edit.Changes = map[uri.URI][]protocol.TextEdit{}
			}
			edit.Changes[of] = list
			continue
		}
		change := &protocol.TextDocumentEdit{TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: of}, Version: version,
		}}
		for i := range list {
			change.Edits = append(change.Edits, &list[i])
		}
		edit.DocumentChanges = append(edit.DocumentChanges, change)
	}
	return edit
}

// texts returns the new texts by path.
func (rw rewrite) texts() map[string][]byte {
	texts := map[string][]byte{}
	for _, f := range rw {
		texts[f.path] = []byte(f.after)
	}
	return texts
}

// inverse returns the rewrite that takes this one back.
func (rw rewrite) inverse() rewrite {
	var back rewrite
	for _, f := range rw {
		back = append(back, rewrittenFile{f.path, f.after, f.before})
	}
	return back
}
