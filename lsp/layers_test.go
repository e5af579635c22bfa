package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

func execute(t testing.TB, e *lsptest.Editor, command string, argument map[string]any) json.RawMessage {
	t.Helper()
	result, err := e.Execute("spell-lsp."+command, argument).Wait()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return result
}

// A measurement of one test leaves the results of functions that the test does not run. A
// measurement of everything replaces all results.
func TestMeasurementOfOneTest(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	add, sort, old := "Add 1 #1 psi 0.6328, 600 mJ estimated", "sortÄ 2 #2 psi 0.3662, 500 mJ estimated", "oldest 4 #4 psi <.0001, 10.0 mJ estimated"
	see := func(why string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, show(e.Text(parkGo), e.Diagnostics(parkGo))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", why, diff)
		}
	}
	see("everything is measured", add, sort, old)

	l.costs = map[string]cost{"oldest": {n: 5, ms: 2, joules: 0.2}}
	execute(t, e, "measure", map[string]any{"scope": "test", "uri": lsptest.URI(strings.TrimSuffix(parkGo, ".go") + "_test.go"), "name": "TestPark"})
	see("one test ran one function", add, sort, "oldest 1 #1 psi 1.0000, 200 mJ estimated")

	l.costs = parkCosts
	measure(t, e)
	see("everything is measured again", add, sort, old)
}

// After drilling into a function, its blocks are shown at their places, also after an edit
// above or a comment inside. After an edit of the function they are stale.
func TestBlocks(t *testing.T) {
	text := "package p\n\nfunc F(n int) {\n\tfor range n {\n\t\tif n > 1 {\n\t\t\tG()\n\t\t} else {\n\t\t\tF(n)\n\t\t}\n\t}\n}\n\nfunc G() {}\n"
	dir := module(t, map[string]string{"f.go": text})
	l := newLab(map[string]cost{"F": {1, 1, 0.1}, "F#for1": {10, 5, 0.5}, "F#for1.if1": {10, 4, 0.4}, "F#for1.else1": {1, 1, 0.01}, "G": {10, 1, 0.1}})
	e, _ := serve(t, lspOptions(l))
	e.Folders = []string{dir}
	e.Start()
	path := filepath.Join(dir, "f.go")
	e.Open(path)
	if _, err := e.Execute("spell-lsp.drillDown", map[string]any{"id": "example.com/park.F"}).Wait(); err == nil || !strings.Contains(err.Message, "measure first") {
		t.Errorf("before anything is measured: %v", err)
	}
	measure(t, e)
	<-l.requests
	execute(t, e, "drillDown", map[string]any{"id": "example.com/park.F"})
	if r := <-l.requests; r.Block != "example.com/park.F" || r.Reach != r.Block || r.Dir != dir {
		t.Errorf("the request is %+v", r)
	}
	if got := len(drawn(t, e, path)); got != 5 {
		t.Errorf("%d marks", got)
	}
	places := func() (at []string) {
		for _, d := range e.AwaitDiagnostics(path) {
			word := d.Range.Of(e.Text(path))
			if strings.Contains(d.Message, "before this edit") {
				word += "!"
			}
			at = append(at, word)
		}
		return at
	}
	for _, c := range []struct{ why, old, new, want string }{
		{"nothing changed", "package p", "package p", "F for if else G"},
		{"lines above move them", "package p\n", "package p\n\n// F\n", "F for if else G"},
		{"a comment inside too", "\tfor range", "\t// all\n\tfor range", "F for if else G"},
		{"an edit of the function makes all of them stale", "n > 1", "n > 2", "F! for! if! else! G"},
		{"undone, they are fresh", "n > 2", "n > 1", "F for if else G"},
	} {
		e.Edit(path, c.old, c.new)
		if got := strings.Join(places(), " "); got != c.want {
			t.Errorf("%s: %s, must be %s", c.why, got, c.want)
		}
	}
}

