// Package lsp is the language server: it lets an editor measure a Go
// workspace and shows what the measurement found as diagnostics, code lenses
// and hovers that stay with their functions while the code is edited.
//
// It is the only package that knows the Language Server Protocol (3.18). How a
// measurement is made is none of its business: it is given a function.
package lsp

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"go.uber.org/zap"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/config"
	"spell-lsp/lsp/publish"
	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/render"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/lsp/view"
	"spell-lsp/lsp/wire"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// Name is the server's name in the protocol and the source of its diagnostics
// is Source.
const (
	Name   = client.ServerName
	Source = render.Source
)

// A Request says what to measure.
type Request struct {
	Dir      string   // the folder to measure in, absolute
	Scope    string   // what of it is measured, in words; "" for all of it
	Patterns []string // packages relative to Dir, as go list takes them
	Run      string   // the tests to run, as go test -run takes it; "" for all, "^$" for none
	Bench    string   // the benchmarks to run, as go test -bench takes it; "" for none
	Reach    string   // the ID of a component: only tests that reach it count; "" for all
	Block    string   // the ID of a function whose blocks are measured too; "" for none
	Rounds   int      // 0 for as many as the ranking needs
	Mode     string   // instrument or sample; "" for the default
	// Buffers is what the editor has not saved yet, by absolute path. It is
	// measured in place of the files.
	Buffers  map[string][]byte
	Settings settings.Settings
	// Found may be told the files that are measured, absolute, once they are known,
	// and is waited for before anything is measured.
	Found func(files []string)
}

// Progress says how far a measurement has come.
type Progress struct {
	Message  string
	Fraction float64 // 0 to 1, negative if unknown
}

// A Measure makes one measurement. It returns the analysed run with the
// components by rank. When ctx ends it stops and leaves no process and no
// file behind before it returns; its result is then ignored. It may call
// progress at any rate, but not after it returned.
type Measure func(ctx context.Context, r Request, progress func(Progress)) (*record.Run, error)

// Options are what the server is built from.
type Options struct {
	Measure Measure
	Doctor  func(context.Context, settings.Settings) string // says which meters work here, and why others do not
	// Modules lists the folders that must be measured, each on its own, to measure
	// all modules of a folder. nil takes the folder for a module.
	Modules func(ctx context.Context, dir string) ([]string, error)
	// Store is where runs and baselines are kept; nil keeps none.
	Store *store.Store
	// Load reads a run or a matrix in any format that the command line knows. The
	// run is analysed, its components are by rank.
	Load func(path string, s settings.Settings) (*record.Run, error)
	// Named finds the run that the setting baseline names, for a folder; it may ask
	// the version control system. nil finds none.
	Named func(ctx context.Context, dir, name string) (*record.Run, error)
	// Report are the formats of the command line, by name.
	Report  map[string]Reporter
	Log     *zap.Logger // nil for none; must not write to the stream
	Version string
	// Token is what the client must give as initializationOptions.token; "" lets
	// everybody in.
	Token string
	// Accepted is called when the token was right. It says whether the client is
	// served; nil for yes.
	Accepted func() bool
}

// ErrExit is returned by Serve when the client said exit without shutdown.
var ErrExit error = redact.PlainError("the client said exit without shutdown")

// ErrRefused is returned by Serve when the client was not let in.
var ErrRefused error = redact.PlainError("the client was not let in")

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

// A session is what the server knows of its one client.
type session struct {
	Options
	log    *zap.Logger
	client *client.Client
	tasks  *wire.Tasks
	config *config.Config
	// measured tells watchFiles that there are other results.
	measured chan struct{}

	snapshots    *snapshot.Store
	views        *view.Memo
	publisher    *publish.Publisher
	measurements measurements
	restored     restored
	baselines    *baselines

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

// update replaces the snapshot, see [snapshot.Store.Update], and makes due what other results
// change. It returns the current one.
func (s *session) update(change func(next *snapshot.Snapshot) bool) *snapshot.Snapshot {
	before, after := s.snapshots.Update(change)
	if before.Results != after.Results {
		s.publisher.ResultsChanged(before, after)
		select {
		case s.measured <- struct{}{}:
		default: // it is told already
		}
	}
	return after
}
