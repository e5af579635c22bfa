package lsp

import (
	"context"
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"spell-lsp/lsp/results"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// Methods lists the calls that the server answers.
func Methods() []string {
	return slices.Sorted(maps.Keys(calls))
}

// Notifications lists the notifications that the server handles.
func Notifications() []string {
	return slices.Sorted(maps.Keys(notifications))
}

// PublishWhereItPanics publishes in several rounds, each of which panics when it waits for the
// client. It reports whether all rounds ended before ctx did.
func PublishWhereItPanics(ctx context.Context, rounds int) bool {
	s := newSession(Options{Log: zap.NewNop()})
	s.client.Conn = nil // waiting for it panics
	s.tasks.Go(ctx, "publishing", s.publisher.Run)
	defer s.tasks.End(time.Minute)
	for range rounds {
		s.publisher.Republish("/a.go")
		s.publisher.Flush(ctx)
	}
	return ctx.Err() == nil
}

// OnCalls calls a function before the call tree of a result is indexed, until end is called.
func OnCalls(before func()) (end func()) {
	usual := results.CallTree
	results.CallTree = func(r *record.Run) *calltree.Calls {
		before()
		return usual(r)
	}
	return func() { results.CallTree = usual }
}
