// Package publish owns what the client was told of each file and what it is yet to be
// told: diagnostics that are pushed, those that the client pulls, and requests to ask for
// diagnostics, lenses and hints again. It publishes from one goroutine, so that what the
// client gets last of a file is its last state.
//
// It does not make views, and does not change snapshots.
package publish

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync/atomic"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/lsp/view"
	"spell-lsp/lsp/wire"
)

// Tasks in which the client is told to ask again.
const (
	RefreshingDiagnostics = "refreshing diagnostics"
	RefreshingLenses      = "refreshing code lenses"
	RefreshingHints       = "refreshing inlay hints"
)

// A Publisher tells a client what its files show.
type Publisher struct {
	client    *client.Client
	tasks     *wire.Tasks
	snapshots *snapshot.Store
	views     *view.Memo

	queue *queue
	pulls pulls
	sent  sent

	// Of the goroutine of Run:
	standings  map[string]standings // of files that are or were open, by path
	renderings map[string]rendering // by path, those of files that show something or are open
}

// New makes a publisher. It publishes when Run is called.
func New(c *client.Client, tasks *wire.Tasks, snapshots *snapshot.Store, views *view.Memo) *Publisher {
	return &Publisher{
		client: c, tasks: tasks, snapshots: snapshots, views: views, queue: newQueue(),
		standings: map[string]standings{}, renderings: map[string]rendering{},
	}
}

// TextsChanged is called when the current snapshot has other texts of files than the one
// before, in the editor or on disk. The files are published soon, those that their change
// may make look different when nobody types.
func (p *Publisher) TextsChanged(files []string) {
	n := p.snapshots.Current()
	if len(n.Results.List) > 0 {
		onDisk := func(file string) bool { return n.Documents[file] == nil }
		p.queue.edited(files, onDisk, p.views.Beside(n, files))
	}
	p.queue.afterYield()
}

// ResultsChanged is called when a snapshot was replaced by one with other results. All
// files are due in which one of both shows something, or where a component may have moved
// to: those that are open. Soon or a Flush has them published.
func (p *Publisher) ResultsChanged(before, after *snapshot.Snapshot) {
	p.queue.restart(slices.Concat(before.Results.Paths(), after.Results.Paths(), p.views.Marked(), slices.Collect(maps.Keys(after.Documents))))
}

// Republish has files published that did not change themselves.
func (p *Publisher) Republish(files ...string) {
	if len(files) > 0 {
		p.queue.add(files)
		p.queue.soon()
	}
}

// Soon has published what is due.
func (p *Publisher) Soon() { p.queue.soon() }

// Flush waits until all that is due, or waits for a pause, was published, or ctx ends.
func (p *Publisher) Flush(ctx context.Context) { p.queue.flush(ctx) }

// RefreshWithNext has lenses and hints asked for again when files are next published.
func (p *Publisher) RefreshWithNext() { p.queue.refreshWithNext() }

// Files lists the files whose diagnostics the client has been sent.
func (p *Publisher) Files() []string { return p.sent.paths() }

// Run publishes what is due until ctx ends. It is not the goroutine that reads from the
// client, as a client may write much before it reads again.
func (p *Publisher) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.queue.wake:
		}
		p.publishDue(ctx)
	}
}

// An outcome is what publishing showed that the client must be told.
type outcome struct {
	pullAgain bool // diagnostics that the client has pulled are outdated
	changed   bool // a file looks different that was not edited
}

// publishDue publishes what is due. Whatever happens, who waits for a flush is released.
func (p *Publisher) publishDue(ctx context.Context) {
	b := p.queue.take()
	defer func() {
		for _, f := range b.flushes {
			close(f)
		}
	}()
	defer p.keepGoing()
	o := p.publishAll(ctx, &b)
	if o.pullAgain {
		p.tasks.Go(ctx, RefreshingDiagnostics, p.refreshDiagnostics)
	}
	if b.refresh || o.changed {
		p.client.TellChanged(ctx)
	}
	if b.refresh {
		p.tasks.Go(ctx, RefreshingLenses, p.client.RefreshLenses)
		p.tasks.Go(ctx, RefreshingHints, p.client.RefreshHints)
	}
}

// keepGoing is deferred where a panic must not end publishing.
func (p *Publisher) keepGoing() {
	if r := recover(); r != nil {
		_ = p.tasks.Panicked("publishing", r) // nobody waits for it
	}
}

// publishAll publishes a batch, those files first that the user has open.
func (p *Publisher) publishAll(ctx context.Context, b *batch) outcome {
	var o outcome
	files := p.openFirst(b.files)
	at := view.NewLocator(p.views)
	p.makeAhead(ctx, at.Prepare(files))
	defer p.views.Release()
	for _, file := range files {
		p.client.Room(ctx)
		if ctx.Err() != nil {
			break
		}
		p.publishFile(ctx, file, b.onDisk[file], at, &o)
	}
	return o
}

// publishFile publishes a file, and has those published that name its components where
// these have moved. A panic leaves the other files to be published.
func (p *Publisher) publishFile(ctx context.Context, file string, onDisk bool, at *view.Locator, o *outcome) {
	defer p.keepGoing()
	if p.sendDiagnostics(ctx, file, at) {
		o.pullAgain = true
	}
	v := at.View(file)
	if p.client.Capabilities().Pulled.Related {
		p.republishCallees(file, v, onDisk)
	}
	changed, open := p.rendered(file, v)
	o.changed = o.changed || changed
	if open {
		p.queue.refreshWithNext()
		p.queue.soon()
	}
}

func (p *Publisher) openFirst(files []string) []string {
	documents := p.snapshots.Current().Documents
	var open, rest []string
	for _, file := range files {
		if documents[file] != nil {
			open = append(open, file)
		} else {
			rest = append(rest, file)
		}
	}
	return append(open, rest...)
}

// makeAhead begins to make views, on the processors that publishing leaves: most of the
// work is parsing.
func (p *Publisher) makeAhead(ctx context.Context, views []func() *view.View) {
	var next atomic.Int64
	for range min(len(views), runtime.GOMAXPROCS(0)) - 1 {
		p.tasks.Go(ctx, "looking at files", func(ctx context.Context) {
			for i := next.Add(1); int(i) < len(views) && ctx.Err() == nil; i = next.Add(1) {
				views[i]()
			}
		})
	}
}
