package wire

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"spell-lsp/lsp/redact"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"
)

// tasks knows all that runs for the client, so that it can be cancelled: one
// call by its id, everything when the client is gone.
type Tasks struct {
	log *zap.Logger

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

func NewTasks(log *zap.Logger) *Tasks {
	return &Tasks{
		log:     log,
		running: map[*task]struct{}{}, calls: map[jsonrpc2.ID]*task{},
		unanswered: map[context.Context]struct{}{}, quiet: make(chan struct{}),
	}
}

// start registers work of its own, which may outlive what started it. The
// context that it returns ends with the client; done must be called when the
// work has ended.
func (t *Tasks) Start(base context.Context, name string) (ctx context.Context, done func()) {
	return t.register(context.WithoutCancel(base), nil, &task{name: name})
}

// startCall registers the work of the call with the given id and request
// context. It must be called before the connection reads on, or the client's
// cancellation of the call could come first. The request context is used as a
// key only: it is pooled, nothing may be derived from it. The method is kept.
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

// launch runs f until it returns; its context ends with the client.
func (t *Tasks) Go(base context.Context, name string, f func(context.Context)) {
	ctx, done := t.Start(base, name)
	go func() {
		defer done()
		defer func() {
			if p := recover(); p != nil {
				_ = t.Panicked(name, p) // nobody waits for it
			}
		}()
		f(ctx)
	}()
}

// await runs f, but does not wait for it longer than ctx lasts: an
// answer to a cancelled call is due at once, ending a measurement takes time.
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

// panicked logs that what panicked with p, and returns what is answered for it.
func (t *Tasks) Panicked(what string, p any) error {
	t.log.Error("panic", zap.String("in", redact.Name(what)), redact.PanicValue(p), zap.ByteString("stack", debug.Stack()))
	return jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error in %s: %v", what, p)
}

// cancel ends the context of the call with the given id, if there is one.
func (t *Tasks) Cancel(id jsonrpc2.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := t.calls[id]; k != nil {
		k.cancel()
	}
}

// answered notes that a message was sent under the given context.
func (t *Tasks) answered(request context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.unanswered, request)
	t.settle()
}

// broken cancels everything because nobody listens to the answers.
func (t *Tasks) broken() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deaf = true
	t.cancelAll()
	t.settle()
}

// end cancels everything and reports whether it was done and answered within
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

// names lists what the end waits for, sorted.
func (t *Tasks) Names() []string {
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

func (t *Tasks) cancelAll() {
	t.ended = true
	for k := range t.running {
		k.cancel()
	}
}

func (t *Tasks) settle() {
	if !t.ended || len(t.running) > 0 || len(t.unanswered) > 0 && !t.deaf {
		return
	}
	select {
	case <-t.quiet:
	default:
		close(t.quiet)
	}
}
