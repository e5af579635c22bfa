// Package lsp is the language server: it lets an editor measure a Go workspace, and shows the
// result as diagnostics, code lenses and hovers, which stay with their functions while the
// code is edited.
//
// The package has the methods of the Language Server Protocol (3.18), one family in each
// file, and the session that joins its subpackages: snapshot holds the state, view decides
// what a file shows, publish what the client is sent. It does not know how a measurement is
// made: it is given a function.
package lsp

import (
	"context"
	"errors"
	"io"

	"go.uber.org/zap"

	"spell-lsp/lsp/wire"
)

// Serve serves one client until the stream ends or the client sends exit. Then it cancels all
// running work, waits for its end, and closes the stream. It returns nil after shutdown and
// exit and at a clean end of the stream; [ErrExit]; [ErrRefused]; ctx's error if ctx ended
// first; otherwise the error of the stream.
//
// If the stream is standard output, the caller must catch SIGPIPE: otherwise an editor that
// dies ends the process before the measurement has cleaned up.
func Serve(ctx context.Context, stream io.ReadWriteCloser, o Options) (err error) {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	defer logSession(o)(&err)
	o.Measure = logged(o.Log, o.Measure)
	s := newSession(o)
	s.client.Conn = wire.Open(stream, s.tasks, s.log)
	if o.Token == "" {
		s.client.Admit()
	}
	s.tasks.Go(context.WithoutCancel(ctx), "publishing", s.publisher.Run)
	ended, err := s.client.Serve(ctx, s.handle)
	if !ended {
		return err
	}
	return errors.Join(s.exitError(), err)
}
