package lsp

import (
	"context"
	"maps"
	"slices"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Pushes are the files whose diagnostics were sent, and what was. The lock is held
// while they are sent, so that nothing is sent twice or taken back too early; it is
// taken before the session's.
type pushes struct {
	mu    sync.Mutex
	shown map[string]pushed
}

// paths lists the files whose diagnostics the client has.
func (ps *pushes) paths() []string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return slices.Collect(maps.Keys(ps.shown))
}

// pushed is what the client was sent of a file.
type pushed struct {
	uri      uri.URI   // what the client was told that the file is called
	document *document // as it stood, nil if it was not open
	id       string    // see resultID; "" if it is not known
}

// publish sends the diagnostics of a file, unless the client asks for those of
// it by itself: then it reports whether it must ask again.
func (p *publisher) publish(ctx context.Context, path string, at *locator) (again bool) {
	params := protocol.PublishDiagnosticsParams{URI: p.snapshots.now().uriOf(path), Diagnostics: []protocol.Diagnostic{}}
	can := p.client.abilities()
	v := at.view(path)
	if v != nil && v.document != nil {
		params.URI = v.document.uri
		if !can.noVersions {
			params.Version = protocol.NewOptional(v.document.version)
		}
	}
	if v != nil && p.pulls.of(v.document) == nil {
		params.Diagnostics = v.diagnostics(can.pushed, at)
	}
	p.pushes.mu.Lock()
	defer p.pushes.mu.Unlock()
	if v != nil {
		if last := p.pulls.of(v.document); last != nil { // perhaps only just now
			p.takeBack(ctx, path)
			return p.outdated(last, v, at)
		}
	}
	var d *document
	if v != nil {
		d = v.document
	}
	p.push(ctx, path, d, &params)
	return false
}

// push sends diagnostics, if there are or were any, and the client does not have
// the same already. It is told anew of each version of a document, for some clients
// lose those of a part of the text that is edited, and perhaps a second time. The
// caller holds the lock of pushes.
func (p *publisher) push(ctx context.Context, path string, d *document, params *protocol.PublishDiagnosticsParams) {
	before, ok := p.pushes.shown[path]
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
		p.client.publish(ctx, &protocol.PublishDiagnosticsParams{URI: before.uri, Diagnostics: []protocol.Diagnostic{}})
	}
	p.client.publish(ctx, params)
	if len(params.Diagnostics) == 0 {
		delete(p.pushes.shown, path)
		return
	}
	if p.pushes.shown == nil {
		p.pushes.shown = map[string]pushed{}
	}
	p.pushes.shown[path] = now
}

// takeBack takes back the diagnostics that were sent for a file. The caller
// holds the lock of pushes.
func (p *publisher) takeBack(ctx context.Context, path string) {
	if before, ok := p.pushes.shown[path]; ok {
		p.client.publish(ctx, &protocol.PublishDiagnosticsParams{URI: before.uri, Diagnostics: []protocol.Diagnostic{}})
		delete(p.pushes.shown, path)
	}
}
