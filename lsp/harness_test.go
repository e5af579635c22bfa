package lsp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
)

// hang is how long a test waits for an event that it can only poll for. It matters only when
// the test fails.
const hang = 2 * time.Minute

// A server is a server in this process, which serves over a pipe.
type server struct {
	t     testing.TB
	ended chan error
	logs  *observer.ObservedLogs
	stop  context.CancelFunc
}

// serve starts a server and an editor for it. The server must have ended by the end of the
// test.
func serve(t testing.TB, o lsp.Options) (*lsptest.Editor, *server) {
	t.Helper()
	near, far := net.Pipe()
	s := serveOver(t, far, o)
	return lsptest.Connect(t, near), s
}

func serveOver(t testing.TB, conn io.ReadWriteCloser, o lsp.Options) *server {
	t.Helper()
	core, logs := observer.New(zap.DebugLevel)
	if o.Log == nil {
		o.Log = zap.New(core)
	}
	if o.Version == "" {
		o.Version = "test"
	}
	if o.Doctor == nil {
		o.Doctor = func(context.Context, settings.Settings) string { return "no meter" }
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &server{t: t, ended: make(chan error, 1), logs: logs, stop: stop}
	go func() { s.ended <- lsp.Serve(ctx, conn, o) }()
	t.Cleanup(func() {
		stop()
		s.wait()
	})
	return s
}

// wait returns what Serve returned.
func (s *server) wait() error {
	s.t.Helper()
	select {
	case err := <-s.ended:
		s.ended <- err
		return err
	case <-time.After(hang):
		s.t.Fatal("Serve does not return")
		return nil
	}
}

// module writes a Go module and returns its folder. A name that ends in / is a folder.
func module(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if _, ok := files["go.mod"]; !ok {
		files["go.mod"] = "module example.com/park\n\ngo 1.26\n"
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// replace writes a file that the server may be reading: os.WriteFile leaves it empty
// for a moment, and an empty settings file has no mistakes.
func replace(t testing.TB, path, text string) {
	t.Helper()
	write(t, path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// cost is the cost of a function in an invented run.
type cost struct{ n, ms, joules float64 }

// started is the time of every invented run.
var started = time.Date(2026, 11, 10, 18, 0, 0, 0, time.UTC)

// A lab stands for the measurements: it finds functions in files and unsaved buffers as a
// measurement does, and invents their costs.
type lab struct {
	costs    map[string]cost // by the function's name, the last part of its ID
	source   record.Source
	requests chan lsp.Request
	release  chan struct{} // if not nil, a measurement waits for a value of it
	waiting  chan struct{} // receives a value when a measurement waits for release
	fail     error
	kind     spell.Kind        // what is ranked, "" for functions
	rounds   int               // if not 0, the run has the costs of this number of rounds
	made     int               // number of runs so far
	root     string            // the root in the run; "." if empty
	run      *record.Run       // the last run
	alter    func(*record.Run) // if not nil, changes the invented run, whose components are by rank
}

func newLab(costs map[string]cost) *lab {
	return &lab{costs: costs, source: record.Estimated, requests: make(chan lsp.Request, 100), waiting: make(chan struct{}, 100)}
}

func (l *lab) measure(ctx context.Context, r lsp.Request, progress func(lsp.Progress)) (*record.Run, error) {
	l.requests <- r
	progress(lsp.Progress{Message: "building", Fraction: -1})
	if l.release != nil {
		l.waiting <- struct{}{}
		select {
		case <-l.release:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if l.fail != nil {
		return nil, l.fail
	}
	progress(lsp.Progress{Message: "done", Fraction: 1})
	run, err := l.invent(r)
	l.run = run
	return run, err
}

// invent returns the run of one test that executed every function with a cost.
func (l *lab) invent(r lsp.Request) (*record.Run, error) {
	run := &record.Run{
		Schema: record.Schema, ID: fmt.Sprintf("20261120T180000Z-%04x", 0x3f9a+l.made), Started: started,
		Workspace: record.Workspace{Root: ".", Module: "example.com/park"},
		Meter:     record.Meter{Name: "model", Source: l.source, Domains: []spell.Domain{spell.CPU}},
		Mode:      "instrument", Granularity: spell.KindFunction, Rounds: 3,
		Tests: []record.Test{{Name: "example.com/park.TestPark", Outcome: record.Pass, Rounds: 3}},
	}
	l.made++
	if l.root != "" {
		run.Workspace.Root = l.root
	}
	if l.source == record.NoEnergy {
		run.Meter.Domains = nil
	}
	run.Matrix.Domains = run.Meter.Domains
	found, err := functions(r)
	for _, c := range found {
		cost, ok := l.costs[strings.TrimPrefix(c.ID, c.Package+".")]
		if !ok && l.kind == "" {
			continue
		}
		energy := record.Energy{}
		if l.source != record.NoEnergy {
			energy[spell.CPU] = cost.joules
		}
		run.Matrix.Add(record.Cell{C: len(run.Components), N: cost.n, TimeMS: cost.ms, EnergyJ: energy})
		run.Components = append(run.Components, record.Component{
			ID: c.ID, Kind: c.Kind, Package: c.Package, File: c.File, Line: c.Line, Column: c.Column, EndLine: c.EndLine, Hash: c.Hash,
			N: cost.n, TimeMS: cost.ms, EnergyJ: energy, CumTimeMS: cost.ms, CumEnergyJ: energy, PsiCI: [2]float64{0.1, 0.2},
		})
	}
	if l.kind != "" {
		grouped, groupErr := grouping.Regroup(run, l.kind)
		run, err = grouped, errors.Join(err, groupErr)
	}
	l.series(run)
	ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	if l.alter != nil {
		l.alter(run)
	}
	return run, err
}

// series invents rounds that differ by a thousandth.
func (l *lab) series(run *record.Run) {
	if l.rounds == 0 {
		return
	}
	run.Rounds = l.rounds
	total := cost{}
	about := func(mean float64) (values []float64) {
		for i := range l.rounds {
			values = append(values, mean*(1+0.001*(float64(i%3)-1)+0.0001*float64(i)))
		}
		return values
	}
	for i := range run.Components {
		c := &run.Components[i]
		c.RoundEnergyJ = map[spell.Domain][]float64{spell.CPU: about(c.EnergyJ.Total())}
		c.RoundTimeMS = about(c.TimeMS)
		total.joules += c.EnergyJ.Total()
		total.ms += c.TimeMS
	}
	t := &run.Tests[0]
	t.Rounds, t.EnergyJ, t.TimeMS = l.rounds, record.Energy{spell.CPU: total.joules}, total.ms
	t.RoundEnergyJ, t.RoundTimeMS = map[spell.Domain][]float64{spell.CPU: about(total.joules)}, about(total.ms)
}

// goFiles returns the functions of all files that are not tests, by folder, and the texts of
// the files.
func goFiles(r lsp.Request) (packages map[string][][]gosource.Func, texts map[string][]byte, err error) {
	packages, texts = map[string][][]gosource.Func{}, map[string][]byte{}
	root := r.Dir + string(filepath.Separator) // the separator makes WalkDir follow a link
	err = filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, ok := r.Buffers[path]
		if !ok {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], gosource.Functions(fset, file, text))
		texts[path] = text
		return nil
	})
	return packages, texts, err
}

// functions returns the functions that a measurement of one module would find.
func functions(r lsp.Request) ([]spell.Component, error) {
	packages, texts, err := goFiles(r)
	var found []spell.Component
	for dir, files := range packages {
		gosource.Number(files)
		rel, relErr := filepath.Rel(r.Dir, dir)
		err = errors.Join(err, relErr)
		for _, funcs := range files {
			for i := range funcs {
				file := filepath.ToSlash(filepath.Join(rel, filepath.Base(funcs[i].File)))
				pkg := strings.TrimSuffix("example.com/park/"+filepath.ToSlash(rel), "/.")
				f := funcs[i].Component(pkg, file)
				found = append(found, f)
				if r.Block == f.ID {
					found = append(found, blocksOf(f, funcs[i].Name, texts[funcs[i].File])...)
				}
			}
		}
	}
	return found, err
}

// blocksOf lists the blocks of the function name, whose component is f.
func blocksOf(f spell.Component, name string, text []byte) []spell.Component {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments)
	if err != nil {
		return nil
	}
	var found []spell.Component
	for _, g := range gosource.Functions(fset, file, text) {
		if g.Name != name {
			continue
		}
		for _, b := range gosource.Blocks(fset, g.Body, text) {
			found = append(found, b.Component(f))
		}
	}
	return found
}

// park is the module that most tests measure. It has names, and text before names, that are
// not ASCII, because editors count in UTF-16.
var park = map[string]string{
	"park.go": `package park

type Park struct{ cars []Car }

/* 🅿️ */ func (p *Park) Add(c Car) {
	p.cars = append(p.cars, c)
}

func sortÄ(cars []Car) { // 🚗
	for range cars {
	}
}

func oldest(cars []Car) Car { return cars[0] }

func never() {}
`,
	"car.go": `package park

type Car struct{ plate string }

var less = func(a, b Car) bool { return a.plate < b.plate }

func init() { _ = less }

func init() { _ = Car{} }
`,
	"park_test.go": `package park

import "testing"

func TestPark(t *testing.T) {}

func BenchmarkPark(b *testing.B) {}

func helper(t *testing.T) {}
`,
}

// parkCosts make (*Park).Add red, sortÄ yellow, and the others green.
var parkCosts = map[string]cost{
	"(*Park).Add": {n: 600, ms: 60, joules: 0.6}, "sortÄ": {n: 500, ms: 50, joules: 0.5}, "oldest": {n: 10, ms: 1, joules: 0.01},
	"init.0": {n: 1, ms: 0.1, joules: 0.001}, "init.1": {n: 1, ms: 0.2, joules: 0.002}, "init.func1": {n: 100, ms: 9, joules: 0.04},
}

// openPark starts a session with the module park open in the editor.
func openPark(t *testing.T, l *lab, setUp ...func(*lsptest.Editor)) (e *lsptest.Editor, s *server, parkGo string) {
	t.Helper()
	files := map[string]string{}
	for name, text := range park {
		files[name] = text
	}
	dir := module(t, files)
	e, s = serve(t, lsp.Options{Measure: l.measure})
	e.Folders = []string{dir}
	for _, f := range setUp {
		f(e)
	}
	e.Start()
	parkGo = filepath.Join(dir, "park.go")
	e.Open(parkGo)
	return e, s, parkGo
}

// measure measures the workspace.
func measure(t testing.TB, e *lsptest.Editor) []byte {
	t.Helper()
	result, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait()
	if err != nil {
		t.Fatalf("measuring: %v", err)
	}
	return result
}

func lspOptions(l *lab) lsp.Options { return lsp.Options{Measure: l.measure} }

// A safeBuffer is written by one goroutine and read by another.
type safeBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}
