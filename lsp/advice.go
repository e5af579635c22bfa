package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/results"
)

// advise looks for advice on the shown results that have none yet, in the background. Where it is
// looking already, it looks once more.
func (s *session) advise(ctx context.Context) {
	if s.Advise == nil || s.advising.Add(1) > 1 {
		return
	}
	s.tasks.Go(ctx, "looking for advice", func(ctx context.Context) {
		for asked := int32(1); ; asked = s.advising.Load() {
			for ctx.Err() == nil && s.adviseNext(ctx) {
			}
			if s.advising.CompareAndSwap(asked, 0) {
				return
			}
		}
	})
}

// adviseNext looks for advice on one result, and reports whether there was one. It does nothing
// while a measurement runs, which it would disturb: advise is called again at its end.
func (s *session) adviseNext(ctx context.Context) bool {
	r := s.snapshots.Current().Results.First(func(r *results.Result) bool {
		return r.Advice == nil && r.Run.OfProgram() && r.KnowsLines() && s.mayRunIn(r.Dir) == nil
	})
	if r == nil || s.mayRun() != nil || s.measurements.running() {
		return false
	}
	findings, err := s.Advise(ctx, AdviceRequest{Dir: r.Dir, Root: r.Root, Run: r.Run, Buffers: s.unsaved(), Settings: r.Settings})
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		s.client.Log(ctx, protocol.MessageTypeWarning, "there is no advice on "+r.Dir+": "+err.Error())
	}
	advised := r.WithAdvice(findings, s.textsOf(r).Line)
	s.revise(func(shown *results.Result) *results.Result {
		if shown == r {
			return advised
		}
		return shown
	})
	s.publisher.Soon()
	return true
}
