package lsp

import (
	"context"
	"io"
	"path/filepath"

	"go.uber.org/zap"

	"spell-lsp/lsp/client"
	"spell-lsp/lsp/redact"
	"spell-lsp/lsp/render"
	"spell-lsp/spell/advice"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
	"spell-lsp/spell/text"
)

// Name is the server's name in the protocol; Source is the source of its diagnostics.
const (
	Name   = client.ServerName
	Source = render.Source
)

// A Request says what to measure.
type Request struct {
	Dir      string   // the folder to measure in, absolute
	Scope    string   // which part of Dir is measured, in words; "" for all of it
	Patterns []string // packages relative to Dir, as go list takes them
	Run      string   // the tests to run, as go test -run takes it; "" for all, "^$" for none
	Bench    string   // the benchmarks to run, as go test -bench takes it; "" for none
	Subtests bool     // each subtest and subbenchmark is a row of its own
	Reach    string   // the ID of a component: only tests that reach it count; "" for all
	Block    string   // the ID of a function whose blocks are measured too; "" for none
	Grow     string   // the ID of a function that is called with growing arguments, in a generated benchmark and nothing else; "" for none
	// Scenarios are programs that are run in place of tests, by the name of their row; nil for tests.
	// Patterns, Run, Bench and Reach are empty then.
	Scenarios map[string]settings.Scenario
	Rounds    int    // 0 for as many as the ranking needs
	Mode      string // auto, instrument or sample; "" for that of Settings
	// Machine replaces the machine of Settings, which it is already when the request is carried out; nil keeps it.
	Machine *string
	// Buffers are the unsaved texts of the editor, by absolute path. They are measured in
	// place of the files.
	Buffers  map[string][]byte
	Settings settings.Settings
	// Found may be called with the absolute paths of the measured files once they are known.
	// The measurement waits until it returns before it runs anything.
	Found func(files []string)
}

// Progress says how far a measurement has come.
type Progress struct {
	Message  string
	Fraction float64 // 0 to 1; negative if unknown
	// Live are the components with the most running time so far of the program that runs; nil if
	// that is not known.
	Live []render.LiveRow
}

// of returns the progress of n measurements while number i, which measures dir, is at p.
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

// An AdviceRequest says where to look for needless work.
type AdviceRequest struct {
	Dir      string      // the folder that was measured, absolute
	Root     string      // the folder that names of files are relative to, absolute
	Run      *record.Run // with the functions that matter
	Packages []string    // import paths; nil = all that Run has lines of
	Buffers  map[string][]byte
	Settings settings.Settings
}

// Options are what the server is built from.
type Options struct {
	Measure Measure
	// Advise finds needless work in the source as it is now. It runs the go command. If it is nil,
	// there is no advice.
	Advise func(context.Context, AdviceRequest) ([]advice.Finding, error)
	Doctor func(context.Context, settings.Settings) string // says which meters work here, and why others do not
	// Modules lists the folders that must be measured, each on its own, to measure
	// all modules of a folder. If it is nil, the folder itself is measured.
	Modules func(ctx context.Context, dir string) ([]string, error)
	// Programs lists the folders of the main packages of a module. It runs the go command. If it is
	// nil, none are listed.
	Programs func(ctx context.Context, dir string, s settings.Settings) ([]string, error)
	// Benchmarks generates benchmarks. If it is nil, no growth of a function is measured.
	Benchmarks Benchmarks
	// MainPackage names the main package of a scenario: a folder, relative to that of the module
	// unless it is absolute, or an import path. If it is nil, scenarios have no lenses.
	MainPackage func(settings.Scenario) (string, error)
	// Machines reads the machines that the user has given names. If it is nil, there are none.
	Machines func() (settings.Machines, error)
	// Store keeps runs and baselines; nil keeps none.
	Store *store.Store
	// Load reads a run or a matrix in any format that the command line knows. The
	// run is analysed, its components are by rank.
	Load func(path string, s settings.Settings) (*record.Run, error)
	// Named finds the run that the setting baseline names, for a folder. It may run git. If it
	// is nil, no run is found.
	Named func(ctx context.Context, dir, name string) (*record.Run, error)
	// Report are the formats of the command line, by name.
	Report  map[string]Reporter
	Log     *zap.Logger // nil for none; must not write to the stream
	Version string
	// Token is the required value of initializationOptions.token; "" admits every client.
	Token string
	// Accepted is called when the token was right. It reports whether the client is admitted;
	// nil admits it.
	Accepted func() bool
}

// ErrExit is returned by Serve when the client sent exit without shutdown.
var ErrExit error = redact.PlainError("the client sent exit without shutdown")

// ErrRefused is returned by Serve when the client was not admitted.
var ErrRefused error = redact.PlainError("the client was not admitted")

// A Reporter writes a run in one format, with the comparison with its baseline, which is nil
// if there is none. source reads files as they are in the editor.
type Reporter func(w io.Writer, r *record.Run, c *comparison.Comparison, source text.Source) error
