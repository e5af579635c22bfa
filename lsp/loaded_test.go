package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// byLine is a run of another tool with one component, a line, in each of the files.
func byLine(files ...string) *record.Run {
	run := oneComponent(record.Component{ID: files[0], Kind: spell.KindFunction, File: files[0], Line: 1})
	for i, file := range files[1:] {
		c := run.Components[0]
		c.ID, c.File = file, file
		run.Components = append(run.Components, c)
		run.Matrix.Add(record.Cell{C: i + 1, N: 1, TimeMS: 1, EnergyJ: record.Energy{spell.CPU: 1}})
	}
	ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	return run
}

// loads returns a Load that returns the same run for every file.
func loads(run *record.Run) func(string, settings.Settings) (*record.Run, error) {
	return func(string, settings.Settings) (*record.Run, error) { return run, nil }
}

func changeFolders(e *lsptest.Editor, added, removed []string) {
	named := func(dirs []string) []any {
		list := []any{}
		for _, dir := range dirs {
			list = append(list, map[string]any{"uri": lsptest.URI(dir), "name": filepath.Base(dir)})
		}
		return list
	}
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": named(added), "removed": named(removed)}})
	e.Settle()
}

// A loaded run has marks only in open folders, also after it was ranked again, and after folders
// were opened and closed.
func TestLoadedMarksFollowFolders(t *testing.T) {
	w := t.TempDir()
	a, b := filepath.Join(w, "a"), filepath.Join(w, "b")
	aPy, bPy := filepath.Join(a, "a.py"), filepath.Join(b, "b.py")
	write(t, aPy, "pass\n")
	write(t, bPy, "pass\n")
	e, _ := serve(t, lsp.Options{Load: loads(byLine("a/a.py", "b/b.py"))})
	e.Folders = []string{a}
	e.Start()
	see := func(why, want string) {
		t.Helper()
		marks := func() string { return fmt.Sprint(len(e.Diagnostics(aPy)), len(e.Diagnostics(bPy))) }
		e.Eventually(why, func() bool { return marks() == want })
	}
	execute(t, e, "load", map[string]any{"path": filepath.Join(w, "m.csv")})
	see("only a is open", "1 0")
	e.Configure(map[string]any{"severity": map[string]any{"green": "off", "yellow": "off", "red": "warning"}, "zones": map[string]any{"rule": "absolute", "redFrom": 0.1, "yellowFrom": 0.05}})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.Eventually("it is ranked again", func() bool {
		d := e.Diagnostics(aPy)
		return len(d) == 1 && d[0].Severity == lsptest.SeverityWarning
	})
	see("it is ranked again", "1 0")
	changeFolders(e, []string{b}, nil)
	see("b is opened", "1 1")
	if d := e.Diagnostics(bPy); len(d) == 1 && strings.Contains(d[0].Message, "before this edit") {
		t.Errorf("nobody edited b.py, but it has %q", d[0].Message)
	}
	changeFolders(e, nil, []string{a})
	see("a is closed", "0 1")
	changeFolders(e, nil, []string{b})
	see("all are closed", "0 0")
}

// Two copies of a module are open, and both have the files of a loaded run. The run belongs to
// the copy that contains the loaded file.
func TestLoadedFromOneOfTwoCopies(t *testing.T) {
	w := t.TempDir()
	first, second := filepath.Join(w, "first"), filepath.Join(w, "second")
	for _, dir := range []string{first, second} {
		write(t, filepath.Join(dir, "a.py"), "pass\n")
	}
	e, _ := serve(t, lsp.Options{Load: loads(byLine("a.py"))})
	e.Folders = []string{first, second}
	e.Start()
	execute(t, e, "load", map[string]any{"path": filepath.Join(second, "m.csv")})
	e.Eventually("marks in the second copy", func() bool { return len(e.Diagnostics(filepath.Join(second, "a.py"))) == 1 })
	if n := len(e.Diagnostics(filepath.Join(first, "a.py"))); n != 0 {
		t.Errorf("the first copy has %d diagnostics", n)
	}
}

// If no file of a loaded run is in an open folder, a message says that only the ranking shows
// the run.
func TestLoadedWithoutMarks(t *testing.T) {
	w := t.TempDir()
	write(t, filepath.Join(w, "a", "a.py"), "pass\n")
	opened := module(t, map[string]string{})
	e, _ := serve(t, lsp.Options{Load: loads(byLine("a/a.py"))})
	e.Folders = []string{opened}
	e.Start()
	execute(t, e, "load", map[string]any{"path": filepath.Join(w, "m.csv")})
	if told := e.AwaitMessage("window/showMessage", 1); !strings.Contains(string(told.Params), "only the ranking shows it") {
		t.Errorf("the user is told %s", told.Params)
	}
}