// A component of another language is known only by its line: it stays there, and is stale as
// soon as the file changes.
func TestOtherLanguages(t *testing.T) {
	dir := module(t, map[string]string{"app.py": "import os\n\ndef slow():\n    pass\n"})
	run := &record.Run{Schema: record.Schema, ID: "c", Meter: record.Meter{Name: "file", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}}, Granularity: spell.KindFunction}
	run.Matrix.Domains = run.Meter.Domains
	run.Tests = []record.Test{{Name: "t1", Outcome: record.Pass}}
	run.Components = []record.Component{{ID: "slow", Kind: spell.KindFunction, File: "app.py", Line: 3, Column: 5, N: 1, TimeMS: 1, EnergyJ: record.Energy{spell.CPU: 1}}}
	run.Matrix.Add(record.Cell{N: 1, TimeMS: 1, EnergyJ: record.Energy{spell.CPU: 1}})
	ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	asked := ""
	e, _ := serve(t, lsp.Options{Load: func(path string, _ settings.Settings) (*record.Run, error) {
		if asked = path; strings.HasSuffix(path, "bad.csv") {
			return nil, errors.New("bad.csv:1: no column cpu_J")
		}
		return run, nil
	}})
	e.Folders = []string{dir}
	e.Options = map[string]any{"trusted": false} // loading a run executes nothing
	e.Start()
	path := filepath.Join(dir, "app.py")
	e.Open(path)
	if _, err := e.Execute("spell-lsp.load", map[string]any{"path": "bad.csv"}).Wait(); err == nil || !strings.Contains(err.Message, "bad.csv:1: no column cpu_J") {
		t.Errorf("a file that cannot be read: %v", err)
	}
	execute(t, e, "load", map[string]any{"path": "m.csv"})
	if asked != filepath.Join(dir, "m.csv") {
		t.Errorf("loaded %s", asked)
	}
	d := e.AwaitDiagnostics(path)
	if len(d) != 1 || d[0].Range.Of(e.Text(path)) != "slow" || !strings.HasPrefix(d[0].Message, "#1 psi 1.00") {
		t.Fatalf("diagnostics %+v", d)
	}
	e.Edit(path, "pass", "print(os)")
	if d := e.AwaitDiagnostics(path); len(d) != 1 || d[0].Range.Start.Line != 2 || !strings.Contains(d[0].Message, "measured before this edit") || d[0].Severity != lsptest.SeverityHint {
		t.Errorf("after an edit: %+v", d)
	}
	e.Edit(path, "print(os)", "pass")
	if d := e.AwaitDiagnostics(path); len(d) != 1 || strings.Contains(d[0].Message, "before") {
		t.Errorf("after it was undone: %+v", d)
	}
}

// Types, files or packages may be ranked: each is shown at its declaration, and is stale after
// an edit of any of its functions.
func TestGroups(t *testing.T) {
	for kind, want := range map[spell.Kind]string{
		spell.KindType:    "Park #1 psi 0.6328; sortÄ #2 psi 0.3662; oldest #4 psi <.0001",
		spell.KindFile:    "park #1 psi 0.9997",
		spell.KindPackage: "",
	} {
		l := newLab(parkCosts)
		l.kind = kind
		e, _, parkGo := openPark(t, l)
		measure(t, e)
		see := func() string {
			var at []string
			for _, d := range e.AwaitDiagnostics(parkGo) {
				text, _, _ := strings.Cut(d.Message, ",")
				if strings.Contains(d.Message, "before this edit") {
					text += "!"
				}
				at = append(at, d.Range.Of(e.Text(parkGo))+" "+text)
			}
			return strings.Join(at, "; ")
		}
		if kind == spell.KindPackage { // a package is shown once, in its first file
			carGo := filepath.Join(filepath.Dir(parkGo), "car.go")
			if d := e.Diagnostics(carGo); len(d) != 1 || !strings.HasPrefix(d[0].Message, "#1 psi 1.00") || strings.Contains(d[0].Message, "before") || d[0].Range.Start.Line != 0 {
				t.Errorf("package: %+v", d)
			}
			e.Edit(parkGo, "append(p.cars, c)", "append(p.cars, c, c)")
			e.Eventually("a stale package", func() bool {
				d := e.Diagnostics(carGo)
				return len(d) == 1 && strings.Contains(d[0].Message, "before this edit")
			})
			continue
		}
		if got := see(); got != want {
			t.Errorf("%s: %s, must be %s", kind, got, want)
		}
		e.Edit(parkGo, "package park\n", "package park\n\n// more\n")
		if got := see(); got != want {
			t.Errorf("%s after a comment: %s, must be %s", kind, got, want)
		}
		e.Edit(parkGo, "append(p.cars, c)", "append(p.cars, c, c)")
		first, rest, _ := strings.Cut(want, ";")
		stale := first + "!"
		if rest != "" {
			stale += ";" + rest
		}
		if got := see(); got != stale {
			t.Errorf("%s after an edit: %s, must be %s", kind, got, stale)
		}
	}
}

