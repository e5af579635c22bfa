package publish

import (
	"context"
	"maps"
	"slices"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/render"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/lsp/view"
)

// sent records the pushed diagnostics. Its lock is held while they are sent, so that none are
// sent twice or withdrawn too early. The zero value is empty.
type sent struct {
	mu    sync.Mutex
	files map[string]message // the last message of each file, by path; none if it withdrew diagnostics
}

// A message is the last publication of a file.
type message struct {
	uri      uri.URI            // the URI in the message
	document *snapshot.Document // the document at that time; nil if the file was not open
	id       string             // see resultID; "" if unknown
}

// paths lists the files whose diagnostics the client has.
func (s *sent) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.files))
}

// sendDiagnostics sends the diagnostics of a file, unless the client pulls those: then it
// reports whether it must pull again.
func (p *Publisher) sendDiagnostics(ctx context.Context, path string, at *view.Locator) (pullAgain bool) {
	params := protocol.PublishDiagnosticsParams{URI: p.snapshots.Current().URI(path), Diagnostics: []protocol.Diagnostic{}}
	can := p.client.Capabilities()
	v := at.View(path)
	var d *snapshot.Document
	if v != nil {
		d = v.Document
	}
	if d != nil {
		params.URI = d.URI
		if !can.NoVersions {
			params.Version = protocol.NewOptional(d.Version)
		}
	}
	if v != nil && p.pulls.of(d) == nil {
		params.Diagnostics = render.Diagnostics(v, render.Abilities(can.Pushed), at)
	}
	p.sent.mu.Lock()
	defer p.sent.mu.Unlock()
	if last := p.pulls.of(d); last != nil { // diagnostics may have been pushed before the first pull
		p.takeBack(ctx, path)
		return p.outdated(last, v, at)
	}
	p.send(ctx, path, d, &params)
	return false
}

// send sends diagnostics, if there are or were any, and the client does not have the same ones
// already. They are sent again for each version of a document, because some clients drop the
// diagnostics in an edited part of a text. The caller holds the lock of sent.
func (p *Publisher) send(ctx context.Context, path string, d *snapshot.Document, params *protocol.PublishDiagnosticsParams) {
	before, ok := p.sent.files[path]
	if !ok && len(params.Diagnostics) == 0 {
		return
	}
	now := message{uri: params.URI, document: d}
	if d == nil || ok && before.document == d { // not at each edit: the ID costs as much as sending them
		if id, err := resultID(params.Diagnostics); err == nil {
			now.id = id
		}
	}
	if ok && now == before && now.id != "" {
		return
	}
	if ok && before.uri != params.URI {
		p.client.Publish(ctx, noDiagnostics(before.uri))
	}
	p.client.Publish(ctx, params)
	if len(params.Diagnostics) == 0 {
		delete(p.sent.files, path)
		return
	}
	if p.sent.files == nil {
		p.sent.files = map[string]message{}
	}
	p.sent.files[path] = now
}

// takeBack withdraws the pushed diagnostics of a file. The caller holds the lock of sent.
func (p *Publisher) takeBack(ctx context.Context, path string) {
	if before, ok := p.sent.files[path]; ok {
		p.client.Publish(ctx, noDiagnostics(before.uri))
		delete(p.sent.files, path)
	}
}

func noDiagnostics(u uri.URI) *protocol.PublishDiagnosticsParams {
	return &protocol.PublishDiagnosticsParams{URI: u, Diagnostics: []protocol.Diagnostic{}}
}
