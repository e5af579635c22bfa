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

// A Mark is a measured component at its current place.
type Mark struct {
	Result *results.Result
	Index  int // of the component in Result.Run
	outline.Function
	Stale   bool // the body differs from the measured one
	covered bool // a newer result is shown at its place
}

// Counted returns the component with the values to show beside psi, see results.Result.
func (m *Mark) Counted() *record.Component { return &m.Result.Counted().Components[m.Index] }

// Component returns the component of the run.
func (m *Mark) Component() *record.Component { return &m.Result.Run.Components[m.Index] }

// IsGoFunction reports whether the mark is a function of a Go file: only those can be
// measured again.
func (m *Mark) IsGoFunction() bool { return m.Component().Kind == spell.KindFunction && m.Name != "" }

// WasRenamed reports whether a function had another name when it was measured: then it cannot be
// found by its ID.
func (m *Mark) WasRenamed() bool {
	name, _ := results.LocalName(m.Component())
	return m.IsGoFunction() && name != m.Name
}

// BlockOf returns the ID of the function that contains a block, or "" if the mark is not a block.
func (m *Mark) BlockOf() string { return results.BlockOf(m.Component()) }

// Notes say how the component changed since it was measured.
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

// ExcludeEntry returns the entry of the setting exclude that excludes the component, or "" for
// types and blocks, which cannot be excluded alone.
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

// literal returns the glob that matches only this name.
func literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// Called returns the current name of the component in its file.
func (m *Mark) Called() string {
	if m.IsGoFunction() {
		return m.Name
	}
	return results.NameInFile(m.Component())
}
