package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"spell-lsp/spell/record"
)

// The log tells what happened, never what was in it: no text of a document, no
// parameters, no settings. Errors quote all of these, so their texts are not
// logged, but for those that are known to be plain.

// A plainError has a text that is the server's own from the first to the last
// word.
type plainError string

func (e plainError) Error() string { return string(e) }

// Errors of libraries whose texts are constant.
var constantErrors = []error{
	io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, os.ErrClosed, net.ErrClosed, os.ErrNotExist, os.ErrPermission,
	context.Canceled, context.DeadlineExceeded, jsonrpc2.ErrServerClosing, jsonrpc2.ErrClientClosing, ErrExit, ErrRefused,
}

// cause is what the log may tell of an error: a text without contents, a code,
// or else its type.
func cause(err error) zap.Field { return zap.String("cause", causeOf(err)) }

func causeOf(err error) string {
	var plain plainError
	var errno syscall.Errno
	var coded *jsonrpc2.Error
	switch {
	case errors.As(err, &plain):
		return plain.Error()
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &coded):
		return fmt.Sprintf("error %d", coded.Code)
	}
	for _, constant := range constantErrors {
		if errors.Is(err, constant) {
			return constant.Error()
		}
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return fmt.Sprintf("%T", err)
}

// panicValue is the text of a mistake that the Go runtime found, or the type of
// what a program panicked with, which may hold anything.
func panicValue(p any) zap.Field {
	if mistake, ok := p.(runtime.Error); ok {
		return zap.String("value", mistake.Error())
	}
	return zap.String("type", fmt.Sprintf("%T", p))
}

// brief copies a name that the client gave: it may belong to a buffer that is
// used again, and be of any length.
func brief(name string) string { return strings.Clone(name[:min(len(name), 64)]) }

// logSession logs the start of a session, and with what it returns the end.
func logSession(o Options) func(*error) {
	begun := time.Now()
	o.Log.Info("start", zap.String("version", o.Version), zap.String("go", runtime.Version()), zap.Int("pid", os.Getpid()))
	return func(err *error) {
		fields := []zap.Field{zap.Duration("after", time.Since(begun))}
		if *err != nil {
			fields = append(fields, cause(*err))
		}
		o.Log.Info("end", fields...)
	}
}

// logRequest logs a message of the client that was handled.
func (s *session) logRequest(req *jsonrpc2.Request, begun time.Time) {
	if entry := s.log.Check(zap.DebugLevel, "request"); entry != nil {
		entry.Write(zap.String("method", brief(req.Method())), zap.Duration("took", time.Since(begun)))
	}
}

// logged makes measurements leave their begin and end in the log.
func logged(log *zap.Logger, measure Measure) Measure {
	return func(ctx context.Context, r Request, progress func(Progress)) (*record.Run, error) {
		begun := time.Now()
		log.Info("measurement begins", zap.Int("patterns", len(r.Patterns)), zap.Int("unsaved", len(r.Buffers)))
		outcome, fields := "panicked", []zap.Field(nil)
		defer func() {
			log.Info("measurement "+outcome, append(fields, zap.Duration("after", time.Since(begun)))...)
		}()
		run, err := measure(ctx, r, progress)
		switch {
		case ctx.Err() != nil:
			outcome = "cancelled"
		case err != nil:
			outcome, fields = "failed", []zap.Field{cause(err)}
		case run != nil:
			outcome = "ended"
			fields = []zap.Field{zap.Int("tests", len(run.Tests)), zap.Int("components", len(run.Components)), zap.Int("rounds", run.Rounds)}
		default:
			outcome = "ended without a result"
		}
		return run, err
	}
}
