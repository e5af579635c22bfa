package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/render"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/lsp/view"
)

// A pull is that the client asked for the diagnostics of an open document.
type pull struct {
	path    string
	version int32 // of the document at that time
	// Guarded by pulls.mu:
	resultID string // of the answer, "" before there is one
	late     bool   // something changed before there was one
	toldID   string // of the diagnostics for which the client was told to ask again
}

// Pulls are the documents whose diagnostics the client asks for. The zero value has none.
type pulls struct {
	mu   sync.Mutex
	last map[string]*pull // by key
}

// begin notes that the client asks for the diagnostics of a document.
func (ps *pulls) Begin(d *snapshot.Document) *pull {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.last == nil {
		ps.last = map[string]*pull{}
	}
	p := &pull{path: d.Path, version: d.Version}
	ps.last[d.Key] = p
	return p
}

// of gives the last pull of a document, nil if the client is sent its diagnostics.
func (ps *pulls) of(d *snapshot.Document) *pull {
	if d == nil {
		return nil
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.last[d.Key]
}

// end notes that a document was closed.
func (ps *pulls) End(key string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	delete(ps.last, key)
}

// endAll ends all pulls, and lists the files that they were of.
func (ps *pulls) endAll() []string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	var paths []string
	for _, p := range ps.last {
		paths = append(paths, p.path)
	}
	clear(ps.last)
	return paths
}

// answered notes what a pull is answered with, and reports whether something changed
// meanwhile.
func (ps *pulls) answered(p *pull, id string) (late bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p.resultID = id
	return p.late
}

// differs reports whether the client has other diagnostics than those of id, and was not
// told so yet. Where it is not known what the answer says, that is looked at again later.
func (ps *pulls) differs(p *pull, id string) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	switch {
	case p.resultID == "":
		p.late = true
		return false
	case id != "" && (id == p.resultID || id == p.toldID):
		return false
	}
	p.toldID = id
	return true
}

// pulledFrom takes back what was sent of a file that is pulled from now on: a client
// shows what it was sent beside what it asked for. It reports false where the client
// turned out not to know how to be told to ask again.
func (p *Publisher) PulledFrom(ctx context.Context, path string) bool {
	p.Pushes.mu.Lock()
	defer p.Pushes.mu.Unlock()
	able := p.client.Capable(client.CanRefresh)
	if able {
		p.takeBack(ctx, path)
	}
	return able
}

// answer makes the answer to a pull, and its ID.
func (p *Publisher) Answer(path string, to *pull) (items []protocol.Diagnostic, id string, err error) {
	at := view.NewLocator(p.views)
	items = []protocol.Diagnostic{}
	if v := at.View(path); v != nil {
		items = p.pullable(v, at)
	}
	if id, err = resultID(items); err != nil {
		return nil, "", err
	}
	if p.Pulls.answered(to, id) {
		p.Republish(path)
	}
	return items, id, nil
}

func (p *Publisher) pullable(v *view.View, at *view.Locator) []protocol.Diagnostic {
	return render.Diagnostics(v, p.client.Capabilities().Pulled, at)
}

// outdated reports whether the client has other diagnostics than there are now,
// and must be told. After an edit of its own it asks anyway.
func (p *Publisher) outdated(last *pull, v *view.View, at *view.Locator) bool {
	if v.Document.Version != last.version {
		return false
	}
	id, err := resultID(p.pullable(v, at))
	if err != nil {
		id = "" // of which nothing is the same
	}
	return p.Pulls.differs(last, id)
}

// refreshDiagnostics tells the client to ask for diagnostics again. One that does
// not know how to is sent all diagnostics from then on: it will not ask again in time.
func (p *Publisher) refreshDiagnostics(ctx context.Context) {
	if !p.client.RefreshDiagnostics(ctx) {
		p.Republish(p.Pulls.endAll()...)
	}
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
