package lsp

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"spell-lsp/lsp/wire"
)

// courtesy is how long after an edit its file is published: what an editor asks for
// at each key is answered first, and keys that come together are published once.
const courtesy = 10 * time.Millisecond

// breather is how long after the last edit the files beside the edited one are
// published again: hardly any edit makes them look different, and who types waits
// for what is asked meanwhile.
const breather = 250 * time.Millisecond

// What the client is told to ask for again.
const (
	diagnosticsAgain = "refreshing diagnostics"
	lensesAgain      = "refreshing code lenses"
	hintsAgain       = "refreshing inlay hints"
)

// A publisher knows what the client was told of files, and tells it what is different.
type publisher struct {
	client    *client
	snapshots *snapshots
	views     *views
	tasks     *wire.Tasks

	wake chan struct{} // tells run that there is something to publish

	mu      sync.Mutex
	due     map[string]bool // files to be published, and whether their texts changed on disk since they were
	later   map[string]bool // files to be published when nobody has typed for a while
	quiet   *time.Timer     // makes later due; nil before the first edit
	soon    bool            // wake will be told shortly
	restyle bool            // lenses and hints are to be asked for again
	flushes []chan struct{} // closed when what was due is published

	pulls  pulls
	pushes pushes

	// Of run alone:
	placements map[string]placement // of open files by path
	looks      map[string]look      // by path
}

func newPublisher(c *client, tasks *wire.Tasks, snapshots *snapshots, views *views) *publisher {
	return &publisher{
		client: c, tasks: tasks, snapshots: snapshots, views: views, wake: make(chan struct{}, 1),
		due: map[string]bool{}, later: map[string]bool{},
		placements: map[string]placement{}, looks: map[string]look{},
	}
}

// textsChanged makes files due whose texts changed, in the editor or on disk, and later
// those that look different by that.
func (p *publisher) textsChanged(paths []string) {
	defer p.publishPolitely()
	n := p.snapshots.now()
	if len(n.results.list) == 0 {
		return
	}
	beside := p.views.beside(n, paths)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, path := range paths {
		p.due[path] = p.due[path] || n.documents[path] == nil
		delete(p.later, path)
	}
	for _, path := range beside {
		if _, due := p.due[path]; !due {
			p.later[path] = true
		}
	}
	if p.quiet == nil {
		p.quiet = time.AfterFunc(breather, p.release)
		return
	}
	p.quiet.Reset(breather)
}

// release makes due what waited for a pause.
func (p *publisher) release() {
	p.mu.Lock()
	p.hurry()
	p.mu.Unlock()
	p.publishSoon()
}

// hurry makes due what may wait. The caller holds mu.
func (p *publisher) hurry() {
	for path := range p.later {
		p.due[path] = p.due[path]
	}
	clear(p.later)
}

// resultsChanged makes due what other results change: the files of the results, what had
// something that had moved there, and what is open, where something may have moved.
func (p *publisher) resultsChanged(before, after *snapshot) {
	paths := slices.Concat(before.results.paths(), after.results.paths(), p.views.shown(), slices.Collect(maps.Keys(after.documents)))
	p.mu.Lock()
	defer p.mu.Unlock()
	for path := range p.due {
		p.due[path] = false
	}
	for _, path := range paths {
		p.due[path] = false
	}
	p.restyle = true
}

// republish makes files due that did not change themselves.
func (p *publisher) republish(paths ...string) {
	p.mu.Lock()
	for _, path := range paths {
		p.due[path] = p.due[path]
	}
	p.mu.Unlock()
	if len(paths) > 0 {
		p.publishSoon()
	}
}

// refresh has lenses and hints asked for again with the next files that are published.
func (p *publisher) refresh() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.restyle = true
}

// publishSoon wakes run.
func (p *publisher) publishSoon() {
	select {
	case p.wake <- struct{}{}:
	default: // it is about to look anyway
	}
}

// publishPolitely wakes run when others had time to be served.
func (p *publisher) publishPolitely() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.soon {
		return
	}
	p.soon = true
	time.AfterFunc(courtesy, func() {
		p.mu.Lock()
		p.soon = false
		p.mu.Unlock()
		p.publishSoon()
	})
}

// flush waits until what is due now was published.
func (p *publisher) flush(ctx context.Context) {
	done := make(chan struct{})
	p.mu.Lock()
	p.flushes = append(p.flushes, done)
	p.mu.Unlock()
	p.publishSoon()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// run publishes the diagnostics of the files that are due, until ctx ends. There is
// one such loop, so the last diagnostics of a file that the client gets are
// those of its last state. It is apart from the goroutine that reads because a
// client may write much before it reads again.
func (p *publisher) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		p.turn(ctx)
	}
}

// A turn is what run does at once.
type turn struct {
	due       []string
	rewritten map[string]bool // those of due that changed on disk
	related   bool            // callers are told, also if only in diagnostics that are sent
	flushes   []chan struct{}
	restyle   bool
	again     bool // what the client asked for itself is not true any more
	unlike    bool // a file looks different that was not edited
}

// turn publishes what is due. Whatever happens, who waits for a flush is released.
func (p *publisher) turn(ctx context.Context) {
	t := p.takeDue()
	defer func() {
		for _, f := range t.flushes {
			close(f)
		}
	}()
	defer p.keepGoing()
	p.publishAll(ctx, &t)
	if t.again {
		p.tasks.Go(ctx, diagnosticsAgain, p.refreshDiagnostics)
	}
	if t.restyle || t.unlike {
		p.client.tellChanged(ctx)
	}
	if t.restyle {
		p.tasks.Go(ctx, lensesAgain, p.client.refreshLenses)
		p.tasks.Go(ctx, hintsAgain, p.client.refreshHints)
	}
}

// takeDue takes what is to be done in one turn. What changes later is due again.
func (p *publisher) takeDue() turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.flushes) > 0 {
		p.hurry()
	}
	t := turn{
		due: slices.Sorted(maps.Keys(p.due)), rewritten: p.due,
		related: p.client.abilities().pulled.related, flushes: p.flushes, restyle: p.restyle,
	}
	p.due, p.flushes, p.restyle = map[string]bool{}, nil, false
	return t
}

// keepGoing is deferred where a panic must not end publishing.
func (p *publisher) keepGoing() {
	if r := recover(); r != nil {
		_ = p.tasks.Panicked("publishing", r) // nobody waits for it
	}
}

// publishAll publishes the files of a turn, those first that the user has open.
func (p *publisher) publishAll(ctx context.Context, t *turn) {
	paths := p.openFirst(t.due)
	at := newLocator(p.views)
	at.ahead(ctx, paths, p.tasks)
	defer p.views.release()
	for _, path := range paths {
		p.client.Room(ctx)
		if ctx.Err() != nil {
			return
		}
		p.publishSafely(ctx, path, at, t)
	}
}

// publishSafely publishes a file, and what names its components if that is related
// information. A panic leaves the other files to be published.
func (p *publisher) publishSafely(ctx context.Context, path string, at *locator, t *turn) {
	defer p.keepGoing()
	if p.publish(ctx, path, at) {
		t.again = true
	}
	if t.related {
		p.follow(path, at.view(path), t.rewritten[path])
	}
	changed, open := p.relooked(path, at.view(path))
	t.unlike = t.unlike || changed
	if open {
		p.refresh()
		p.publishSoon()
	}
}

func (p *publisher) openFirst(paths []string) []string {
	documents := p.snapshots.now().documents
	var open, rest []string
	for _, path := range paths {
		if documents[path] != nil {
			open = append(open, path)
		} else {
			rest = append(rest, path)
		}
	}
	return append(open, rest...)
}
