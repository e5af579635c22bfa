package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/location"
	"spell-lsp/lsp/render"
	"spell-lsp/lsp/view"
)

// inlayHint shows psi after the names of measured functions, if the settings enable it.
func (s *session) inlayHint(raw jsonrpc2.RawMessage) (work, error) {
	params, err := decode[protocol.InlayHintParams](raw)
	if err != nil {
		return nil, err
	}
	path, err := s.pathOf(params.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) {
		hints := []protocol.InlayHint{}
		v := s.views.View(path)
		if v == nil {
			return hints, nil
		}
		at := v.Source.Mapper()
		from, to := at.Offset(params.Range.Start), at.Offset(params.Range.End)
		for _, m := range v.Visible() {
			if m.Result.Settings.InlayHints && from <= m.To && m.To <= to {
				hints = append(hints, hintOf(m, at))
			}
		}
		return hints, nil
	}, nil
}

func hintOf(m *view.Mark, at *location.Mapper) protocol.InlayHint {
	left := true
	return protocol.InlayHint{
		Position: at.Position(m.To), Label: protocol.String(render.Hint(m)),
		Tooltip: protocol.String(render.Title(m)), PaddingLeft: &left,
	}
}
