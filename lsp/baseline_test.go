package lsp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
	"spell-lsp/spell/text"
)

// slowCosts are the costs of functions that run long enough for a verdict.
var slowCosts = map[string]cost{"(*Park).Add": {6, 6000, 60}, "sortÄ": {5, 5000, 50}, "oldest": {1, 1000, 10}}

// After a second measurement a message and the lens of each function show the change since
// the run before, without a command. Once a baseline is set, they show the change since the
// baseline.
func TestChangeSinceBaseline(t *testing.T) {
	l := newLab(maps.Clone(slowCosts))
	l.rounds = 10
	e, _, parkGo := openPark(t, l)
	refused := func(command, want string) {
		t.Helper()
		if _, err := e.Execute("spell-lsp."+command, map[string]any{}).Wait(); err == nil || err.Code != -32803 || !strings.Contains(err.Message, want) {
			t.Errorf("%s: %v, must say %q", command, err, want)
		}
	}
	refused("compare", "measure first")
	refused("setBaseline", "measure first")
	measure(t, e)
	refused("compare", "measure again")

	l.costs["sortÄ"] = cost{5, 2500, 25}
	measure(t, e)
	lens := func(name string) string {
		for _, x := range e.Lenses(parkGo) {
			if x.Range.Of(e.Text(parkGo)) == name {
				return x.Command.Title
			}
		}
		return ""
	}
	if got := lens("sortÄ"); !strings.Contains(got, "50 % less energy, significant") {
		t.Errorf("the fixed function has the lens %q", got)
	}
	if got := lens("Add"); !strings.Contains(got, "no significant change") {
		t.Errorf("another function has the lens %q", got)
	}
	if told := e.AwaitMessage("window/showMessage", 1); !strings.Contains(string(told.Params), "this run uses 21 % less energy (estimated) than the run before") {
		t.Errorf("the user is told %s", told.Params)
	}
	var c struct {
		Schema string
		Base   struct{ ID string }
		Page   string
	}
	if err := json.Unmarshal(execute(t, e, "compare", map[string]any{}), &c); err != nil || c.Schema != "spell-lsp/comparison/v1" || c.Base.ID != "20261120T180000Z-3f9a" || !strings.Contains(c.Page, "21 % less energy") {
		t.Errorf("compared: %+v, %v", c, err)
	}

	var set struct{ Run string }
	if err := json.Unmarshal(execute(t, e, "setBaseline", map[string]any{}), &set); err != nil || set.Run != "20261120T180000Z-3f9b" {
		t.Errorf("the baseline is %+v, %v", set, err)
	}
	if got := lens("sortÄ"); strings.Contains(got, "significant") {
		t.Errorf("the baseline itself has the lens %q", got)
	}
	for range 2 { // the baseline stays
		l.costs["sortÄ"] = cost{5, 5000, 50}
		measure(t, e)
		if got := lens("sortÄ"); !strings.Contains(got, "100 % more energy, significant") {
			t.Errorf("against the baseline: the lens %q", got)
		}
	}
	if _, err := e.Execute("spell-lsp.setBaseline", map[string]any{"run": "20200101T000000Z-0000"}).Wait(); err == nil || !strings.Contains(err.Message, `no run "20200101T000000Z-0000"`) {
		t.Errorf("a run that is not there: %v", err)
	}
}

