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

// A Pull is a request of the client for the diagnostics of an open document. From then on, until
// the document is closed, they are not pushed, because a client would show pushed and pulled
// diagnostics side by side.
type Pull struct {
	path    string
	version int32 // of the document at that time
	// Guarded by pulls.mu:
	resultID string // of the answer; "" before there is one
	changed  bool   // something changed before the answer
	toldID   string // result ID of the diagnostics for which a refresh was sent
}

// pulls are the documents whose diagnostics the client pulls. The zero value is empty.
type pulls struct {
	mu   sync.Mutex
	last map[string]*Pull // by key
}

// of returns the last pull of a document, or nil if its diagnostics are pushed.
func (ps *pulls) of(d *snapshot.Document) *Pull {
	if d == nil {
		return nil
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.last[d.Key]
}

// begin records a pull if able returns true. It calls able under the lock: a pull that began
// after endAll would never end, and its document would get no diagnostics.
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

// endAll ends all pulls, and lists their files.
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

// answered records the result ID of the answer to a pull, and reports whether something changed
// since the pull began.
func (ps *pulls) answered(p *Pull, id string) (changed bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p.resultID = id
	return p.changed
}

// outdated reports whether the client needs a refresh: its diagnostics differ from those with
// this result ID ("" if that is unknown), and no refresh was sent for them yet. Before the
// answer to a pull this is unknown, and is checked again after the answer.
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

// BeginPull records that the client pulls the diagnostics of a document. It must be called in
// the order of the client's messages. It returns nil if they are pushed instead, because the
// client does not know workspace/diagnostic/refresh.
func (p *Publisher) BeginPull(d *snapshot.Document) *Pull {
	return p.pulls.begin(d, func() bool { return p.client.Capable(client.CanRefresh) })
}

// Closed records that the document with this key was closed. It must be called in the order of
// the client's messages.
func (p *Publisher) Closed(key string) { p.pulls.end(key) }

// Answer returns the diagnostics that answer a pull, and their result ID, which is the same for
// the same diagnostics. ok is false if they are pushed instead, because the client has refused
// workspace/diagnostic/refresh meanwhile.
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

// takeBackPulled withdraws the pushed diagnostics of a file, unless the client does not know
// workspace/diagnostic/refresh.
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

// outdated reports whether the client needs a refresh, because it has other diagnostics than
// there are now. After its own edits it pulls anyway.
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

// refreshDiagnostics tells the client to pull diagnostics again. If the client does not know the
// request, all diagnostics are pushed from then on.
func (p *Publisher) refreshDiagnostics(ctx context.Context) {
	if !p.client.RefreshDiagnostics(ctx) {
		p.Republish(p.pulls.endAll()...)
	}
}

// resultID returns an ID that is the same for the same diagnostics.
func resultID(items []protocol.Diagnostic) (string, error) {
	// A list alone would be marshalled by reflection, three times as slowly.
	text, err := protocol.Marshal(&protocol.PublishDiagnosticsParams{Diagnostics: items})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12]), nil
}
