package runner

import (
	"slices"
	"strings"

	"spell-lsp/runner/execution"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// mostOutside is how many functions outside of the workspace have rows. Programs run a few hundred,
// and some thousands under different callers.
const mostOutside = 1 << 12

// keepLibrary reserves rows for functions outside of the workspace, which are known by their samples
// only. Rows that none has have no ID.
func (m *measurement) keepLibrary() {
	if !m.Library.Own || m.sampling == nil {
		return
	}
	n := len(m.build.Components)
	m.build.Components = slices.Concat(m.build.Components, make([]spell.Component, mostOutside))
	m.sampling.Library = &execution.Library{Callers: m.Library.Callers, First: n + 1, Most: mostOutside}
	m.units, m.unitOf = unitsOf(m.build, m.Granularity)
	m.note(note.LibraryKept(m.Library.String()))
}

// reserved is how many rows there are for functions outside of the workspace.
func (m *measurement) reserved() int {
	if m.sampling == nil || m.sampling.Library == nil {
		return 0
	}
	return m.sampling.Library.Most
}

// learnLibrary makes components of the functions outside of the workspace that were seen so far.
func (m *measurement) learnLibrary() {
	if m.sampling.Library == nil {
		return
	}
	seen, first := m.sampling.Library.Seen(), m.sampling.Library.First-1
	for i := m.outsiders; i < len(seen); i++ {
		m.build.Components[first+i] = m.outsider(seen[i])
	}
	if len(seen) > m.outsiders {
		m.outsiders = len(seen)
		m.units, m.unitOf = unitsOf(m.build, m.Granularity)
	}
	if m.sampling.Library.Full() {
		m.note(note.LibraryFull(mostOutside))
	}
}

// outsider is the component of a function outside of the workspace: its ID is its name, behind those
// of the callers that tell it apart, the outermost first.
func (m *measurement) outsider(o execution.Outsider) spell.Component {
	c := spell.Component{Kind: spell.KindFunction}
	var names []string
	for i, name := range o.Path {
		about := callee(name, false, nil, m.standard)
		if i == 0 {
			c.Package = about.Package
		}
		names = append(names, about.Name)
	}
	if o.Caller > 0 {
		names = append(names, m.build.Components[o.Caller-1].ID)
	}
	slices.Reverse(names)
	c.ID = strings.Join(names, " > ")
	return c
}
