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

// Methods lists the methods that the server knows, for tests of all of them.
func Methods() []string {
	return slices.Sorted(maps.Keys(calls))
}

// Notifications lists the notifications that the server knows.
func Notifications() []string {
	return slices.Sorted(maps.Keys(notifications))
}

// ReportEvery is how often a client hears of progress at most.
const ReportEvery = reportEvery

// LateRefresh is when lenses are refreshed again after clear.
const LateRefresh = lateRefresh

// PublishWhereItPanics publishes as often as asked, where waiting for the client
// panics. It reports whether each round came to its end before ctx did.
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

// OnCalls has a function called before the call tree of a result is gone through. It
// returns what ends that.
func OnCalls(before func()) (end func()) {
	usual := results.CallTree
	results.CallTree = func(r *record.Run) *calltree.Calls {
		before()
		return usual(r)
	}
	return func() { results.CallTree = usual }
}
