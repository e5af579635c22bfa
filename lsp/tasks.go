package lsp

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// tasks knows all that runs for the client, so that it can be cancelled: one
// call by its id, everything when the client is gone.
type tasks struct {
	mu         sync.Mutex
	running    map[*task]struct{}
	calls      map[jsonrpc2.ID]*task
	unanswered map[context.Context]struct{} // contexts of calls whose handler returned
	ended      bool
	deaf       bool          // the client does not read any more
	quiet      chan struct{} // closed when ended and all is done
}

type task struct {
	name   string
	cancel context.CancelFunc
	id     jsonrpc2.ID
}

func newTasks() *tasks {
	return &tasks{
		running: map[*task]struct{}{}, calls: map[jsonrpc2.ID]*task{},
		unanswered: map[context.Context]struct{}{}, quiet: make(chan struct{}),
	}
}

// start registers work of its own, which may outlive what started it. The
// context that it returns ends with the client; done must be called when the
// work has ended.
func (t *tasks) start(base context.Context, name string) (ctx context.Context, done func()) {
	return t.register(context.WithoutCancel(base), nil, &task{name: name})
}

// startCall registers the work of the call with the given id and request
// context. It must be called before the connection reads on, or the client's
// cancellation of the call could come first. The request context is used as a
// key only: it is pooled, nothing may be derived from it. The method is kept.
func (t *tasks) startCall(request context.Context, method string, id jsonrpc2.ID) (ctx context.Context, done func()) {
	return t.register(jsonrpc2.DetachContext(request), request, &task{name: method, id: id})
}

func (t *tasks) register(base, request context.Context, k *task) (context.Context, func()) {
	ctx, cancel := context.WithCancel(base)
	k.cancel = cancel
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		cancel()
	}
	t.running[k] = struct{}{}
	if request != nil {
		t.calls[k.id] = k
	}
	return ctx, func() {
		cancel()
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.running, k)
		if request != nil {
			t.unanswered[request] = struct{}{}
			if t.calls[k.id] == k {
				delete(t.calls, k.id)
			}
		}
		t.settle()
	}
}

// cancel ends the context of the call with the given id, if there is one.
func (t *tasks) cancel(id jsonrpc2.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := t.calls[id]; k != nil {
		k.cancel()
	}
}

// answered notes that a message was sent under the given context.
func (t *tasks) answered(request context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.unanswered, request)
	t.settle()
}

// broken cancels everything because nobody listens to the answers.
func (t *tasks) broken() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deaf = true
	t.cancelAll()
	t.settle()
}

// end cancels everything and reports whether it was done and answered within
// the limit.
func (t *tasks) end(limit time.Duration) bool {
	t.mu.Lock()
	t.cancelAll()
	t.settle()
	t.mu.Unlock()
	select {
	case <-t.quiet:
		return true
	case <-time.After(limit):
		return false
	}
}

// names lists what the end waits for, sorted.
func (t *tasks) names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var names []string
	for k := range t.running {
		names = append(names, k.name)
	}
	if len(t.unanswered) > 0 && !t.deaf {
		names = append(names, "answering")
	}
	slices.Sort(names)
	return names
}

func (t *tasks) cancelAll() {
	t.ended = true
	for k := range t.running {
		k.cancel()
	}
}

func (t *tasks) settle() {
	if !t.ended || len(t.running) > 0 || len(t.unanswered) > 0 && !t.deaf {
		return
	}
	select {
	case <-t.quiet:
	default:
		close(t.quiet)
	}
}
