package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/render"
	"spell-lsp/lsp/view"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// marksMethod is not part of the protocol: an editor that draws marks of its own, for example
// beside the line numbers, requests them with it. spell-lsp/changed tells it when to do so
// again.
const marksMethod = "spell-lsp/marks"

type marksParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
}

type marksResult struct {
	Marks []markOfFile `json:"marks"` // in the order of the text
}

// A markOfFile is a measured component at its current place in a file, as JSON.
type markOfFile struct {
	Range           protocol.Range `json:"range"`  // of the name
	Extent          protocol.Range `json:"extent"` // of the declaration
	ID              string         `json:"id"`
	Name            string         `json:"name"` // the current name in the file
	Kind            spell.Kind     `json:"kind"`
	Function        string         `json:"function,omitempty"` // of a block: the ID of its function
	Zone            spell.Zone     `json:"zone"`               // when it was measured
	Level           settings.Level `json:"level"`              // of its diagnostic
	Rank            int            `json:"rank"`
	Psi             float64        `json:"psi"`
	Stale           bool           `json:"stale"`           // edited since it was measured
	Notes           []note.Note    `json:"notes,omitempty"` // what changed since it was measured
	BelowResolution bool           `json:"belowResolution"`
	Estimated       bool           `json:"estimated"`
	Title           string         `json:"title"`           // everything in one line, like the title of a lens
	Lines           []lineOfMark   `json:"lines,omitempty"` // the costliest first; none while it is stale
}

// A lineOfMark is a line of a component in which it spent a part of its own time.
type lineOfMark struct {
	Line    int           `json:"line"`     // from 0
	Share   float64       `json:"share"`    // of the component's own time, 0 to 1
	EnergyJ record.Energy `json:"energy_j"` // no domain if it is not known
	Text    string        `json:"text"`     // share, energy, and in which callees without a probe, in words
}

// marks lists the components that are shown in a file of any language.
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
		if v := s.views.View(path); v != nil {
			for _, m := range v.Visible() {
				result.Marks = append(result.Marks, markInFile(v, m))
			}
		}
		return &result, nil
	}, nil
}

func markInFile(v *view.View, m *view.Mark) markOfFile {
	c, at := m.Component(), v.Source.Mapper()
	var lines []lineOfMark
	for _, l := range render.CostlyLines(v, m) {
		lines = append(lines, lineOfMark{Line: l.Line.Line - 1, Share: l.Share, EnergyJ: l.EnergyJ, Text: render.LineText(m, &l)})
	}
	return markOfFile{
		Range: at.Span(m.From, m.To), Extent: at.Span(m.Start, m.End), ID: c.ID, Name: m.Called(), Kind: c.Kind, Function: m.BlockOf(),
		Zone: c.Zone, Level: render.Level(m), Rank: c.Rank, Psi: c.Psi, Stale: m.Stale, Notes: m.Notes(), BelowResolution: c.BelowResolution, Estimated: m.Result.Run.Meter.Origin() == record.Estimated, Title: render.Title(m), Lines: lines,
	}
}
