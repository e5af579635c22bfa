// Package lsp is the language server: it lets an editor measure a Go
// workspace and shows what the measurement found as diagnostics, code lenses
// and hovers that stay with their functions while the code is edited.
//
// Here are the methods of the Language Server Protocol (3.18), a family a file, and the
// session that joins the rooms below: snapshot holds the state, view says what a file
// shows, publish what the client is told. How a measurement is made is none of its
// business: it is given a function.
package lsp

import (
	"context"
	"errors"
	"io"

	"go.uber.org/zap"

	"spell-lsp/lsp/wire"
)

// Serve speaks to one client until it is gone or said exit, then cancels what
// still runs, waits for it, and closes the stream. It returns nil after
// shutdown and exit and at a clean end of the stream; [ErrExit]; [ErrRefused]; ctx's error if
// ctx ended first; otherwise what was wrong with the stream.
//
// Where the stream is standard output, the caller must catch SIGPIPE, or an
// editor that dies ends the process before a measurement is cleaned up.
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
