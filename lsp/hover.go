package lsp

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/render"
)

// hover explains what was measured of the function whose declared name is at the given position: the component, and
// how it compares with its alternatives.
func (s *session) hover(raw jsonrpc2.RawMessage) (work, error) {
	params, err := decode[protocol.HoverParams](raw)
	if err != nil {
		return nil, err
	}
	path, err := s.pathOf(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	can := s.client.Capabilities()
	options := render.HoverOptions{Markdown: can.Markdown, SpacedTables: can.SpacedTables, DiagnosticsShown: diagnosticsShown(raw)}
	return func(context.Context) (any, error) {
		v := s.views.View(path)
		if v == nil {
			return nil, nil
		}
		at := v.Source.Mapper().Offset(params.Position)
		m, c := v.NamedAt(at), s.chosenAt(path, v, at)
		if c == nil && m == nil {
			return nil, nil
		}
		var parts []string // the comparison is the first: a lens leads to it
		var span protocol.Range
		contents := &protocol.MarkupContent{}
		if c != nil {
			span, contents = v.Source.Mapper().Span(c.at.From, c.at.To), render.Alternatives(c.result, c.about, options, time.Now())
			parts = append(parts, contents.Value)
		}
		if m != nil {
			span, contents = v.Source.Mapper().Span(m.From, m.To), render.Hover(v, m, options, time.Now())
			parts = append(parts, contents.Value)
		}
		contents.Value = strings.Join(parts, "\n\n")
		return &protocol.Hover{Contents: contents, Range: &span}, nil
	}, nil
}

// diagnosticsShown reads the member diagnosticsShown of a hover's parameters. The protocol
// does not have it: a client sets it if it shows diagnostics above hovers. It is decoded
// separately, because a struct that embeds protocol.HoverParams inherits its UnmarshalJSON.
func diagnosticsShown(raw jsonrpc2.RawMessage) bool {
	var more struct{ DiagnosticsShown bool }
	_ = json.Unmarshal(raw, &more) // a value of another type counts as absent
	return more.DiagnosticsShown
}