// A restored run must not replace the results of a newer measurement, neither when a file of
// its module is opened, nor when a folder around the module is opened.
func TestRestoredRunsStayBeneath(t *testing.T) {
	around := t.TempDir()
	dir := filepath.Join(around, "m")
	for name, text := range park {
		write(t, filepath.Join(dir, name), text)
	}
	write(t, filepath.Join(dir, "go.mod"), "module example.com/park\n\ngo 1.26\n")
	saved := store.Open(t.TempDir())
	old := newLab(map[string]cost{"oldest": {1, 1, 1}})
	for _, folder := range []string{dir, around} {
		run, err := old.invent(lsp.Request{Dir: folder})
		if err != nil {
			t.Fatal(err)
		}
		run.Started = started.AddDate(-1, 0, 0)
		if err := saved.Save(folder, "", run); err != nil {
			t.Fatal(err)
		}
	}
	e, _ := serve(t, lsp.Options{Measure: newLab(parkCosts).measure, Store: saved})
	e.Folders = []string{dir}
	e.Start()
	parkGo := filepath.Join(dir, "park.go")
	execute(t, e, "measure", map[string]any{"scope": "workspace", "uri": lsptest.URI(dir)})
	e.Open(parkGo)
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
		"added": []any{map[string]any{"uri": lsptest.URI(around), "name": "around"}}, "removed": []any{},
	}})
	e.Settle()
	if d := e.AwaitDiagnostics(parkGo); len(d) != 3 || strings.Contains(d[2].Message, "measured 20") {
		t.Errorf("after saved runs were restored: %q", show(e.Text(parkGo), d))
	}
}

// Loading a matrix of another language leaves the measured results.
func TestLoadKeepsMeasured(t *testing.T) {
	l := newLab(parkCosts)
	e, _ := serve(t, lsp.Options{Measure: l.measure, Load: func(string, settings.Settings) (*record.Run, error) {
		run, err := newLab(map[string]cost{"init.0": {1, 1, 1}}).invent(lsp.Request{Dir: module(t, maps.Clone(park))})
		run.Components[0].File, run.Components[0].Hash = "app.py", ""
		return run, err
	}})
	dir := module(t, maps.Clone(park))
	write(t, filepath.Join(dir, "app.py"), "a\nb\nc\nd\ne\nf\ng\nh\n")
	e.Folders = []string{dir}
	e.Start()
	measure(t, e)
	execute(t, e, "load", map[string]any{"path": "m.csv"})
	if d := e.Diagnostics(filepath.Join(dir, "park.go")); len(d) != 3 {
		t.Errorf("park.go has %d diagnostics after something else was loaded", len(d))
	}
	if d := e.Diagnostics(filepath.Join(dir, "app.py")); len(d) != 1 {
		t.Errorf("app.py has %d diagnostics", len(d))
	}
}

