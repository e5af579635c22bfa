package wire

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"spell-lsp/lsp/redact"
)

// Tasks are all the work that runs for a client: calls, which can be cancelled one by
// one, and background work. All of it is cancelled when the client is gone.
type Tasks struct {
	log *zap.Logger

	mu          sync.Mutex
	running     map[*task]struct{}
	calls       map[jsonrpc2.ID]*task
	unanswered  map[context.Context]struct{} // request contexts of calls whose work has ended
	ended       bool
	unreachable bool          // answers cannot be written any more
	quiet       chan struct{} // closed when everything has ended and is answered, after ended
}

// A task is one piece of work; calls have an id.
type task struct {
	name   string
	cancel context.CancelFunc
	id     jsonrpc2.ID
}

// NewTasks returns an empty set of tasks, which logs panics to log.
func NewTasks(log *zap.Logger) *Tasks {
	return &Tasks{
		log:     log,
		running: map[*task]struct{}{}, calls: map[jsonrpc2.ID]*task{},
		unanswered: map[context.Context]struct{}{}, quiet: make(chan struct{}),
	}
}

// Start registers work that may outlive what started it. The context that it returns ends
// with the client. The caller must call done when the work has ended.
func (t *Tasks) Start(base context.Context, name string) (ctx context.Context, done func()) {
	return t.register(context.WithoutCancel(base), nil, &task{name: name})
}

// StartCall registers the work of a call. It must be called before the connection reads
// on, or a cancellation of the call could arrive first. The request context serves as a
// key only: it is pooled, so nothing may be derived from it. The method is retained, see
// [redact.Name].
func (t *Tasks) StartCall(request context.Context, method string, id jsonrpc2.ID) (ctx context.Context, done func()) {
	return t.register(jsonrpc2.DetachContext(request), request, &task{name: method, id: id})
}

func (t *Tasks) register(base, request context.Context, k *task) (context.Context, func()) {
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

// Go runs f in the background, with a context that ends with the client. It logs a panic
// of f.
func (t *Tasks) Go(base context.Context, name string, f func(context.Context)) {
	ctx, done := t.Start(base, name)
	go func() {
		defer done()
		defer func() {
			if p := recover(); p != nil {
				_ = t.Panicked(name, p) // no call waits for the error
			}
		}()
		f(ctx)
	}()
}

// Await runs f and returns its result, or returns as soon as ctx ends: a cancelled call
// must be answered at once, while ending a measurement takes time. f goes on in the
// background until it returns.
func (t *Tasks) Await(ctx context.Context, name string, f func(context.Context) (any, error)) (result any, err error) {
	type outcome struct {
		result any
		err    error
	}
	ended := make(chan outcome, 1)
	t.Go(ctx, name, func(end context.Context) {
		var o outcome
		defer func() { ended <- o }()
		defer func() {
			if p := recover(); p != nil {
				o = outcome{err: t.Panicked(name, p)}
			}
		}()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(end, cancel)()
		o.result, o.err = f(ctx)
	})
	select {
	case o := <-ended:
		return o.result, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Panicked logs the panic of what with value p, and returns the error to answer with.
func (t *Tasks) Panicked(what string, p any) error {
	t.log.Error("panic", zap.String("in", redact.Name(what)), redact.PanicValue(p), zap.ByteString("stack", debug.Stack()))
	return jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error in %s: %v", what, p)
}

// Cancel cancels the call with the given id if there is one.
func (t *Tasks) Cancel(id jsonrpc2.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := t.calls[id]; k != nil {
		k.cancel()
	}
}

// answered notes that a message was sent under a request context.
func (t *Tasks) answered(request context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.unanswered, request)
	t.settle()
}

// abandon cancels everything and does not wait for answers, because they cannot be
// written.
func (t *Tasks) abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unreachable = true
	t.cancelAll()
	t.settle()
}

// End cancels everything, and reports whether all work has ended and is answered within
// the limit.
func (t *Tasks) End(limit time.Duration) bool {
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

// Names lists what End waits for, sorted.
func (t *Tasks) Names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var names []string
	for k := range t.running {
		names = append(names, k.name)
	}
	if len(t.unanswered) > 0 && !t.unreachable {
		names = append(names, "answering")
	}
	slices.Sort(names)
	return names
}

// cancelAll cancels what runs and whatever will be started. The caller holds mu.
func (t *Tasks) cancelAll() {
	t.ended = true
	for k := range t.running {
		k.cancel()
	}
}

// settle closes quiet if there is nothing left to wait for. The caller holds mu.
func (t *Tasks) settle() {
	if !t.ended || len(t.running) > 0 || len(t.unanswered) > 0 && !t.unreachable {
		return
	}
	select {
	case <-t.quiet:
	default:
		close(t.quiet)
	}
}
