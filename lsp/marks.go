package lsp

import (
	"cmp"
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/location"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// What the protocol has no words for: an editor that draws marks of its own, as
// beside the line numbers, asks for them, and is told when to ask again.
const (
	marksMethod   = "spell-lsp/marks"
	changedMethod = "spell-lsp/changed"
)

type marksParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
}

type marksResult struct {
	Marks []markOfFile `json:"marks"` // in the order of the text
}

// A markOfFile is a measured component where it stands in a file now.
type markOfFile struct {
	Range           protocol.Range `json:"range"`  // of the name
	Extent          protocol.Range `json:"extent"` // of the declaration
	ID              string         `json:"id"`
	Name            string         `json:"name"` // as the file has it now
	Kind            spell.Kind     `json:"kind"`
	Zone            spell.Zone     `json:"zone"`  // when it was measured
	Level           settings.Level `json:"level"` // of its diagnostic
	Rank            int            `json:"rank"`
	Psi             float64        `json:"psi"`
	Stale           bool           `json:"stale"` // it was edited since
	BelowResolution bool           `json:"belowResolution"`
	Estimated       bool           `json:"estimated"`
	Title           string         `json:"title"` // all of it in a line, as a lens has it
}

// marks lists what is to be seen in a file, which may be of any language.
func (s *session) marks(raw jsonrpc2.RawMessage) (work, error) {
	params, err := decode[marksParams](raw)
	if err != nil {
		return nil, err
	}
	path, err := s.pathOf(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) {
		result := marksResult{Marks: []markOfFile{}}
		if v := s.views.of(path); v != nil {
			at := v.source.Mapper()
			for _, m := range v.visible() {
				result.Marks = append(result.Marks, m.inFile(at))
			}
		}
		return &result, nil
	}, nil
}

func (m *mark) inFile(at *location.Mapper) markOfFile {
	c := m.of()
	return markOfFile{
		Range: at.Span(m.From, m.To), Extent: at.Span(m.Start, m.End), ID: c.ID, Name: m.called(), Kind: c.Kind,
		Zone: c.Zone, Level: m.level(), Rank: c.Rank, Psi: c.Psi, Stale: m.stale, BelowResolution: c.BelowResolution, Estimated: m.result.run.Meter.Origin() == record.Estimated, Title: m.title(),
	}
}

// called is the name of a component where it stands now.
func (m *mark) called() string {
	if m.goFunction() {
		return m.Name
	}
	return calledIn(m.of())
}

// calledIn is the name of a component in its file when it was measured. IDs of
// other tools need not have a part that is the name.
func calledIn(c *record.Component) string {
	name, _ := localName(c)
	return cmp.Or(name, c.ID)
}