// A module inside an open folder keeps its result when the folder is measured, because ./...
// does not include it.
func TestNestedFolders(t *testing.T) {
	dir := module(t, map[string]string{"go.mod": "module m\n", "a.go": "package a\n\nfunc A() {}\n", "tools/go.mod": "module tools\n", "tools/t.go": "package t\n\nfunc T() {}\n"})
	tools := filepath.Join(dir, "tools")
	e, _ := serve(t, lsp.Options{Measure: func(ctx context.Context, r lsp.Request, p func(lsp.Progress)) (*record.Run, error) {
		name := map[string]string{dir: "A", tools: "T"}[r.Dir]
		return newLab(map[string]cost{name: {1, 1, 1}}).measure(ctx, r, p)
	}})
	e.Folders = []string{tools, dir}
	e.Start()
	measure(t, e)
	for _, path := range []string{filepath.Join(dir, "a.go"), filepath.Join(tools, "t.go")} {
		if d := e.Diagnostics(path); len(d) != 1 {
			t.Errorf("%s has %d diagnostics", path, len(d))
		}
	}
}

// A function that only failed tests ran has no known cost: it has no colour, and keeps its
// older result.
func TestOnlyFailedTests(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	before := show(e.Text(parkGo), e.Diagnostics(parkGo))
	l.alter = func(run *record.Run) {
		run.Tests[0].Outcome = record.Fail
		ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	}
	execute(t, e, "measure", map[string]any{"scope": "package", "uri": lsptest.URI(parkGo)})
	if diff := cmp.Diff(before, show(e.Text(parkGo), e.Diagnostics(parkGo))); diff != "" {
		t.Errorf("after a measurement whose tests failed (-want +got):\n%s", diff)
	}
}

// Drilling into a function changes neither its colour nor those of other functions, because its
// own figures in that run lack the figures of its blocks.
func TestBlocksKeepFunctions(t *testing.T) {
	text := "package p\n\nfunc F(n int) {\n\tfor range n {\n\t\tif n > 1 {\n\t\t\tG()\n\t\t} else {\n\t\t\tF(n)\n\t\t}\n\t}\n}\n\nfunc G() {}\n"
	dir := module(t, map[string]string{"f.go": text})
	l := newLab(map[string]cost{"F": {10, 9, 0.9}, "G": {10, 1, 0.1}})
	e, _ := serve(t, lspOptions(l))
	e.Folders = []string{dir}
	e.Start()
	path := filepath.Join(dir, "f.go")
	e.Open(path)
	measure(t, e)
	function := e.Diagnostics(path)[0]
	if function.Severity != lsptest.SeverityError {
		t.Fatalf("F is %+v", function)
	}
	l.costs = map[string]cost{"F": {10, 0.1, 0.01}, "F#for1": {10, 5, 0.5}, "F#for1.if1": {10, 4, 0.4}, "F#for1.else1": {1, 1, 0.01}, "G": {10, 1, 0.1}}
	execute(t, e, "drillDown", map[string]any{"id": "example.com/park.F"})
	list := e.Diagnostics(path)
	if len(list) != 5 || list[0].Message != function.Message || list[0].Severity != function.Severity {
		t.Errorf("after drilling into F there are %d, the first is %+v", len(list), list[0])
	}
}

// If a folder and modules inside it are open, each module is measured once.
func TestModulesAreMeasuredOnce(t *testing.T) {
	w := t.TempDir()
	a, b := filepath.Join(w, "a"), filepath.Join(w, "b")
	for _, dir := range []string{a, b} {
		write(t, filepath.Join(dir, "go.mod"), "module example.com/park\n")
		write(t, filepath.Join(dir, "f.go"), "package f\n\nfunc F() {}\n")
	}
	l := newLab(map[string]cost{"F": {1, 1, 1}})
	e, _ := serve(t, lsp.Options{Measure: l.measure, Modules: func(_ context.Context, dir string) ([]string, error) {
		if dir == w {
			return []string{a, b}, nil
		}
		return []string{dir}, nil
	}})
	e.Folders = []string{w, a, b}
	e.Start()
	measure(t, e)
	close(l.requests)
	var dirs []string
	for r := range l.requests {
		dirs = append(dirs, r.Dir)
	}
	if diff := cmp.Diff([]string{a, b}, dirs); diff != "" {
		t.Errorf("measured (-want +got):\n%s", diff)
	}
}