// A report is written outside the workspace, in any of the formats in Options.Report.
func TestReport(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	l := newLab(parkCosts)
	e, _ := serve(t, lsp.Options{Measure: l.measure, Report: map[string]lsp.Reporter{
		"text": func(w io.Writer, r *record.Run, c *comparison.Comparison, _ text.Source) error {
			_, err := fmt.Fprintln(w, r.ID, c != nil)
			return err
		},
		"bad": func(io.Writer, *record.Run, *comparison.Comparison, text.Source) error { return os.ErrPermission },
	}})
	e.Folders = []string{module(t, maps.Clone(park))}
	e.Start()
	for format, want := range map[string]string{"text": "measure first", "png": `format is "png", must be one of bad, text`} {
		if _, err := e.Execute("spell-lsp.report", map[string]any{"format": format}).Wait(); err == nil || !strings.Contains(err.Message, want) {
			t.Errorf("%s: %v, must say %q", format, err, want)
		}
	}
	measure(t, e)
	var got struct{ Path string }
	if err := json.Unmarshal(execute(t, e, "report", map[string]any{"format": "text"}), &got); err != nil || !strings.HasPrefix(got.Path, cache) {
		t.Fatalf("the report is at %q, %v", got.Path, err)
	}
	if text, err := os.ReadFile(got.Path); err != nil || string(text) != "20261120T180000Z-3f9a false\n" {
		t.Errorf("the report is %q, %v", text, err)
	}
	measure(t, e)
	if err := json.Unmarshal(execute(t, e, "report", map[string]any{"format": "text"}), &got); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(got.Path); err != nil || !strings.HasSuffix(string(text), " true\n") {
		t.Errorf("the report of the second run is %q, %v: it must have the comparison", text, err)
	}
	if _, err := e.Execute("spell-lsp.report", map[string]any{"format": "bad"}).Wait(); err == nil || !strings.Contains(err.Message, "permission denied") {
		t.Errorf("a report that cannot be written: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(got.Path), "*")); len(left) != 1 {
		t.Errorf("the folder of the report has %v, must have one file", left)
	}
}

// Changed thresholds change the severities at once, without a new measurement.
func TestZonesFollowSettings(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	severities := func() (list []int) {
		for _, d := range e.Diagnostics(parkGo) {
			list = append(list, d.Severity)
		}
		return list
	}
	if got := fmt.Sprint(severities()); got != "[1 2 4]" {
		t.Fatalf("severities %s", got)
	}
	e.Configure(map[string]any{"zones": map[string]any{"rule": "absolute", "redFrom": 0.3, "yellowFrom": 0.2}})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.Eventually("two red functions", func() bool { return fmt.Sprint(severities()) == "[1 1 4]" })
}

// Each folder of a workspace has its own settings: those of the editor and, for a module
// inside a folder, those of the nearest file above it.
func TestSettingsByFolder(t *testing.T) {
	l := newLab(parkCosts)
	e, _ := serve(t, lspOptions(l))
	a := module(t, map[string]string{"a.go": "package a"})
	b := module(t, map[string]string{".spell-lsp.yaml": "rounds: 9\nmeter: model\n", "in/go.mod": "module in\n", "in/a.go": "package a"})
	e.Folders = []string{a, b}
	e.Answer("workspace/configuration", func(params json.RawMessage) (any, *lsptest.Error) {
		var p struct{ Items []struct{ ScopeURI string } }
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, &lsptest.Error{Code: -32602, Message: err.Error()}
		}
		var list []any
		for _, item := range p.Items {
			list = append(list, map[string]map[string]any{"": {"meter": "none"}, lsptest.URI(a): {"meter": "rapl"}, lsptest.URI(b): nil}[item.ScopeURI])
		}
		return list, nil
	})
	e.Start()
	for _, c := range []struct {
		why, path, want string
	}{
		{"a folder with settings in the editor", filepath.Join(a, "a.go"), "rapl 0"},
		{"a folder without, whose file is overridden by the settings of the window", filepath.Join(b, "x.go"), "none 9"},
		{"a module in that folder, which uses the same file", filepath.Join(b, "in", "a.go"), "none 9"},
	} {
		execute(t, e, "measure", map[string]any{"scope": "workspace", "uri": lsptest.URI(c.path)})
		r := <-l.requests
		if got := fmt.Sprintf("%s %d", r.Settings.Meter, r.Settings.Rounds); got != c.want {
			t.Errorf("%s: %s, must be %s", c.why, got, c.want)
		}
	}
}

// A colleague's run is loaded and made the baseline. It was never in the store here, so it is
// saved then. A run that cannot be saved is the baseline until the session ends.
func TestLoadedRunAsBaseline(t *testing.T) {
	for name, id := range map[string]string{"can be saved": "20200101T180000Z-0001", "cannot be saved": "of another tool"} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, maps.Clone(park))
			l := newLab(maps.Clone(slowCosts))
			l.rounds = 10
			run, err := l.invent(lsp.Request{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			run.ID = id
			saved := store.Open(t.TempDir())
			e, _ := serve(t, lsp.Options{Measure: l.measure, Store: saved, Load: func(string, settings.Settings) (*record.Run, error) { return run, nil }})
			e.Folders = []string{dir}
			e.Start()
			execute(t, e, "load", map[string]any{"path": "run.json"})
			execute(t, e, "setBaseline", map[string]any{"run": id})
			l.costs["sortÄ"] = cost{5, 2500, 25}
			for range 2 { // the first run could be compared with the loaded one even without a baseline
				measure(t, e)
			}
			var c struct{ Base struct{ ID string } }
			if err := json.Unmarshal(execute(t, e, "compare", map[string]any{}), &c); err != nil || c.Base.ID != id {
				t.Errorf("compared with %q: %v", c.Base.ID, err)
			}
			if kept, ok, err := saved.Baseline(dir, "editor"); err != nil || ok != (name == "can be saved") || ok && kept != id {
				t.Errorf("the next session has %q: %v", kept, err)
			}
		})
	}
}

