package lsp

import (
	"context"
	"encoding/json"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/render"
)

// hover explains the measured component on whose name, where it is declared,
// the mouse rests.
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
		return &protocol.Hover{Contents: render.Hover(m, options, time.Now()), Range: &span}, nil
	}, nil
}

// diagnosticsShown reads the member diagnosticsShown of a hover's parameters, which the
// protocol does not have: a client sets it where it shows diagnostics above hovers. It is read
// apart, as a struct that embeds protocol.HoverParams has its UnmarshalJSON too.
func diagnosticsShown(raw jsonrpc2.RawMessage) bool {
	var more struct{ DiagnosticsShown bool }
	_ = json.Unmarshal(raw, &more) // of another shape: not said
	return more.DiagnosticsShown
}
