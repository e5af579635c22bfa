package lsp

import (
	"context"
	"sync"

	"go.lsp.dev/protocol"

	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell/advice"
)

// advising is the search for advice in the background. There is one at a time. The zero value is ready.
type advising struct {
	mu    sync.Mutex
	stop  context.CancelFunc // ends the search that runs; nil if none does
	ended chan struct{}      // closed when it has ended
	again bool               // it is to look once more
}

// begin reports whether a search is to be started, with its context. Where one runs already, that
// will look once more.
func (a *advising) begin(ctx context.Context) (searching context.Context, start bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil {
		a.again = true
		return nil, false
	}
	searching, a.stop = context.WithCancel(ctx)
	a.ended, a.again = make(chan struct{}), false
	return searching, true
}

// over reports whether a search that has looked through everything ends. It does not if there may
// be something new.
func (a *advising) over(ctx context.Context) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.again && ctx.Err() == nil {
		a.again = false
		return false
	}
	a.stop()
	a.stop = nil
	close(a.ended)
	return true
}

// pause ends the search that runs, and waits until it has ended.
func (a *advising) pause() {
	a.mu.Lock()
	stop, ended := a.stop, a.ended
	a.mu.Unlock()
	if stop != nil {
		stop()
		<-ended
	}
}

// advise looks for advice on the shown results that have none yet, in the background.
func (s *session) advise(ctx context.Context) {
	if s.Advise == nil {
		return
	}
	s.tasks.Go(ctx, "looking for advice", func(ctx context.Context) {
		ctx, start := s.advising.begin(ctx)
		if !start {
			return
		}
		for {
			for ctx.Err() == nil && s.adviseNext(ctx) {
			}
			if s.advising.over(ctx) {
				return
			}
		}
	})
}

// adviseNext looks for advice on one result, and reports whether there was one. It does nothing
// while a measurement runs, which it would disturb: advise is called again at its end.
func (s *session) adviseNext(ctx context.Context) bool {
	n := s.snapshots.Current()
	r := n.Results.First(func(r *results.Result) bool {
		return r.Advice == nil && r.Settings.Advice && r.Run.OfProgram() && r.KnowsLines() && s.mayRunIn(r.Dir) == nil
	})
	if r == nil || s.mayRun() != nil || s.measurements.running() {
		return false
	}
	findings, err := s.findings(ctx, n, r, nil)
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		s.client.Log(ctx, protocol.MessageTypeWarning, "there is no advice on "+r.Dir+": "+err.Error())
	}
	advised := r.WithAdvice(findings, textsIn(n, r).Finder())
	s.revise(func(shown *results.Result) *results.Result {
		if shown == r {
			return advised
		}
		return shown
	})
	s.publisher.Soon()
	return true
}

// findings are what the analysers find in packages of a result, or in all that it has lines of, in
// the texts of a snapshot. A panic is an error.
func (s *session) findings(ctx context.Context, n *snapshot.Snapshot, r *results.Result, packages []string) (list []advice.Finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			list, err = nil, s.tasks.Panicked("the analysis", p)
		}
	}()
	return s.Advise(ctx, AdviceRequest{Dir: r.Dir, Root: r.Root, Run: r.Run, Packages: packages, Buffers: unsaved(n), Settings: r.Settings})
}
