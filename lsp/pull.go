package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"spell-lsp/lsp/location"
)

// A pull is that the client asked for the diagnostics of an open document.
type pull struct {
	version int32 // of the document at that time
	// Guarded by session.mu:
	resultID string // of the answer, "" before there is one
	late     bool   // something changed before there was one
	toldID   string // of the diagnostics for which the client was told to ask again
}

// pullDiagnostics answers with the diagnostics of a document. From then on,
// until the document is closed, they are not sent any more: a client shows what
// it was sent beside what it asked for. A file that is not open is sent, and
// all of them are where the client turned out not to know how to ask again.
func (s *session) pullDiagnostics(raw jsonrpc2.RawMessage) (work, error) {
	if !s.client.capable(func(c *capabilities) *bool { return &c.pull }) {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.open[k]
	if d == nil || !s.client.capable(canRefresh) {
		return nothingToPull, nil
	}
	p := &pull{version: d.version}
	s.pulls[k] = p
	return func(ctx context.Context) (any, error) {
		s.pushes.mu.Lock()
		able := s.client.capable(canRefresh)
		if able {
			s.takeBack(ctx, d.path)
		}
		s.pushes.mu.Unlock()
		if !able { // as it turned out just now
			return nothingToPull(ctx)
		}
		return s.answerPull(d.path, p, params.PreviousResultID)
	}, nil
}

// nothingToPull answers a pull of what is sent.
func nothingToPull(context.Context) (any, error) { return full("", []protocol.Diagnostic{}), nil }

// answerPull answers a pull, with what changed since the client's last answer.
func (s *session) answerPull(path string, p *pull, previous *string) (protocol.DocumentDiagnosticReport, error) {
	at := s.locator()
	items := []protocol.Diagnostic{}
	if v := at.view(path); v != nil {
		items = s.pullable(v, at)
	}
	id, err := resultID(items)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	p.resultID = id
	late := p.late
	s.mu.Unlock()
	if late {
		s.republish([]string{path})
	}
	if previous != nil && *previous == id {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{
				Kind: string(protocol.DocumentDiagnosticReportKindUnchanged), ResultID: id,
			},
		}, nil
	}
	return full(id, items), nil
}

func full(id string, items []protocol.Diagnostic) protocol.DocumentDiagnosticReport {
	report := protocol.FullDocumentDiagnosticReport{Kind: string(protocol.DocumentDiagnosticReportKindFull), Items: items}
	if id != "" {
		report.ResultID = &id
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{FullDocumentDiagnosticReport: report}
}

func (s *session) pullable(v *view, at *locator) []protocol.Diagnostic {
	return v.diagnostics(s.client.abilities().pulled, at)
}

// resultID is the same for the same diagnostics.
func resultID(items []protocol.Diagnostic) (string, error) {
	// A list alone would be marshalled by reflection, three times as slowly.
	text, err := protocol.Marshal(&protocol.PublishDiagnosticsParams{Diagnostics: items})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12]), nil
}

// pulled gives the last pull of a document, nil if the client is sent its
// diagnostics.
func (s *session) pulled(d *document) *pull {
	if d == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pulls[d.key]
}

// outdated reports whether the client has other diagnostics than there are now,
// and must be told. After an edit of its own it asks anyway.
func (s *session) outdated(p *pull, v *view, at *locator) bool {
	if v.document.version != p.version {
		return false
	}
	id, err := resultID(s.pullable(v, at))
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.resultID == "" {
		p.late = true // to be looked at again when it is known what the answer says
		return false
	}
	if err == nil && (id == p.resultID || id == p.toldID) {
		return false
	}
	p.toldID = id
	return true
}

// refreshDiagnostics tells the client to ask for diagnostics again. One that does
// not know how to is sent all diagnostics from then on.
func (s *session) refreshDiagnostics(ctx context.Context) {
	if !s.client.refreshDiagnostics(ctx) {
		s.pushInstead()
	}
}

// pushInstead makes due what the client asked for, as it will not ask again in time.
func (s *session) pushInstead() {
	s.mu.Lock()
	for k := range s.pulls {
		if d := s.open[k]; d != nil {
			s.due[d.path] = true
		}
	}
	clear(s.pulls)
	s.mu.Unlock()
	s.publishSoon()
}
