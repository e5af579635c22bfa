package remote

import (
	"context"
	"errors"
	"io"

	"spell-lsp/runner/content"
	"spell-lsp/runner/remote/frame"
)

// incoming is content that is being received into the store.
type incoming struct {
	w    *io.PipeWriter
	done chan error
}

func newIncoming(store *content.Store, hash string, size int64) *incoming {
	r, w := io.Pipe()
	in := &incoming{w: w, done: make(chan error, 1)}
	go func() {
		err := store.Put(hash, size, r)
		r.CloseWithError(err) // nothing more is taken
		in.done <- err
	}()
	return in
}

// take takes a piece. What the store cannot take, wait says.
func (in *incoming) take(c *frame.Chunk) {
	in.w.Write(c.Data) //nolint:errcheck // see above
	switch {
	case c.Abandoned != "":
		in.w.CloseWithError(errors.New(c.Abandoned))
	case c.End:
		in.w.Close() //nolint:errcheck // of a pipe it never fails
	}
}

// wait waits until all is in the store.
func (in *incoming) wait(ctx context.Context) error {
	select {
	case err := <-in.done:
		return err
	case <-ctx.Done():
		in.w.CloseWithError(ctx.Err())
		<-in.done //nolint:errcheck // it was ended
		return ctx.Err()
	}
}
