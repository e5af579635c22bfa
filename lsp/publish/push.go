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

// Pushes are the files whose diagnostics were sent, and what was. The lock is held
// while they are sent, so that nothing is sent twice or taken back too early; it is
// taken before the session's.
type pushes struct {
	mu    sync.Mutex
	shown map[string]pushed
}

// paths lists the files whose diagnostics the client has.
func (ps *pushes) Paths() []string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return slices.Collect(maps.Keys(ps.shown))
}

// pushed is what the client was sent of a file.
type pushed struct {
	uri      uri.URI            // what the client was told that the file is called
	document *snapshot.Document // as it stood, nil if it was not open
	id       string             // see resultID; "" if it is not known
}

// publish sends the diagnostics of a file, unless the client asks for those of
// it by itself: then it reports whether it must ask again.
func (p *Publisher) publish(ctx context.Context, path string, at *view.Locator) (again bool) {
	params := protocol.PublishDiagnosticsParams{URI: p.snapshots.Current().URI(path), Diagnostics: []protocol.Diagnostic{}}
	can := p.client.Capabilities()
	v := at.View(path)
	if v != nil && v.Document != nil {
		params.URI = v.Document.URI
		if !can.NoVersions {
			params.Version = protocol.NewOptional(v.Document.Version)
		}
	}
	if v != nil && p.Pulls.of(v.Document) == nil {
		params.Diagnostics = render.Diagnostics(v, can.Pushed, at)
	}
	p.Pushes.mu.Lock()
	defer p.Pushes.mu.Unlock()
	if v != nil {
		if last := p.Pulls.of(v.Document); last != nil { // perhaps only just now
			p.takeBack(ctx, path)
			return p.outdated(last, v, at)
		}
	}
	var d *snapshot.Document
	if v != nil {
		d = v.Document
	}
	p.push(ctx, path, d, &params)
	return false
}

// push sends diagnostics, if there are or were any, and the client does not have
// the same already. It is told anew of each version of a document, for some clients
// lose those of a part of the text that is edited, and perhaps a second time. The
// caller holds the lock of pushes.
func (p *Publisher) push(ctx context.Context, path string, d *snapshot.Document, params *protocol.PublishDiagnosticsParams) {
	before, ok := p.Pushes.shown[path]
	if !ok && len(params.Diagnostics) == 0 {
		return
	}
	now := pushed{uri: params.URI, document: d}
	if d == nil || ok && before.document == d { // not at each edit: it costs as much as sending them
		if id, err := resultID(params.Diagnostics); err == nil {
			now.id = id
		}
	}
	if ok && now == before && now.id != "" {
		return
	}
	if ok && before.uri != params.URI {
		p.client.Publish(ctx, &protocol.PublishDiagnosticsParams{URI: before.uri, Diagnostics: []protocol.Diagnostic{}})
	}
	p.client.Publish(ctx, params)
	if len(params.Diagnostics) == 0 {
		delete(p.Pushes.shown, path)
		return
	}
	if p.Pushes.shown == nil {
		p.Pushes.shown = map[string]pushed{}
	}
	p.Pushes.shown[path] = now
}

// takeBack takes back the diagnostics that were sent for a file. The caller
// holds the lock of pushes.
func (p *Publisher) takeBack(ctx context.Context, path string) {
	if before, ok := p.Pushes.shown[path]; ok {
		p.client.Publish(ctx, &protocol.PublishDiagnosticsParams{URI: before.uri, Diagnostics: []protocol.Diagnostic{}})
		delete(p.Pushes.shown, path)
	}
}
