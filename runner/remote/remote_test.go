package remote

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/runner"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/remote/frame"
	"spell-lsp/runner/sampler"
	"spell-lsp/runner/scratch"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

func TestMain(m *testing.M) {
	if sampler.Called() {
		os.Exit(sampler.Main())
	}
	// Programs that tests start: with the race detector each would sleep for a second at its end.
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// A machine is one that measures, in this process: its cache, and what is on its wire.
type machine struct {
	t     *testing.T
	on    Machine
	sent  *countedWriter // to the machine
	ended chan error     // what Serve returned
	conn  *frame.Conn
}

func newMachine(t *testing.T) *machine {
	return &machine{t: t, on: Machine{Cache: filepath.Join(t.TempDir(), "cache"), Turn: "spell-lsp/test/" + t.TempDir()}}
}

type countedWriter struct {
	io.WriteCloser
	bytes int
}

func (w *countedWriter) Write(p []byte) (int, error) {
	w.bytes += len(p)
	return w.WriteCloser.Write(p)
}

// dial connects with the machine, which then serves one measurement.
func (m *machine) dial() *frame.Conn {
	fromHere, toThere := io.Pipe()
	fromThere, toHere := io.Pipe()
	sent := &countedWriter{WriteCloser: toThere}
	m.sent = sent
	here, there := frame.New(fromThere, sent), frame.New(fromHere, toHere)
	ended := make(chan error, 1)
	m.ended, m.conn = ended, here
	go func() {
		err := Serve(context.WithoutCancel(m.t.Context()), there, m.on)
		there.Close()
		ended <- err
	}()
	m.t.Cleanup(here.Close)
	return here
}

// measure measures on the machine.
func (m *machine) measure(ctx context.Context, p runner.Params) (*record.Run, error) {
	m.t.Helper()
	site, err := Open(ctx, m.options(p))
	if err != nil {
		return nil, err
	}
	defer site.Close()
	p.Site = site
	return runner.Measure(ctx, p)
}

// options are those of a measurement there. A connection that is closed leaves nothing running.
func (m *machine) options(p runner.Params) Options {
	return Options{Name: "lab", Meter: p.Meter, Meters: p.Meters, Dial: func(context.Context) (Link, error) {
		conn := m.dial()
		ended := m.ended
		return Link{Conn: conn, Arch: runtime.GOARCH, Close: func() { conn.Close(); <-ended }}, nil
	}}
}

// files are a module whose function runs for long enough that there are samples of its lines.
var files = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.26\n",
	"sub/sub.go": `package sub

import "strings"

func Shout(text string, n int) (sum int) {
	for range n {
		sum += len(strings.ToUpper(text))
	}
	return sum
}
`,
	"sub/testdata/word": "energy",
	"sub/sub_test.go": `package sub

import (
	"os"
	"testing"
)

func TestShout(t *testing.T) {
	text, err := os.ReadFile("testdata/word")
	if err != nil || Shout(string(text), 3_000_000) != 3_000_000*len("energy") {
		t.Error(err)
	}
	if err := os.WriteFile("testdata/word", text, 0o600); err != nil {
		t.Error(err)
	}
}

func TestFails(t *testing.T) { t.Error("as here") }
`,
}

