package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"spell-lsp/instrument"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/scenario"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// elsewhere is a Supply of programs that were copied from where they were built.
type elsewhere struct {
	t        *testing.T
	built    Supply
	programs []execution.Program
	dir      string
	tests    []instrument.Package // with the folders here
}

func (e *elsewhere) Compile(context.Context) ([]execution.Program, []note.Note, error) {
	return e.move("main", e.programs), nil, nil
}

func (e *elsewhere) Plain(ctx context.Context, pkgs []instrument.Package) ([]execution.Program, error) {
	built, err := e.built.Plain(ctx, pkgs)
	return e.move("plain", built), err
}

func (e *elsewhere) Counting(ctx context.Context, pkgs []instrument.Package) ([]execution.Program, string, error) {
	built, said, err := e.built.Counting(ctx, pkgs)
	return e.move("counting", built), said, err
}

func (e *elsewhere) move(kind string, programs []execution.Program) (list []execution.Program) {
	e.t.Helper()
	for _, p := range programs {
		name := filepath.Join(e.dir, kind, filepath.Base(p.File()))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			e.t.Fatal(err)
		}
		if err := os.Rename(p.File(), name); err != nil {
			e.t.Fatal(err)
		}
		at := slices.IndexFunc(e.tests, func(q instrument.Package) bool { return q.Path == p.Path })
		list = append(list, execution.Built(e.tests[at], name))
	}
	return list
}

