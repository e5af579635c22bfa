// Package publish keeps the client up to date: it pushes diagnostics, answers pulls, and sends
// requests to refresh diagnostics, lenses and hints. It records what the client has of each
// file and which files are due. It publishes from one goroutine, so that the last diagnostics of a
// file that the client gets are those of its last state.
//
// It does not build views, and does not change snapshots.
package publish

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/lsp/view"
	"spell-lsp/lsp/wire"
	"spell-lsp/spell/budget"
)

// The names of tasks that send requests to refresh.
const (
	RefreshingDiagnostics = "refreshing diagnostics"
	RefreshingLenses      = "refreshing code lenses"
	RefreshingHints       = "refreshing inlay hints"
)

// A Publisher sends a client what its files show.
type Publisher struct {
	client    *client.Client
	tasks     *wire.Tasks
	snapshots *snapshot.Store
	views     *view.Memo

	queue *queue
	pulls pulls
	sent  sent

	// Used only by the goroutine of Run:
	standings  map[string]standings // of files that are or were open, by path
	renderings map[string]rendering // of files that show something or are open, by path
}

// New returns a publisher. It publishes while Run runs.
func New(c *client.Client, tasks *wire.Tasks, snapshots *snapshot.Store, views *view.Memo) *Publisher {
	return &Publisher{
		client: c, tasks: tasks, snapshots: snapshots, views: views, queue: newQueue(),
		standings: map[string]standings{}, renderings: map[string]rendering{},
	}
}

// TextsChanged is called when the texts of files have changed, in the editor or on disk. These
// files are published soon; other files that may render differently because of the change are
// published after a pause in typing.
func (p *Publisher) TextsChanged(files []string) {
	n := p.snapshots.Current()
	onDisk := func(file string) bool { return n.Documents[file] == nil }
	if len(n.Results.List) > 0 {
		p.queue.edited(files, onDisk, p.views.Beside(n, files))
	} else if some := p.withBudgets(n, files); len(some) > 0 {
		p.queue.edited(some, onDisk, nil)
	}
	p.queue.afterYield()
}

// withBudgets selects the open files that have diagnostics without results: those of budgets that
// cannot be read.
func (p *Publisher) withBudgets(n *snapshot.Snapshot, files []string) []string {
	sent := p.sent.paths()
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		d := n.Documents[file]
		return (d == nil || !strings.Contains(d.Source.Text, budget.Directive)) && !slices.Contains(sent, file)
	})
}

// ResultsChanged is called when a snapshot was replaced by one with other results. All files in
// which one of the two shows something are due, and all open files, because components may have
// moved there. Soon or Flush publishes them.
func (p *Publisher) ResultsChanged(before, after *snapshot.Snapshot) {
	p.queue.restart(slices.Concat(before.Results.Paths(), after.Results.Paths(), p.views.Marked(), slices.Collect(maps.Keys(after.Documents))))
}

// Republish publishes files that did not change themselves.
func (p *Publisher) Republish(files ...string) {
	if len(files) > 0 {
		p.queue.add(files)
		p.queue.soon()
	}
}

// Soon publishes the files that are due, in the background.
func (p *Publisher) Soon() { p.queue.soon() }

// Flush waits until all files that are due, or wait for a pause, were published, or ctx ends.
func (p *Publisher) Flush(ctx context.Context) { p.queue.flush(ctx) }

// RefreshWithNext refreshes lenses and hints when files are next published.
func (p *Publisher) RefreshWithNext() { p.queue.refreshWithNext() }

// Files lists the files whose diagnostics the client has been sent.
func (p *Publisher) Files() []string { return p.sent.paths() }

// Run publishes due files until ctx ends. It must not run on the goroutine that reads from the
// client, because a client may write much before it reads again.
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

// An outcome says which messages the client needs after publishing.
type outcome struct {
	pullAgain bool // diagnostics that the client has pulled are outdated
	changed   bool // a file that was not edited renders differently
}

// publishDue publishes the files that are due. It ends the waits for a flush also if it panics.
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

// keepGoing is deferred by functions whose panic must not end publishing.
func (p *Publisher) keepGoing() {
	if r := recover(); r != nil {
		_ = p.tasks.Panicked("publishing", r) // no call waits for the error
	}
}

// publishAll publishes a batch, open files first.
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

// publishFile publishes a file and, if its components have moved, schedules the files whose
// diagnostics link to them. A panic does not prevent the other files from being published.
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

// makeAhead builds views on other processors, ahead of publishing: most of the work is parsing.
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