// rankedIDs lists the components in the ranking of a file or folder.
func rankedIDs(t testing.TB, e *lsptest.Editor, path string) (ids []string) {
	t.Helper()
	var rows []struct{ ID string }
	if err := json.Unmarshal(execute(t, e, "ranking", map[string]any{"uri": lsptest.URI(path)}), &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}

// The ranking of a file is that of the result with marks in the file, whatever its language and
// whatever else was measured in its folder.
func TestRankingOfFile(t *testing.T) {
	dir := module(t, maps.Clone(park))
	appPy, parkGo := filepath.Join(dir, "app.py"), filepath.Join(dir, "park.go")
	write(t, appPy, "pass\n")
	l := newLab(map[string]cost{"oldest": {1, 1, 1}})
	e, _ := serve(t, lsp.Options{Measure: l.measure, Load: loads(byLine("app.py"))})
	e.Folders = []string{dir}
	e.Start()
	execute(t, e, "load", map[string]any{"path": "m.csv"})
	measure(t, e)
	for path, want := range map[string]string{
		appPy: "[app.py]", parkGo: "[example.com/park.oldest]", dir: "[example.com/park.oldest]",
		filepath.Join(dir, "README.md"): "[example.com/park.oldest]",
	} {
		if got := fmt.Sprint(rankedIDs(t, e, path)); got != want {
			t.Errorf("%s: %s, must be %s", path, got, want)
		}
	}
}

// The ranking of a folder above several modules is that of the module that was measured last.
func TestRankingOfFolderAboveModules(t *testing.T) {
	w := t.TempDir()
	a, b := filepath.Join(w, "a"), filepath.Join(w, "b")
	for _, dir := range []string{a, b} {
		write(t, filepath.Join(dir, "go.mod"), "module example.com/"+filepath.Base(dir)+"\n")
		write(t, filepath.Join(dir, "f.go"), "package f\n\nfunc "+strings.ToUpper(filepath.Base(dir))+"() {}\n")
	}
	e, _ := serve(t, lsp.Options{
		Measure: newLab(map[string]cost{"A": {1, 1, 1}, "B": {1, 1, 1}}).measure,
		Modules: func(context.Context, string) ([]string, error) { return []string{a, b}, nil },
	})
	e.Folders = []string{w}
	e.Start()
	measure(t, e)
	if got := fmt.Sprint(rankedIDs(t, e, w)); got != "[example.com/park.B]" {
		t.Errorf("the ranking of %s is %s", w, got)
	}
}

// A run that is restored when a file is opened goes beneath a run that the user loaded before.
func TestRestoredGoesBehindLoaded(t *testing.T) {
	w := t.TempDir()
	dir := filepath.Join(w, "m")
	for name, text := range park {
		write(t, filepath.Join(dir, name), text)
	}
	write(t, filepath.Join(dir, "go.mod"), "module example.com/park\n")
	loaded, err := newLab(map[string]cost{"oldest": {1, 1, 1}}).invent(lsp.Request{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	last, err := newLab(parkCosts).invent(lsp.Request{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	last.Started = started.AddDate(0, 0, 1)
	saved := store.Open(t.TempDir())
	if err := saved.Save(dir, "", last); err != nil {
		t.Fatal(err)
	}
	e, _ := serve(t, lsp.Options{Store: saved, Load: loads(loaded)})
	e.Folders = []string{w}
	e.Start()
	execute(t, e, "load", map[string]any{"path": filepath.Join(dir, "run.json")})
	parkGo := filepath.Join(dir, "park.go")
	e.Open(parkGo)
	e.Eventually("the saved run", func() bool { return len(e.Diagnostics(parkGo)) == 3 })
	for _, line := range show(e.Text(parkGo), e.Diagnostics(parkGo)) {
		if strings.HasPrefix(line, "oldest") && !strings.Contains(line, "1.00 J") {
			t.Errorf("the loaded run shows %q", line)
		}
	}
}

// A loaded run stays until it is cleared, however often the folder is measured.
func TestLoadedStays(t *testing.T) {
	dir := module(t, maps.Clone(park))
	appPy := filepath.Join(dir, "app.py")
	write(t, appPy, "pass\n")
	e, _ := serve(t, lsp.Options{Measure: newLab(parkCosts).measure, Load: loads(byLine("app.py"))})
	e.Folders = []string{dir}
	e.Start()
	execute(t, e, "load", map[string]any{"path": "m.csv"})
	for i := range 20 {
		execute(t, e, "measure", map[string]any{"scope": "test", "uri": lsptest.URI(filepath.Join(dir, "park_test.go")), "name": fmt.Sprintf("TestPark%d", i)})
	}
	if d := e.Diagnostics(appPy); len(d) != 1 {
		t.Errorf("after 20 measurements app.py has %d diagnostics", len(d))
	}
	execute(t, e, "clear", map[string]any{})
	if d := e.Diagnostics(appPy); len(d) != 0 {
		t.Errorf("after clear app.py has %d diagnostics", len(d))
	}
}

// oneComponent is a run of another tool with one component.
func oneComponent(c record.Component) *record.Run {
	c.N, c.TimeMS, c.EnergyJ = 1, 1, record.Energy{spell.CPU: 1}
	run := &record.Run{
		Schema: record.Schema, ID: "20261120T180000Z-0c0c", Started: started, Granularity: c.Kind,
		Meter:      record.Meter{Name: "file", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}},
		Tests:      []record.Test{{Name: "t1", Outcome: record.Pass}},
		Components: []record.Component{c},
	}
	run.Matrix.Domains = run.Meter.Domains
	run.Matrix.Add(record.Cell{N: 1, TimeMS: 1, EnergyJ: record.Energy{spell.CPU: 1}})
	ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	return run
}
