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
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/wire"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// Name is the server's name in the protocol and the source of its diagnostics
// is Source.
const (
	Name   = "spell-lsp"
	Source = "spell"
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
	s.tasks.Go(context.WithoutCancel(ctx), "publishing", s.publishLoop)
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
	client *client
	tasks  *wire.Tasks
	wake   chan struct{} // tells publishLoop that there is something to publish
	// measured tells watchFiles that there are other results.
	measured chan struct{}

	// mu guards what follows, all of which the messages of the client and the
	// results of measurements change. It is held for look-ups and assignments
	// only: documents, results and settings are replaced, never changed.
	mu        sync.Mutex
	phase     phase
	folders   []folder // of the workspace
	trusted   bool
	editor    editorSettings
	ignored   map[string]bool      // keys of settings that need trust, once the user was told so
	open      map[string]*document // by key
	documents map[string]*document // by path; of two that are the same file the one last touched
	results   *results
	baselines map[string]*record.Run // by the folder that they are of
	restored  map[string]bool        // folders whose saved runs were looked for
	views     map[string]*view       // by path, of the documents and results above
	strays    map[string]bool        // of views that another file may change
	marked    map[string]bool        // files in which something is shown
	rewritten map[string]bool        // files that changed on disk, not in the editor, since they were published
	changes   int                    // counts what makes views stale
	due       map[string]bool        // paths to be published
	later     map[string]bool        // paths to be published when nobody has typed for a while
	quiet     *time.Timer            // makes later due; nil before the first edit
	polite    atomic.Bool            // publishLoop will be woken soon
	restyle   bool                   // lenses are to be asked for again
	clears    int                    // how often all was taken from view
	flushes   []chan struct{}        // closed when what was due is published
	pulls     map[string]*pull       // by key, the last of each open document whose diagnostics the client asked for
	around    *surroundings          // of the views that are being made, nil if of none
	aroundAt  int                    // changes when they were begun

	placements map[string]placement // of open files by path, for publishLoop only
	looks      map[string]look      // by path; of publishLoop
	unlike     bool                 // a file does not look as it did; of publishLoop

	measurements measurements
	pushes       pushes
	disk         outline.Cache
	files        settingsFiles
}

func newSession(o Options) *session {
	return &session{
		Options: o, log: o.Log, client: &client{log: o.Log}, tasks: wire.NewTasks(o.Log), wake: make(chan struct{}, 1), measured: make(chan struct{}, 1), trusted: true,
		editor: editorSettings{ready: make(chan struct{})}, ignored: map[string]bool{},
		open: map[string]*document{}, documents: map[string]*document{}, results: &results{}, views: map[string]*view{}, strays: map[string]bool{}, marked: map[string]bool{}, rewritten: map[string]bool{}, baselines: map[string]*record.Run{}, restored: map[string]bool{},
		due: map[string]bool{}, later: map[string]bool{}, pulls: map[string]*pull{}, placements: map[string]placement{}, looks: map[string]look{},
	}
}
