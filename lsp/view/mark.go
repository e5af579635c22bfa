package view

import (
	"path/filepath"
	"strings"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A Mark is a measured component where it stands now.
type Mark struct {
	Result *results.Result
	Index  int // index into result.run.Components
	outline.Function
	Stale   bool // the body is not the one that was measured
	covered bool // something newer is shown in its place
}

// Counted is the component with what it used in the tests that the ranking is of.
func (m *Mark) Counted() *record.Component { return &m.Result.Counted().Components[m.Index] }

func (m *Mark) Component() *record.Component { return &m.Result.Run.Components[m.Index] }

// IsGoFunction reports whether the mark is a function of a Go file, and so one
// that can be measured.
func (m *Mark) IsGoFunction() bool { return m.Component().Kind == spell.KindFunction && m.Name != "" }

// WasRenamed reports whether a function was called otherwise when it was measured:
// by its ID it is not found any more.
func (m *Mark) WasRenamed() bool {
	name, _ := results.LocalName(m.Component())
	return m.IsGoFunction() && name != m.Name
}

func (m *Mark) hidden() bool { return m.Result.Excludes(m.Component()) }

// ExcludeEntry is what in exclude leaves out the component, "" if nothing does.
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
	default: // a type or block is not left out alone
	}
	return ""
}

// literal is the glob that matches a name only.
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