// measuredAsTask measures as another machine does: from a task that was written and read, in a copy
// of the files, after the source is gone from where the programs were built.
func measuredAsTask(t *testing.T, p Params, kept func(*record.Run)) *record.Run {
	t.Helper()
	m, err := newMeasurement(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.end)
	if err := m.makeScratch(); err != nil {
		t.Fatal(err)
	}
	if err := m.find(t.Context()); err != nil {
		t.Fatal(err)
	}
	task, err := m.task(m.build.Root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	programs, err := m.compile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var read Task
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(t.TempDir(), "tree")
	if err := os.CopyFS(base, os.DirFS(m.build.Root)); err != nil {
		t.Fatal(err)
	}
	e := &elsewhere{t: t, built: m.supply, programs: programs, dir: t.TempDir()}
	for _, pkg := range read.Build.Tests {
		e.tests = append(e.tests, instrument.Package{Path: pkg.Path, Dir: filepath.Join(base, filepath.FromSlash(pkg.Dir))})
	}
	if m.sampling == nil && !m.Calm { // nothing is built later
		if err := os.Rename(m.build.Root, m.build.Root+"-gone"); err != nil {
			t.Fatal(err)
		}
	}
	run, err := read.Measure(t.Context(), base, e, kept)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// travelling reads a file of its module, computes, for long enough that there are samples of a line (minPartSamples), and starts a goroutine that outlives its test.
var travelling = map[string]string{
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
}

func TestFails(t *testing.T) { t.Error("as here") }
`,
}

// Why: a machine that measures has neither the source nor Go. From a task, its files and its programs, the
// same must come out as here: tests, outcomes, components with their places, calls, lines and callees.
func TestTask(t *testing.T) {
	p := Params{Dir: module(t, travelling), Meter: "model", Rounds: 2, Seed: 1, Settings: map[string]any{"rounds": "2"}}
	want, err := Measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var partial []int
	got := measuredAsTask(t, p, func(r *record.Run) { partial = append(partial, r.Rounds) })
	if diff := gocmp.Diff(outline(want), outline(got)); diff != "" {
		t.Errorf("-here +elsewhere:\n%s", diff)
	}
	if !slices.Equal(partial, []int{1, 2}) {
		t.Errorf("runs of %v rounds were told, want 1 and 2", partial)
	}
	if len(got.Components) != 1 || len(got.Components[0].Callees) == 0 || len(got.Components[0].Lines) == 0 {
		t.Errorf("the function has no callees or lines: %+v", got.Components)
	}
}

// outline is what of a run is the same each time.
func outline(r *record.Run) map[string]any {
	o := map[string]any{"workspace": r.Workspace, "host": r.Host, "meter": r.Meter.Name, "mode": r.Mode, "settings": r.Settings, "rounds": r.Rounds}
	for _, test := range r.Tests {
		o[test.Name] = string(test.Outcome) + test.Output
	}
	for _, c := range r.Components {
		o[c.ID] = []any{c.File, c.Line, c.Hash, c.N}
		for _, callee := range c.Callees {
			o[c.ID+" "+callee.Name] = callee.Kind
		}
	}
	return o
}

// Why: programs without probes, and those that count calls, are built only when the machine that measures asks.
func TestTaskOfSamples(t *testing.T) {
	p := Params{Dir: module(t, travelling), Meter: "model", Rounds: 3, Mode: ModeSample, Counts: true, Run: "Shout"}
	got := measuredAsTask(t, p, nil)
	if len(got.Components) != 1 || got.Components[0].N != 1 {
		t.Errorf("the components are %+v, want Shout with one call", got.Components)
	}
}

// Why: programs name files as they were called where they were built, maybe on another system, or as they are called
// here. Both are the same file; what is shown has the names of whoever builds.
func TestNamesOfATasksFiles(t *testing.T) {
	for _, built := range []string{"/home/joe/m", `C:\Users\joe\m`} {
		task := Task{Dir: "shop", Root: ".", Built: built}
		base := t.TempDir()
		m, err := task.measurement(base)
		if err != nil {
			t.Fatal(err)
		}
		m.build.Root = base
		root := task.SourceRoot()
		for _, file := range []string{root + "/shop/sub/a.go", built + "/shop/sub/a.go", base + "/shop/sub/a.go"} {
			if got, want := m.here(file), filepath.Join(base, "shop", "sub", "a.go"); got != want {
				t.Errorf("%s is here %s, want %s", file, got, want)
			}
			if got := m.placeOf(statement{file: file}); got != "sub/a.go" {
				t.Errorf("%s is shown as %s", file, got)
			}
			if got := m.ownFile("m/shop/sub", file); got != "shop/sub/a.go" {
				t.Errorf("%s is the workspace's %s", file, got)
			}
		}
		if got, want := m.asBuilt("at "+base+"/a.go:1 and "+base+"2/a.go"), "at "+root+"/a.go:1 and "+base+"2/a.go"; got != want {
			t.Errorf("printed: %s, want %s", got, want)
		}
	}
	if text := "at /a.go"; new(measurement).asBuilt(text) != text {
		t.Error("a measurement here has no names to change")
	}
}

// Why: signals have other numbers on other systems, so they go by name.
func TestTaskOfAScenario(t *testing.T) {
	s, err := scenario.Parse("serve", settings.Scenario{Exec: ".", Stop: "SIGINT", Ready: "at (.*)"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(Task{Dir: ".", Root: ".", Params: Params{Scenarios: []scenario.Scenario{s}}, Stops: []string{s.StopName()}})
	if err != nil {
		t.Fatal(err)
	}
	var read Task
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	m, err := read.measurement(t.TempDir())
	if err != nil || m.Scenarios[0].Stop != s.Stop || m.Scenarios[0].Ready.String() != s.Ready.String() {
		t.Errorf("%v: %+v", err, m)
	}
}

// Why: a task comes over a network. It must not make this machine look at, or run in, other folders than
// those of its files.
func TestTaskOutsideOfItsFiles(t *testing.T) {
	for what, task := range map[string]Task{
		"the folder":    {Dir: "../up"},
		"the workspace": {Root: "/etc"},
		"a package":     {Build: instrument.Build{Tests: []instrument.Package{{Path: "m", Dir: "a/../../b"}}}},
		"no signal":     {Params: Params{Scenarios: []scenario.Scenario{{Name: "x", Package: "."}}}},
		"texts":         {Texts: []string{"0123456789abcdef"}},
		"a wrong one":   {Params: Params{Scenarios: []scenario.Scenario{{Name: "x", Package: "."}}}, Stops: []string{"SIGNAL"}},
	} {
		task.Dir, task.Root = cmp.Or(task.Dir, "."), cmp.Or(task.Root, ".")
		_, err := task.measurement(t.TempDir())
		if err == nil || !strings.Contains(err.Error(), "task") && !strings.Contains(err.Error(), "no signal") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
