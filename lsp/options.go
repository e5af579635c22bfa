package lsp

import (
	"context"
	"io"
	"path/filepath"

	"go.uber.org/zap"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/render"
	"spell-lsp/spell/comparison"
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

// of gives the progress of all n measurements while number i, of the folder dir, runs.
func (p Progress) of(i, n int, dir string) Progress {
	if n == 1 {
		return p
	}
	p.Message = filepath.Base(dir) + ": " + p.Message
	if p.Fraction >= 0 {
		p.Fraction = (float64(i) + min(p.Fraction, 1)) / float64(n)
	}
	return p
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

// A Reporter writes a run in one format, with what changed since the baseline; nil where
// there is none.
type Reporter func(w io.Writer, r *record.Run, c *comparison.Comparison) error
