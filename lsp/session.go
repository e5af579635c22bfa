package lsp

import (
	"sync/atomic"

	"go.uber.org/zap"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/config"
	"spell-lsp/lsp/publish"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/lsp/view"
	"spell-lsp/lsp/wire"
)

// A session is the state of the server for its one client.
type session struct {
	Options
	log    *zap.Logger
	client *client.Client
	tasks  *wire.Tasks
	config *config.Config
	// measured receives a value when the results changed, for watchFiles.
	measured chan struct{}

	snapshots    *snapshot.Store
	views        *view.Memo
	publisher    *publish.Publisher
	measurements measurements
	restored     restored
	baselines    *baselines
	advising     advising

	phaseNow atomic.Int32 // see phase
}

func newSession(o Options) *session {
	s := &session{
		Options: o, log: o.Log, client: client.New(o.Log), tasks: wire.NewTasks(o.Log), measured: make(chan struct{}, 1),
		config: config.New(), snapshots: snapshot.NewStore(), baselines: &baselines{store: o.Store, named: o.Named},
	}
	s.views = view.NewMemo(s.snapshots, func(path string) { s.publisher.Republish(path) })
	s.publisher = publish.New(s.client, s.tasks, s.snapshots, s.views)
	return s
}

// update replaces the snapshot, see [snapshot.Store.Update], and returns the current one. If
// the results changed, it schedules the publication of the files that show them.
func (s *session) update(change func(next *snapshot.Snapshot) bool) *snapshot.Snapshot {
	before, after := s.snapshots.Update(change)
	if before.Results != after.Results {
		s.publisher.ResultsChanged(before, after)
		select {
		case s.measured <- struct{}{}:
		default: // a value is waiting already
		}
	}
	return after
}
