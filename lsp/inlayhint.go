package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/location"
)

// inlayHint shows psi behind the names of measured functions, where the
// settings want it.
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
		v := s.views.of(path)
		if v == nil {
			return hints, nil
		}
		at := v.source.Mapper()
		from, to := at.Offset(params.Range.Start), at.Offset(params.Range.End)
		for _, m := range v.visible() {
			if m.result.settings.InlayHints && from <= m.To && m.To <= to {
				hints = append(hints, m.hint(at))
			}
		}
		return hints, nil
	}, nil
}

func (m *mark) hint(at *location.Mapper) protocol.InlayHint {
	left := true
	label := "psi " + share(m.of().Psi)
	if m.stale {
		label += ", " + staleness
	}
	return protocol.InlayHint{
		Position: at.Position(m.To), Label: protocol.String(label),
		Tooltip: protocol.String(m.title()), PaddingLeft: &left,
	}
}
