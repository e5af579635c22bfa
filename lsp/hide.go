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

// hide gives the edit that leaves a component out of measurements, by an entry
// in the configuration file, or says why there is none. The user applies and
// saves it.
func (s *session) hide(m *view.Mark) (*protocol.WorkspaceEdit, error) {
	if m.WasRenamed() {
		return nil, errRenamed
	}
	entry := m.ExcludeEntry()
	if entry == "" {
		return nil, errors.New("exclude has no way to say it: functions, files and folders can be left out")
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
		return nil, errors.New("the editor's own setting spell.exclude takes the place of that in " + settings.FileName)
	}
	return target.edit(edit, s.client.Capabilities())
}

// A configuration is the configuration file as it stands.
type configuration struct {
	uri     uri.URI
	version *int32 // in the editor, nil if it is not open
	text    string
	missing bool
}

// edit gives an edit of the file in the form that the client takes.
func (c configuration) edit(e settings.Edit, can client.Capabilities) (*protocol.WorkspaceEdit, error) {
	change := protocol.TextEdit{Range: location.NewMapper(c.text).Span(e.From, e.To), NewText: e.Text}
	if c.missing && !can.Create {
		return nil, errors.New("there is no " + settings.FileName + ", and the editor cannot be asked to make one")
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
	keep := true // another one may have made it meanwhile
	file := &protocol.CreateFile{
		Kind: string(protocol.ResourceOperationKindCreate), URI: c.uri, Options: &protocol.CreateFileOptions{IgnoreIfExists: &keep},
	}
	return &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{file, edits}}, nil
}