// workspace writes a module that is to be measured, so make check skips the test.
func workspace(t *testing.T, more map[string]string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it measures")
	}
	dir := t.TempDir()
	all := maps.Clone(files)
	maps.Copy(all, more)
	for name, text := range all {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Why: somebody without a counter measures on a machine that has one, and must see what they would have seen
// here. A second measurement sends only what changed, and nothing of the files stays but their content.
func TestMeasureElsewhere(t *testing.T) {
	lab := newMachine(t)
	p := runner.Params{Dir: workspace(t, nil), Meter: "model", Rounds: 2, Seed: 1}
	want, err := runner.Measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lab.measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	first := lab.sent.bytes
	if diff := cmp.Diff(outline(want), outline(got)); diff != "" {
		t.Errorf("-here +there:\n%s", diff)
	}
	if _, err := lab.measure(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if again := lab.sent.bytes; first < 1_000_000 || again > 100_000 {
		t.Errorf("%d bytes were sent, and %d the second time", first, again)
	}
	filepath.WalkDir(lab.on.Cache, func(name string, d os.DirEntry, _ error) error {
		if strings.Contains(d.Name(), "sub") || strings.Contains(d.Name(), "word") {
			t.Errorf("%s is left", name)
		}
		return nil
	})
}

// finding finds files by where its source is, in its own package and by way of another one, and tells where that is.
var finding = map[string]string{
	"sub/find_test.go": `package sub

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"example.com/m/golden"
)

func TestFinds(t *testing.T) {
	_, file, _, _ := runtime.Caller(0)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "testdata", "word"))
	if err != nil || Shout(string(text), 300000) == 0 {
		t.Error(err)
	}
	if text := golden.Read(t, "other"); text != "other" {
		t.Error(text)
	}
	if dir, err := os.Getwd(); dir != filepath.Dir(file) {
		t.Errorf("the source is in %s, the test runs in %s: %v", file, dir, err)
	}
}

func TestTells(t *testing.T) {
	_, file, line, _ := runtime.Caller(0)
	t.Errorf("%s:%d", file, line)
}
`,
	"golden/testdata/other": "other",
	"golden/golden.go": `package golden

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func Read(t *testing.T, name string) string {
	_, file, _, _ := runtime.Caller(0)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "testdata", name))
	if err != nil {
		t.Error(err)
	}
	return string(text)
}
`,
}

// Why: many tests find their files by runtime.Caller, which says where the source was when the program was built. It
// must say where the source is now, in programs of each kind; what is shown must be as here.
func TestSourceElsewhere(t *testing.T) {
	lab := newMachine(t)
	for what, p := range map[string]runner.Params{
		"probes":  {Calm: true, Rounds: 3},
		"samples": {Mode: runner.ModeSample, Counts: true, Rounds: 2},
	} {
		t.Run(what, func(t *testing.T) {
			dir := workspace(t, finding)
			p.Dir, p.Meter, p.Seed = filepath.Join(t.TempDir(), "link"), "model", 1
			if err := os.Symlink(dir, p.Dir); err != nil {
				t.Fatal(err)
			}
			want, err := runner.Measure(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			gone := sync.OnceValue(func() error { return os.Rename(dir, dir+"-local") })
			p.Progress = func(s runner.Step) {
				if s.Round > 0 && gone() != nil { // all is built and sent
					t.Error(gone())
				}
			}
			got, err := lab.measure(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(outline(want), outline(got)); diff != "" {
				t.Errorf("-here +there:\n%s", diff)
			}
			for _, test := range got.Tests {
				if strings.HasSuffix(test.Name, ".TestFinds") && test.Outcome != record.Pass {
					t.Errorf("%s: %s", test.Outcome, test.Output)
				}
			}
		})
	}
}

// Why: a module that a replace directive names lies beside the workspace. It is not measured, but tests read its files:
// by where they are from here, and by way of its functions.
func TestReplacedModuleElsewhere(t *testing.T) {
	dir := workspace(t, map[string]string{
		"app/go.mod": "module example.com/app\n\ngo 1.26\n\nrequire example.com/m v0.0.0\n\nreplace example.com/m => ../\n",
		"app/app.go": "package app\n\nimport \"example.com/m/sub\"\n\nfunc Shout() int { return sub.Shout(\"energy\", 300000) }\n",
		"app/app_test.go": `package app

import (
	"os"
	"testing"

	"example.com/m/golden"
)

func TestShout(t *testing.T) {
	text, err := os.ReadFile("../sub/testdata/word")
	if err != nil || string(text) != "energy" || golden.Read(t, "other") != "other" || Shout() == 0 {
		t.Error(err)
	}
}
`,
		"golden/golden.go": finding["golden/golden.go"], "golden/testdata/other": "other",
	})
	p := runner.Params{Dir: filepath.Join(dir, "app"), Meter: "model", Rounds: 1}
	run, err := newMachine(t).measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range run.Tests {
		if test.Outcome != record.Pass {
			t.Errorf("%s: %s %s", test.Name, test.Outcome, test.Output)
		}
	}
	if len(run.Components) != 1 || run.Components[0].File != "app.go" {
		t.Errorf("measured are %+v, want Shout of app", run.Components)
	}
}

// Why: generated code is often ignored by git, and stays here. What is said of its functions must be as here, also of
// their lines.
func TestIgnoredSourceElsewhere(t *testing.T) {
	dir := workspace(t, map[string]string{
		".gitignore": "*.pb.go\n", "sub/sub.pb.go": files["sub/sub.go"], "sub/sub.go": "package sub\n",
	})
	init := exec.CommandContext(t.Context(), "git", "init", "-q")
	init.Dir = dir
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := runner.Params{Dir: dir, Meter: "model", Rounds: 2, Run: "Shout"}
	want, err := runner.Measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := newMachine(t).measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Components; len(c) != 1 || c[0].File != "sub/sub.pb.go" || len(c[0].Lines) == 0 || c[0].LinesHash == "" || c[0].LinesHash != want.Components[0].LinesHash {
		t.Errorf("there are %+v, here %+v", c, want.Components)
	}
}

// Why: no name fits into programs that were built in a folder with a very short one. They are measured all the same.
func TestSourceWithAShortName(t *testing.T) {
	folder, err := scratch.New()
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Remove()
	w := &workplace{base: folder.Dir, folder: folder, job: job{Task: &runner.Task{Built: "/m"}}}
	if w.shorten(); w.linked || w.base != folder.Dir {
		t.Errorf("the tree is called %s", w.base)
	}
}

// outline is what of a run is the same each time.
func outline(r *record.Run) map[string]any {
	o := map[string]any{"workspace": r.Workspace, "host": r.Host, "meter": r.Meter.Name, "mode": r.Mode, "rounds": r.Rounds, "partial": r.Partial}
	for _, test := range r.Tests {
		o[test.Name] = string(test.Outcome) + test.Output
	}
	for _, c := range r.Components {
		o[c.ID] = []any{c.File, c.Line, c.Hash, c.N}
	}
	return o
}

// Why: programs without probes, and those that count calls, are built only when the machine asks for them.
func TestMeasureElsewhereByAllPrograms(t *testing.T) {
	lab := newMachine(t)
	p := runner.Params{Dir: workspace(t, nil), Meter: "model", Rounds: 3, Mode: runner.ModeSample, Counts: true, Run: "Shout"}
	run, err := lab.measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Components) != 1 || run.Components[0].N != 1 {
		t.Errorf("the components are %+v, want Shout with one call", run.Components)
	}
	p = runner.Params{Dir: p.Dir, Meter: "model", Rounds: 3, Calm: true, Run: "Shout"}
	if run, err = lab.measure(t.Context(), p); err != nil || run.Calmness == nil {
		t.Errorf("%v: calmness is not known: %+v", err, run)
	}
}

// Why: what cannot be measured must have the same error, and exit code, as here.
func TestErrorsFromElsewhere(t *testing.T) {
	dir := workspace(t, map[string]string{"empty/empty.go": "package empty\n"})
	lab := newMachine(t)
	opened := (*meters.OpenError)(nil)
	if _, err := lab.measure(t.Context(), runner.Params{Dir: dir, Meter: "rapl"}); !errors.As(err, &opened) || !strings.Contains(err.Error(), "rapl") {
		t.Errorf("a meter that does not work there: %v", err)
	}
	if _, err := lab.measure(t.Context(), runner.Params{Dir: dir, Meter: "model", Run: "Shuot"}); !errors.Is(err, runner.ErrNoTest) || !strings.Contains(err.Error(), "did you mean TestShout?") {
		t.Errorf("a test that is not there: %v", err)
	}
	if _, err := lab.measure(t.Context(), runner.Params{Dir: dir, Meter: "model", Patterns: []string{"./empty"}}); !errors.Is(err, runner.ErrNoTest) {
		t.Errorf("a package without tests: %v", err)
	}
}

// Why: who interrupts a measurement keeps what is complete, and whoever loses the connection too.
func TestCompleteRoundsAreKept(t *testing.T) {
	dir := workspace(t, nil)
	for what, end := range map[string]func(*frame.Conn, context.CancelFunc){
		"cancelled":       func(_ *frame.Conn, cancel context.CancelFunc) { cancel() },
		"connection lost": func(c *frame.Conn, _ context.CancelFunc) { c.Close() },
	} {
		t.Run(what, func(t *testing.T) {
			lab := newMachine(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			site, err := Open(ctx, lab.options(runner.Params{Meter: "model"}))
			if err != nil {
				t.Fatal(err)
			}
			run, err := runner.Measure(ctx, runner.Params{
				Dir: dir, Meter: "model", Rounds: 1000, Site: site,
				Progress: func(s runner.Step) {
					if s.Kept >= 2 {
						end(lab.conn, cancel)
					}
				},
			})
			if run == nil || !run.Partial || run.Rounds < 2 {
				t.Fatalf("the run is %+v (%v)", run, err)
			}
			if what == "cancelled" != errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// Why: two measurements at a time on one machine would measure each other. The second says for whom it waits, and
// begins when the first has ended, however that ends.
func TestMeasurementsWaitTheirTurn(t *testing.T) {
	lab := newMachine(t)
	first, err := takeTurn(t.Context(), lab.on.Turn)
	if err != nil {
		t.Fatal(err)
	}
	waits := make(chan string, 1)
	p := runner.Params{Dir: workspace(t, nil), Meter: "model", Rounds: 1, Run: "Shout", Progress: func(s runner.Step) {
		switch {
		case strings.HasPrefix(s.Doing, "waiting for lab, where another measurement runs: "):
			waits <- s.Doing
			first.end()
		case s.Round > 0 && len(waits) == 0:
			t.Error("it did not wait")
		}
	}}
	if run, err := lab.measure(t.Context(), p); err != nil || run.Rounds != 1 || slices.ContainsFunc(run.Notes, clockDiffers) {
		t.Errorf("%v: %+v", err, run)
	}
}

func clockDiffers(n note.Note) bool { return n.Code == note.ClockDiffersCode }

// Why: what is ranked must be what was asked for.
func TestGoroutinesElsewhere(t *testing.T) {
	lab := newMachine(t)
	p := runner.Params{Dir: workspace(t, nil), Meter: "model", Rounds: 1, Run: "Shout", Granularity: spell.KindGoroutine}
	run, err := lab.measure(t.Context(), p)
	if err != nil || run.Granularity != spell.KindGoroutine {
		t.Errorf("%v: %+v", err, run)
	}
}

// Why: mode auto begins anew, by samples, where probes turn out to be dear: with another connection.
func TestMeasureTwice(t *testing.T) {
	lab := newMachine(t)
	p := runner.Params{Dir: workspace(t, nil), Meter: "model", Rounds: 1, Run: "Shout"}
	site, err := Open(t.Context(), lab.options(p))
	if err != nil {
		t.Fatal(err)
	}
	p.Site = site
	for range 2 {
		if run, err := runner.Measure(t.Context(), p); err != nil || run.Rounds != 1 {
			t.Errorf("%v: %+v", err, run)
		}
	}
}
