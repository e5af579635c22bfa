package lsp

import (
	"context"
	"encoding/json"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/render"
)

// hover explains the measured component whose declared name is at the given position.
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
		m := v.NamedAt(v.Source.Mapper().Offset(params.Position))
		if m == nil {
			return nil, nil
		}
		span := v.Source.Mapper().Span(m.From, m.To)
		return &protocol.Hover{Contents: render.Hover(v, m, options, time.Now()), Range: &span}, nil
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
