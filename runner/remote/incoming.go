package remote

import (
	"context"
	"errors"
	"io"
	"sync"

	"spell-lsp/runner/content"
	"spell-lsp/runner/remote/frame"
)

// incoming is content that was asked for. It is put into the store from its first piece on: thousands of files may
// be waited for, of which one comes after the other.
type incoming struct {
	store *content.Store
	hash  string
	size  int64

	mu       sync.Mutex
	w        *io.PipeWriter // nil before the first piece
	ended    bool           // nobody waits for it any more
	finished chan struct{}  // closed when the store has it, or err says why not
	err      error
}

var errNotWanted = errors.New("it is not wanted any more")

func newIncoming(store *content.Store, hash string, size int64) *incoming {
	return &incoming{store: store, hash: hash, size: size, finished: make(chan struct{})}
}

// take takes a piece. What the store cannot take, wait says.
func (in *incoming) take(c *frame.Chunk) {
	w := in.begun()
	if w == nil {
		return
	}
	w.Write(c.Data) //nolint:errcheck // see above
	switch {
	case c.Abandoned != "":
		w.CloseWithError(errors.New(c.Abandoned))
	case c.End:
		w.Close() //nolint:errcheck // of a pipe it never fails
	}
}

// begun is the pipe to the store; nil if nobody waits for the content.
func (in *incoming) begun() *io.PipeWriter {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.w != nil || in.ended {
		return in.w
	}
	r, w := io.Pipe()
	in.w = w
	go func() {
		defer close(in.finished)
		in.err = in.store.Put(in.hash, in.size, r)
		r.CloseWithError(errNotWanted)
	}()
	return w
}

// wait waits until all is in the store.
func (in *incoming) wait(ctx context.Context) error {
	select {
	case <-in.finished:
		return in.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end ends what is still on its way, and waits until the store does not use it any more.
func (in *incoming) end() {
	in.mu.Lock()
	in.ended = true
	w := in.w
	in.mu.Unlock()
	if w != nil {
		w.CloseWithError(errNotWanted)
		<-in.finished
	}
}
