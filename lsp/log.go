package lsp

import (
	"context"
	"os"
	"runtime"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"spell-lsp/lsp/redact"
	"spell-lsp/spell/record"
)

// logSession logs the start of a session. It returns a function that logs the end.
func logSession(o Options) func(*error) {
	begun := time.Now()
	o.Log.Info("start", zap.String("version", o.Version), zap.String("go", runtime.Version()), zap.Int("pid", os.Getpid()))
	return func(err *error) {
		fields := []zap.Field{zap.Duration("after", time.Since(begun))}
		if *err != nil {
			fields = append(fields, redact.Cause(*err))
		}
		o.Log.Info("end", fields...)
	}
}

// logRequest logs that a message of the client was handled.
func (s *session) logRequest(req *jsonrpc2.Request, begun time.Time) {
	if entry := s.log.Check(zap.DebugLevel, "request"); entry != nil {
		entry.Write(zap.String("method", redact.Name(req.Method())), zap.Duration("took", time.Since(begun)))
	}
}

// logged returns a Measure that logs the start and the end of every measurement.
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
			outcome, fields = "failed", []zap.Field{redact.Cause(err)}
		case run != nil:
			outcome = "ended"
			fields = []zap.Field{zap.Int("tests", len(run.Tests)), zap.Int("components", len(run.Components)), zap.Int("rounds", run.Rounds)}
		default:
			outcome = "ended without a result"
		}
		return run, err
	}
}
