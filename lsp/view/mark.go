package view

import (
	"path/filepath"
	"strings"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A Mark is a measured component where it stands now.
type Mark struct {
	Result *results.Result
	Index  int // of the component in Result.Run
	outline.Function
	Stale   bool // the body is not the one that was measured
	covered bool // a newer result is shown in its place
}

// Counted is the component with the values to show beside psi, see results.Result.
func (m *Mark) Counted() *record.Component { return &m.Result.Counted().Components[m.Index] }

// Component is the component as it is in the run.
func (m *Mark) Component() *record.Component { return &m.Result.Run.Components[m.Index] }

// IsGoFunction reports whether the mark is a function of a Go file: only those can be
// measured again.
func (m *Mark) IsGoFunction() bool { return m.Component().Kind == spell.KindFunction && m.Name != "" }

// WasRenamed reports whether a function had another name when it was measured. By its ID
// it is no longer found.
func (m *Mark) WasRenamed() bool {
	name, _ := results.LocalName(m.Component())
	return m.IsGoFunction() && name != m.Name
}

// BlockOf is the ID of the function that a block is of, "" where the mark is no block.
func (m *Mark) BlockOf() string { return results.BlockOf(m.Component()) }

// Notes say what became of the component since it was measured.
func (m *Mark) Notes() []note.Note {
	var list []note.Note
	if m.Stale {
		list = append(list, note.BodyEdited())
	}
	if m.WasRenamed() {
		list = append(list, note.Renamed(m.Component().ID))
	}
	return list
}

func (m *Mark) hidden() bool { return m.Result.Excludes(m.Component()) }

// ExcludeEntry is the entry of the setting exclude that leaves the component out, "" if
// none can: types and blocks are not left out alone.
func (m *Mark) ExcludeEntry() string {
	c := m.Component()
	switch c.Kind {
	case spell.KindFunction:
		return c.ID
	case spell.KindFile:
		return literal(c.File)
	case spell.KindPackage:
		if folder, err := filepath.Rel(m.Result.Root, filepath.Dir(m.Result.PackageFile(c))); err == nil && folder != "." {
			return literal(filepath.ToSlash(folder))
		}
	default:
	}
	return ""
}

// literal is the glob that matches this name only.
func literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// Called is the name of a component where it stands now.
func (m *Mark) Called() string {
	if m.IsGoFunction() {
		return m.Name
	}
	return results.NameInFile(m.Component())
}
