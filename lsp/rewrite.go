package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell/advice"
)

var errNoEdits = errors.New("this editor does not let a server edit files: take the patch of spell-lsp advise --fix")

// A rewrite replaces the texts of files in the editor, and saves none.
type rewrite []rewrittenFile

type rewrittenFile struct {
	path          string
	before, after string
}

// rewriteOf makes edits of the files of a result, in the texts of the snapshot that was analysed.
func rewriteOf(n *snapshot.Snapshot, r *results.Result, edits []advice.Edit) (rewrite, error) {
	var rw rewrite
	files, of := advice.ByFile(edits)
	for _, file := range files {
		path := r.Path(file)
		source := n.Source(path)
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

// apply has the editor apply a rewrite. It is an error if a file was edited meanwhile.
func (s *session) apply(ctx context.Context, label string, rw rewrite) error {
	edit, err := rw.edit(s.snapshots.Current(), s.client.Capabilities().Changes)
	if err != nil {
		return err
	}
	return s.client.Edit(ctx, label, edit)
}

// edit returns a rewrite of the texts of a snapshot in the form that the client supports: only what
// differs, so that the cursor and marks of the user stay where they are.
func (rw rewrite) edit(n *snapshot.Snapshot, versioned bool) (*protocol.WorkspaceEdit, error) {
	edit := &protocol.WorkspaceEdit{}
	for _, f := range rw {
		source := n.Source(f.path)
		if source == nil || !sameText(source.Text, f.before) {
			return nil, fmt.Errorf("%s was edited meanwhile", f.path)
		}
		of := n.URI(f.path)
		var version *int32
		if d := n.Documents[f.path]; d != nil {
			of, version = d.URI, &d.Version
		}
		var list []protocol.TextEdit
		for _, e := range udiff.Strings(source.Text, f.after) {
			list = append(list, protocol.TextEdit{Range: source.Mapper().Span(e.Start, e.End), NewText: e.New})
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
	return edit, nil
}

// sameText compares texts without regard to line ends, which editors make all alike.
func sameText(a, b string) bool {
	return a == b || strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
}

// isEdited reports whether a file of an applied rewrite has another text than after it.
func (rw rewrite) isEdited(s *session) bool {
	for _, f := range rw {
		if source := s.sourceOf(f.path); source == nil || !sameText(source.Text, f.after) {
			return true
		}
	}
	return false
}

// texts returns the new texts by path.
func (rw rewrite) texts() map[string][]byte {
	texts := map[string][]byte{}
	for _, f := range rw {
		texts[f.path] = []byte(f.after)
	}
	return texts
}

func (rw rewrite) paths() []string {
	var list []string
	for _, f := range rw {
		list = append(list, f.path)
	}
	return list
}

// inverse returns the rewrite that takes this one back.
func (rw rewrite) inverse() rewrite {
	var back rewrite
	for _, f := range rw {
		back = append(back, rewrittenFile{f.path, f.after, f.before})
	}
	return back
}
