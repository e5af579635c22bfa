package lsp

import (
	"context"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/client"
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
	markdown := s.client.Capable(func(c *client.Capabilities) *bool { return &c.Markdown })
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
		return &protocol.Hover{Contents: render.Hover(m, markdown, time.Now()), Range: &span}, nil
	}, nil
}
