package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/location"
)

// pullDiagnostics answers with the diagnostics of a document. From then on,
// until the document is closed, they are not sent any more: a client shows what
// it was sent beside what it asked for. A file that is not open is sent, and
// all of them are where the client turned out not to know how to ask again.
func (s *session) pullDiagnostics(raw jsonrpc2.RawMessage) (work, error) {
	if !s.client.Capable(func(c *client.Capabilities) *bool { return &c.Pull }) {
		return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, "diagnostics are sent: the client did not say that it can be told to ask again")
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

// nothingToPull answers a pull of what is sent.
func nothingToPull(context.Context) (any, error) { return full("", []protocol.Diagnostic{}), nil }

func full(id string, items []protocol.Diagnostic) protocol.DocumentDiagnosticReport {
	report := protocol.FullDocumentDiagnosticReport{Kind: string(protocol.DocumentDiagnosticReportKindFull), Items: items}
	if id != "" {
		report.ResultID = &id
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{FullDocumentDiagnosticReport: report}
}
