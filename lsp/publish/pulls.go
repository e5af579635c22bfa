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

// A Pull is a request of the client for the diagnostics of an open document. From then on
// until the document is closed they are not sent any more: a client shows what it was sent
// beside what it pulled.
type Pull struct {
	path    string
	version int32 // of the document at that time
	// Guarded by pulls.mu:
	resultID string // of the answer, "" before there is one
	changed  bool   // something changed before there was one
	toldID   string // of the diagnostics for which the client was told to pull again
}

// pulls are the documents whose diagnostics the client pulls. The zero value has none.
type pulls struct {
	mu   sync.Mutex
	last map[string]*Pull // by key
}

// of gives the last pull of a document, nil if the client is sent its diagnostics.
func (ps *pulls) of(d *snapshot.Document) *Pull {
	if d == nil {
		return nil
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.last[d.Key]
}

// begin notes a pull, if able still holds. It asks under the lock: a pull that began after
// endAll would never be ended, and its document would not be sent any diagnostics.
func (ps *pulls) begin(d *snapshot.Document, able func() bool) *Pull {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if !able() {
		return nil
	}
	if ps.last == nil {
		ps.last = map[string]*Pull{}
	}
	p := &Pull{path: d.Path, version: d.Version}
	ps.last[d.Key] = p
	return p
}

func (ps *pulls) end(key string) {
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

// answered notes the ID of the answer to a pull, and reports whether something changed
// since the pull began.
func (ps *pulls) answered(p *Pull, id string) (changed bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p.resultID = id
	return p.changed
}

// outdated reports whether the client has other diagnostics than those with this ID, "" of
// unknown ones, and was not told so yet. Before there is an answer this cannot be known:
// it is looked at again when there is.
func (ps *pulls) outdated(p *Pull, id string) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	switch {
	case p.resultID == "":
		p.changed = true
		return false
	case id != "" && (id == p.resultID || id == p.toldID):
		return false
	}
	p.toldID = id
	return true
}

// BeginPull notes that the client pulls the diagnostics of a document. It must be called
// in the order of the client's messages. It returns nil where the client is sent them
// instead, because it cannot be told to pull again.
func (p *Publisher) BeginPull(d *snapshot.Document) *Pull {
	return p.pulls.begin(d, func() bool { return p.client.Capable(client.CanRefresh) })
}

// Closed notes that the document with this key was closed. It must be called in the order
// of the client's messages.
func (p *Publisher) Closed(key string) { p.pulls.end(key) }

// Answer gives the diagnostics that answer a pull, and an ID that is the same for the same
// diagnostics. ok is false where the client is sent them instead: as it turned out, it
// cannot be told to pull again.
func (p *Publisher) Answer(ctx context.Context, to *Pull) (items []protocol.Diagnostic, id string, ok bool, err error) {
	if !p.takeBackPulled(ctx, to.path) {
		return nil, "", false, nil
	}
	at := view.NewLocator(p.views)
	items = []protocol.Diagnostic{}
	if v := at.View(to.path); v != nil {
		items = p.pullable(v, at)
	}
	if id, err = resultID(items); err != nil {
		return nil, "", true, err
	}
	if p.pulls.answered(to, id) {
		p.Republish(to.path)
	}
	return items, id, true, nil
}

// takeBackPulled takes back what was sent of a file, unless the client cannot be told to
// pull again.
func (p *Publisher) takeBackPulled(ctx context.Context, path string) bool {
	p.sent.mu.Lock()
	defer p.sent.mu.Unlock()
	able := p.client.Capable(client.CanRefresh)
	if able {
		p.takeBack(ctx, path)
	}
	return able
}

func (p *Publisher) pullable(v *view.View, at *view.Locator) []protocol.Diagnostic {
	return render.Diagnostics(v, render.Abilities(p.client.Capabilities().Pulled), at)
}

// outdated reports whether the client has other diagnostics than there are now,
// and must be told. After an edit of its own it pulls anyway.
func (p *Publisher) outdated(last *Pull, v *view.View, at *view.Locator) bool {
	if v.Document.Version != last.version {
		return false
	}
	id, err := resultID(p.pullable(v, at))
	if err != nil {
		id = ""
	}
	return p.pulls.outdated(last, id)
}

// refreshDiagnostics tells the client to pull diagnostics again. One that cannot be told
// is sent all diagnostics from then on.
func (p *Publisher) refreshDiagnostics(ctx context.Context) {
	if !p.client.RefreshDiagnostics(ctx) {
		p.Republish(p.pulls.endAll()...)
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
