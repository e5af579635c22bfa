package lsp

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/config"
	"spell-lsp/lsp/location"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/settings"
)

var errRenamed = errors.New("the function was renamed since it was measured: measure it again first")

// hide returns the edit that excludes a component from measurements by an entry in the
// configuration file. The user applies and saves it. The error says why there is no such
// edit.
func (s *session) hide(m *view.Mark) (*protocol.WorkspaceEdit, error) {
	if m.WasRenamed() {
		return nil, errRenamed
	}
	entry := m.ExcludeEntry()
	if entry == "" {
		return nil, errors.New("the setting exclude cannot name it: only functions, files and folders can be excluded")
	}
	open := s.snapshots.Current().OpenFolder(m.Result.Dir)
	file := filepath.Join(config.FileDir(m.Result.Dir, open), settings.FileName)
	target := configuration{uri: s.snapshots.Current().URI(file)}
	if d := s.snapshots.Current().Documents[file]; d != nil {
		target = configuration{uri: d.URI, version: &d.Version, text: d.Source.Text}
	} else if text, err := regularfile.Read(file, regularfile.MaxSettings); err == nil {
		target.text = string(text)
	} else if target.missing = errors.Is(err, fs.ErrNotExist); !target.missing {
		return nil, err
	}
	edit, err := settings.AddExclude([]byte(target.text), entry)
	if err != nil {
		return nil, err
	}
	if over, err := s.config.Over(settings.Settings{Exclude: []string{entry}}, open); err == nil && !slices.Contains(over.Exclude, entry) {
		return nil, errors.New("the editor's own setting spell.exclude overrides the one in " + settings.FileName)
	}
	return target.edit(edit, s.client.Capabilities())
}

// A configuration is the configuration file with its current text.
type configuration struct {
	uri     uri.URI
	version *int32 // of the open document; nil if the file is not open
	text    string
	missing bool
}

// edit returns an edit of the file in the form that the client supports.
func (c configuration) edit(e settings.Edit, can client.Capabilities) (*protocol.WorkspaceEdit, error) {
	change := protocol.TextEdit{Range: location.NewMapper(c.text).Span(e.From, e.To), NewText: e.Text}
	if c.missing && !can.Create {
		return nil, errors.New("there is no " + settings.FileName + ", and this editor does not let the server create it")
	}
	if !can.Changes {
		return &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{c.uri: {change}}}, nil
	}
	edits := &protocol.TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: c.uri}, Version: c.version,
		},
		Edits: []protocol.TextDocumentEditElement{&change},
	}
	if !c.missing {
		return &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{edits}}, nil
	}
	keep := true // another process may have created it meanwhile
	file := &protocol.CreateFile{
		Kind: string(protocol.ResourceOperationKindCreate), URI: c.uri, Options: &protocol.CreateFileOptions{IgnoreIfExists: &keep},
	}
	return &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{file, edits}}, nil
}
