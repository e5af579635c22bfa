package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/location"
)

// pullDiagnostics answers with the diagnostics of a document. From then on, until the document
// is closed, they are not pushed any more, because a client would show pushed and pulled ones
// side by side. Diagnostics of files that are not open are pushed, and so are those of all
// files once the client has refused workspace/diagnostic/refresh.
func (s *session) pullDiagnostics(raw jsonrpc2.RawMessage) (work, error) {
	if !s.client.Capable(func(c *client.Capabilities) *bool { return &c.Pull }) {
		return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, "diagnostics are pushed, because the client did not announce workspace/diagnostic/refresh")
	}
	params, err := decode[protocol.DocumentDiagnosticParams](raw)
	if err != nil {
		return nil, err
	}
	k, err := location.Key(string(params.TextDocument.URI))
	if err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the URI %q: %v", params.TextDocument.URI, err)
	}
	d := s.snapshots.Current().Open[k]
	if d == nil {
		return nothingToPull, nil
	}
	pull := s.publisher.BeginPull(d)
	if pull == nil {
		return nothingToPull, nil
	}
	return func(ctx context.Context) (any, error) {
		items, id, ok, err := s.publisher.Answer(ctx, pull)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return nothingToPull(ctx)
		}
		if previous := params.PreviousResultID; previous != nil && *previous == id {
			return &protocol.RelatedUnchangedDocumentDiagnosticReport{
				UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{
					Kind: string(protocol.DocumentDiagnosticReportKindUnchanged), ResultID: id,
				},
			}, nil
		}
		return full(id, items), nil
	}, nil
}

// nothingToPull answers a pull of diagnostics that are pushed.
func nothingToPull(context.Context) (any, error) { return full("", []protocol.Diagnostic{}), nil }

func full(id string, items []protocol.Diagnostic) protocol.DocumentDiagnosticReport {
	report := protocol.FullDocumentDiagnosticReport{Kind: string(protocol.DocumentDiagnosticReportKindFull), Items: items}
	if id != "" {
		report.ResultID = &id
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{FullDocumentDiagnosticReport: report}
}