// lensOf is the lens of a function.
func lensOf(e *lsptest.Editor, path, name string) string {
	for _, lens := range e.Lenses(path) {
		if lens.Range.Of(e.Text(path)) == name {
			return lens.Command.Title
		}
	}
	return ""
}

// A run is not compared with a baseline from another machine: a message says so, without
// naming options of the command line, and the former comparison disappears.
func TestBaselineOfAnotherMachine(t *testing.T) {
	l := newLab(maps.Clone(slowCosts))
	l.rounds = 10
	cpu := "A"
	l.alter = func(run *record.Run) { run.Host.CPU = cpu }
	dir, saved := module(t, maps.Clone(park)), store.Open(t.TempDir())
	e, _ := serve(t, lsp.Options{Measure: l.measure, Store: saved})
	e.Folders = []string{dir}
	e.Start()
	parkGo := filepath.Join(dir, "park.go")
	e.Open(parkGo)
	measure(t, e)
	l.costs["sortÄ"] = cost{5, 2500, 25}
	measure(t, e)
	if got := lensOf(e, parkGo, "sortÄ"); !strings.Contains(got, "less energy, significant") {
		t.Fatalf("against the run before: the lens %q", got)
	}
	cpu = "B"
	other, err := l.invent(lsp.Request{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := saved.Save(dir, "", other); err != nil {
		t.Fatal(err)
	}
	execute(t, e, "setBaseline", map[string]any{"run": other.ID})
	check := func(why string, shown int) {
		t.Helper()
		if got := lensOf(e, parkGo, "sortÄ"); strings.Contains(got, "significant") {
			t.Errorf("%s: the lens %q", why, got)
		}
		const want = "the baseline and this run were measured on different machines (processor B and A): measure both on one machine"
		_, err := e.Execute("spell-lsp.compare", map[string]any{}).Wait()
		if err == nil || !strings.Contains(err.Message, want) {
			t.Errorf("%s: comparing: %v", why, err)
		}
		var told int
		for _, m := range e.Messages("window/showMessage") {
			if strings.Contains(string(m.Params), want) && !strings.Contains(string(m.Params), "--") {
				told++
			}
		}
		if told != shown {
			t.Errorf("%s: the user was told %d times, must be %d", why, told, shown)
		}
	}
	check("the baseline is set", 1)
	cpu = "A"
	measure(t, e)
	check("the folder is measured again", 2)
}

// The setting includeFailed changes which tests the comparison has, not only the ranking.
func TestComparisonFollowsSettings(t *testing.T) {
	l := newLab(maps.Clone(slowCosts))
	l.rounds = 10
	e, _, _ := openPark(t, l)
	measure(t, e)
	l.alter = func(run *record.Run) {
		run.Tests[0].Outcome = record.Fail
		ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	}
	measure(t, e)
	tests := func() int {
		var c struct{ Tests []struct{ Name string } }
		if err := json.Unmarshal(execute(t, e, "compare", map[string]any{}), &c); err != nil {
			t.Fatal(err)
		}
		return len(c.Tests)
	}
	if n := tests(); n != 0 {
		t.Fatalf("%d tests are compared though the only one failed", n)
	}
	e.Configure(map[string]any{"includeFailed": true})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.Eventually("the failed test is compared", func() bool { return tests() == 1 })
}

// A run of the blocks of a function is not compared with a baseline of functions, and no
// message says so.
func TestBlocksAreNotCompared(t *testing.T) {
	l := newLab(map[string]cost{"oldest": {1, 1, 1}})
	e, _, _ := openPark(t, l)
	measure(t, e)
	execute(t, e, "setBaseline", map[string]any{})
	l.alter = func(run *record.Run) { run.Granularity = spell.KindBlock }
	execute(t, e, "drillDown", map[string]any{"id": "example.com/park.oldest"})
	e.Settle()
	for _, method := range []string{"window/showMessage", "window/logMessage"} {
		for _, m := range e.Messages(method) {
			if strings.Contains(string(m.Params), "no comparison") {
				t.Errorf("the user is told %s", m.Params)
			}
		}
	}
	if _, err := e.Execute("spell-lsp.compare", map[string]any{}).Wait(); err == nil || !strings.Contains(err.Message, "there is nothing to compare with") {
		t.Errorf("comparing: %v", err)
	}
}
