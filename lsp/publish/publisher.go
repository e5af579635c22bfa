package publish

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/lsp/view"
	"spell-lsp/lsp/wire"
)

// courtesy is how long after an edit its file is published: what an editor asks for
// at each key is answered first, and keys that come together are published once.
const yieldDelay = 10 * time.Millisecond

// breather is how long after the last edit the files beside the edited one are
// published again: hardly any edit makes them look different, and who types waits
// for what is asked meanwhile.
const idleDelay = 250 * time.Millisecond

// What the client is told to ask for again.
const (
	DiagnosticsAgain = "refreshing diagnostics"
	LensesAgain      = "refreshing code lenses"
	HintsAgain       = "refreshing inlay hints"
)

// A publisher knows what the client was told of files, and tells it what is different.
type Publisher struct {
	client    *client.Client
	snapshots *snapshot.Store
	views     *view.Memo
	tasks     *wire.Tasks

	wake chan struct{} // tells run that there is something to publish

	mu      sync.Mutex
	due     map[string]bool // files to be published, and whether their texts changed on disk since they were
	later   map[string]bool // files to be published when nobody has typed for a while
	quiet   *time.Timer     // makes later due; nil before the first edit
	soon    bool            // wake will be told shortly
	restyle bool            // lenses and hints are to be asked for again
	flushes []chan struct{} // closed when what was due is published

	Pulls  pulls
	Pushes pushes

	// Of run alone:
	placements map[string]placement // of open files by path
	renderings map[string]rendering // by path
}

func New(c *client.Client, tasks *wire.Tasks, snapshots *snapshot.Store, views *view.Memo) *Publisher {
	return &Publisher{
		client: c, tasks: tasks, snapshots: snapshots, views: views, wake: make(chan struct{}, 1),
		due: map[string]bool{}, later: map[string]bool{},
		placements: map[string]placement{}, renderings: map[string]rendering{},
	}
}

// textsChanged makes files due whose texts changed, in the editor or on disk, and later
// those that look different by that.
func (p *Publisher) TextsChanged(paths []string) {
	defer p.publishAfterYield()
	n := p.snapshots.Current()
	if len(n.Results.List) == 0 {
		return
	}
	beside := p.views.Beside(n, paths)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, path := range paths {
		p.due[path] = p.due[path] || n.Documents[path] == nil
		delete(p.later, path)
	}
	for _, path := range beside {
		if _, due := p.due[path]; !due {
			p.later[path] = true
		}
	}
	if p.quiet == nil {
		p.quiet = time.AfterFunc(idleDelay, p.release)
		return
	}
	p.quiet.Reset(idleDelay)
}

// release makes due what waited for a pause.
func (p *Publisher) release() {
	p.mu.Lock()
	p.makeDue()
	p.mu.Unlock()
	p.PublishSoon()
}

// hurry makes due what may wait. The caller holds mu.
func (p *Publisher) makeDue() {
	for path := range p.later {
		p.due[path] = p.due[path]
	}
	clear(p.later)
}

// resultsChanged makes due what other results change: the files of the results, what had
// something that had moved there, and what is open, where something may have moved.
func (p *Publisher) ResultsChanged(before, after *snapshot.Snapshot) {
	paths := slices.Concat(before.Results.Paths(), after.Results.Paths(), p.views.Marked(), slices.Collect(maps.Keys(after.Documents)))
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
func (p *Publisher) Republish(paths ...string) {
	p.mu.Lock()
	for _, path := range paths {
		p.due[path] = p.due[path]
	}
	p.mu.Unlock()
	if len(paths) > 0 {
		p.PublishSoon()
	}
}

// refresh has lenses and hints asked for again with the next files that are published.
func (p *Publisher) RefreshLater() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.restyle = true
}

// publishSoon wakes run.
func (p *Publisher) PublishSoon() {
	select {
	case p.wake <- struct{}{}:
	default: // it is about to look anyway
	}
}

// publishPolitely wakes run when others had time to be served.
func (p *Publisher) publishAfterYield() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.soon {
		return
	}
	p.soon = true
	time.AfterFunc(yieldDelay, func() {
		p.mu.Lock()
		p.soon = false
		p.mu.Unlock()
		p.PublishSoon()
	})
}

// flush waits until what is due now was published.
func (p *Publisher) Flush(ctx context.Context) {
	done := make(chan struct{})
	p.mu.Lock()
	p.flushes = append(p.flushes, done)
	p.mu.Unlock()
	p.PublishSoon()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// run publishes the diagnostics of the files that are due, until ctx ends. There is
// one such loop, so the last diagnostics of a file that the client gets are
// those of its last state. It is apart from the goroutine that reads because a
// client may write much before it reads again.
func (p *Publisher) Run(ctx context.Context) {
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
	due              []string
	rewritten        map[string]bool // those of due that changed on disk
	related          bool            // callers are told, also if only in diagnostics that are sent
	flushes          []chan struct{}
	restyle          bool
	again            bool // what the client asked for itself is not true any more
	changedElsewhere bool // a file looks different that was not edited
}

// turn publishes what is due. Whatever happens, who waits for a flush is released.
func (p *Publisher) turn(ctx context.Context) {
	t := p.takeDue()
	defer func() {
		for _, f := range t.flushes {
			close(f)
		}
	}()
	defer p.keepGoing()
	p.publishAll(ctx, &t)
	if t.again {
		p.tasks.Go(ctx, DiagnosticsAgain, p.refreshDiagnostics)
	}
	if t.restyle || t.changedElsewhere {
		p.client.TellChanged(ctx)
	}
	if t.restyle {
		p.tasks.Go(ctx, LensesAgain, p.client.RefreshLenses)
		p.tasks.Go(ctx, HintsAgain, p.client.RefreshHints)
	}
}

// takeDue takes what is to be done in one turn. What changes later is due again.
func (p *Publisher) takeDue() turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.flushes) > 0 {
		p.makeDue()
	}
	t := turn{
		due: slices.Sorted(maps.Keys(p.due)), rewritten: p.due,
		related: p.client.Capabilities().Pulled.Related, flushes: p.flushes, restyle: p.restyle,
	}
	p.due, p.flushes, p.restyle = map[string]bool{}, nil, false
	return t
}

// keepGoing is deferred where a panic must not end publishing.
func (p *Publisher) keepGoing() {
	if r := recover(); r != nil {
		_ = p.tasks.Panicked("publishing", r) // nobody waits for it
	}
}

// publishAll publishes the files of a turn, those first that the user has open.
func (p *Publisher) publishAll(ctx context.Context, t *turn) {
	paths := p.openFirst(t.due)
	at := view.NewLocator(p.views)
	at.Ahead(ctx, paths, p.tasks)
	defer p.views.Release()
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
func (p *Publisher) publishSafely(ctx context.Context, path string, at *view.Locator, t *turn) {
	defer p.keepGoing()
	if p.publish(ctx, path, at) {
		t.again = true
	}
	if t.related {
		p.follow(path, at.View(path), t.rewritten[path])
	}
	changed, open := p.rerendered(path, at.View(path))
	t.changedElsewhere = t.changedElsewhere || changed
	if open {
		p.RefreshLater()
		p.PublishSoon()
	}
}

func (p *Publisher) openFirst(paths []string) []string {
	documents := p.snapshots.Current().Documents
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
