package lsp

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/location"
	"spell-lsp/spell"
	"spell-lsp/spell/exclusion"
	"spell-lsp/spell/record"
	"spell-lsp/spell/regularfile"
	"spell-lsp/spell/settings"
)

// visible lists the marks that the user has not hidden: what the settings
// exclude from the next measurement is not shown of the last one.
func (v *view) visible() []*mark {
	v.once.Do(func() {
		for i := range v.marks {
			if m := &v.marks[i]; !m.covered && !m.hidden() {
				v.shown = append(v.shown, m)
			}
		}
	})
	return v.shown
}

// goFunction reports whether the mark is a function of a Go file, and so one
// that can be measured.
func (m *mark) goFunction() bool { return m.of().Kind == spell.KindFunction && m.Name != "" }

// renamed reports whether a function was called otherwise when it was measured:
// by its ID it is not found any more.
func (m *mark) renamed() bool {
	name, _ := localName(m.of())
	return m.goFunction() && name != m.Name
}

func (m *mark) hidden() bool { return m.result.hides(m.of()) }

func (r *result) hides(c *record.Component) bool {
	entries := r.settings.Exclude
	return len(entries) > 0 && (exclusion.File(entries, c.File) || exclusion.Function(entries, c.ID))
}

// entry is what in exclude leaves out the component, "" if nothing does.
func (m *mark) entry() string {
	c := m.of()
	switch c.Kind {
	case spell.KindFunction:
		return c.ID
	case spell.KindFile:
		return literal(c.File)
	case spell.KindPackage:
		if folder, err := filepath.Rel(m.result.root, filepath.Dir(m.result.clause(c))); err == nil && folder != "." {
			return literal(filepath.ToSlash(folder))
		}
	default: // a type or block is not left out alone
	}
	return ""
}

// literal is the glob that matches a name only.
func literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

var errRenamed = errors.New("the function was renamed since it was measured: measure it again first")

// hide gives the edit that leaves a component out of measurements, by an entry
// in the configuration file, or says why there is none. The user applies and
// saves it.
func (s *session) hide(m *mark) (*protocol.WorkspaceEdit, error) {
	if m.renamed() {
		return nil, errRenamed
	}
	entry := m.entry()
	if entry == "" {
		return nil, errors.New("exclude has no way to say it: functions, files and folders can be left out")
	}
	file := filepath.Join(s.configured(m.result.dir), settings.FileName)
	target := configuration{uri: s.snapshots.now().uriOf(file)}
	if d := s.snapshots.now().documents[file]; d != nil {
		target = configuration{uri: d.uri, version: &d.version, text: d.source.Text}
	} else if text, err := regularfile.Read(file, regularfile.MaxSettings); err == nil {
		target.text = string(text)
	} else if target.missing = errors.Is(err, fs.ErrNotExist); !target.missing {
		return nil, err
	}
	edit, err := settings.AddExclude([]byte(target.text), entry)
	if err != nil {
		return nil, err
	}
	if over, err := s.over(settings.Settings{Exclude: []string{entry}}, s.openFolder(m.result.dir)); err == nil && !slices.Contains(over.Exclude, entry) {
		return nil, errors.New("the editor's own setting spell.exclude takes the place of that in " + settings.FileName)
	}
	return target.edit(edit, s.client.abilities())
}

// A configuration is the configuration file as it stands.
type configuration struct {
	uri     uri.URI
	version *int32 // in the editor, nil if it is not open
	text    string
	missing bool
}

// edit gives an edit of the file in the form that the client takes.
func (c configuration) edit(e settings.Edit, can capabilities) (*protocol.WorkspaceEdit, error) {
	change := protocol.TextEdit{Range: location.NewMapper(c.text).Span(e.From, e.To), NewText: e.Text}
	if c.missing && !can.create {
		return nil, errors.New("there is no " + settings.FileName + ", and the editor cannot be asked to make one")
	}
	if !can.changes {
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
