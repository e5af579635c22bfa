package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// The reply to a measurement summarises the result, and is sent after all diagnostics.
func TestMeasureReply(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	var got struct {
		Run        string
		Tests      int
		Components int
		Top        []struct {
			ID   string
			Psi  float64
			Zone string
		}
	}
	if err := json.Unmarshal(measure(t, e), &got); err != nil {
		t.Fatal(err)
	}
	if got.Run != "20261120T180000Z-3f9a" || got.Tests != 1 || got.Components != 6 || len(got.Top) != 6 {
		t.Errorf("reply %+v", got)
	}
	if top := got.Top[0]; top.ID != "example.com/park.(*Park).Add" || top.Zone != "red" || top.Psi < 0.6 {
		t.Errorf("top %+v", top)
	}
	if len(e.Diagnostics(parkGo)) == 0 {
		t.Error("the reply came before the diagnostics")
	}
}

// The reply to a measurement of a part lists the outcome of each test, for the test explorer
// of an editor. The reply to a measurement of everything does not, because it would be long.
func TestMeasureReplyOutcomes(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(r *record.Run) {
		r.Tests = append(r.Tests,
			record.Test{Name: "example.com/park.TestSort/a.TestPark/b", Outcome: record.Fail, Rounds: 3},
			record.Test{Name: "make check", Outcome: record.Pass, Rounds: 3})
	}
	e, _, parkGo := openPark(t, l)
	type outcome struct{ Package, Test, Name, Outcome string }
	for _, test := range []struct {
		scope string
		want  []outcome
	}{
		{"package", []outcome{
			{"example.com/park", "TestPark", "TestPark", "pass"}, {"example.com/park", "TestSort", "TestSort/a.TestPark/b", "fail"},
			{"", "make check", "make check", "pass"},
		}},
		{"workspace", nil},
	} {
		raw, err := e.Execute("spell-lsp.measure", map[string]any{"scope": test.scope, "uri": lsptest.URI(parkGo)}).Wait()
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Outcomes []outcome }
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got.Outcomes); diff != "" {
			t.Errorf("outcomes of the %s (-want +got):\n%s", test.scope, diff)
		}
	}
}

// Every scope measures the right folder, packages and tests.
func TestScopes(t *testing.T) {
	dir := module(t, map[string]string{
		"a.go": "package a", "sub/b.go": "package b", "sub/b_test.go": "package b",
		"nested/go.mod": "module nested\n\ngo 1.26\n", "nested/deep/c.go": "package c\n\nfunc F() {}\n\ntype T int\n\nfunc (*T) M() {}\n",
	})
	a, b, c := filepath.Join(dir, "a.go"), filepath.Join(dir, "sub", "b_test.go"), filepath.Join(dir, "nested", "deep", "c.go")
	nested := filepath.Join(dir, "nested")
	for _, test := range []struct {
		scope, path, name string
		want              lsp.Request
	}{
		{"workspace", "", "", lsp.Request{Dir: dir, Patterns: []string{"./..."}}},
		{"workspace", b, "", lsp.Request{Dir: dir, Patterns: []string{"./..."}}},
		{"workspace", c, "", lsp.Request{Dir: nested, Patterns: []string{"./..."}}},
		{"package", a, "", lsp.Request{Dir: dir, Scope: "package .", Patterns: []string{"."}}},
		{"package", filepath.Dir(b), "", lsp.Request{Dir: dir, Scope: "package ./sub", Patterns: []string{"./sub"}}},
		{"file", b, "", lsp.Request{Dir: dir, Scope: "package ./sub", Patterns: []string{"./sub"}}},
		{"function", c, "F", lsp.Request{Dir: nested, Scope: "function F of ./deep", Patterns: []string{"./..."}, Reach: "nested/deep.F"}},
		{"function", c, "M", lsp.Request{Dir: nested, Scope: "function (*T).M of ./deep", Patterns: []string{"./..."}, Reach: "nested/deep.(*T).M"}},
		{"test", b, "TestB", lsp.Request{Dir: dir, Scope: "TestB of ./sub", Patterns: []string{"./sub"}, Run: "^TestB$"}},
		{"test", b, "BenchmarkB", lsp.Request{Dir: dir, Scope: "BenchmarkB of ./sub", Patterns: []string{"./sub"}, Run: "^$", Bench: "^BenchmarkB$", Subtests: true}},
		{"test", b, "TestB/a.b (c)", lsp.Request{Dir: dir, Scope: "TestB/a.b (c) of ./sub", Patterns: []string{"./sub"}, Run: `^TestB$/^a\.b \(c\)$`}},
	} {
		l := newLab(nil)
		l.fail = errors.New("never mind")
		e, _ := serve(t, lspOptions(l))
		e.Folders = []string{dir}
		e.Start()
		argument := map[string]any{"scope": test.scope, "rounds": 7, "mode": "sample"}
		if test.path != "" {
			argument["uri"] = lsptest.URI(test.path)
		}
		if test.name != "" {
			argument["name"] = test.name
		}
		e.Execute("spell-lsp.measure", argument).Wait()
		test.want.Rounds, test.want.Mode, test.want.Buffers, test.want.Settings = 7, "sample", map[string][]byte{}, settings.Default()
		select {
		case got := <-l.requests:
			if got.Found == nil {
				t.Errorf("%s of %q: the request has no function Found", test.scope, test.path)
			}
			got.Found = nil // functions cannot be compared
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s of %q (-want +got):\n%s", test.scope, test.path, diff)
			}
		default:
			t.Errorf("%s of %q: nothing was measured", test.scope, test.path)
		}
	}
}

// The user trusts the open folder, not the folders around it: if the open folder is inside a
// module, only the open folder is measured, with its own settings. Nothing outside it is.
func TestOnlyOpenFolders(t *testing.T) {
	dir := module(t, map[string]string{
		"a.go": "package a", ".spell-lsp.yaml": "meter: rapl\n",
		"sub/b.go": "package b", "sub/deep/c.go": "package c\n\nfunc F() {}\n", "sub/.spell-lsp.yaml": "meter: none\n",
	})
	sub := filepath.Join(dir, "sub")
	l := newLab(nil)
	l.fail = errors.New("never mind")
	e, _ := serve(t, lspOptions(l))
	e.Folders = []string{sub}
	e.Start()
	for _, c := range []struct{ scope, path, pattern string }{
		{"workspace", sub, "./..."},
		{"workspace", filepath.Join(sub, "deep", "c.go"), "./..."},
		{"package", filepath.Join(sub, "b.go"), "."},
		{"file", filepath.Join(sub, "deep", "c.go"), "./deep"},
	} {
		e.Execute("spell-lsp.measure", map[string]any{"scope": c.scope, "uri": lsptest.URI(c.path)}).Wait()
		r := <-l.requests
		if r.Dir != sub || r.Patterns[0] != c.pattern || r.Settings.Meter != "none" {
			t.Errorf("%s of %s: %q in %s by meter %s", c.scope, c.path, r.Patterns, r.Dir, r.Settings.Meter)
		}
	}
	e.Execute("spell-lsp.measure", map[string]any{"scope": "function", "uri": lsptest.URI(filepath.Join(sub, "deep", "c.go")), "name": "F"}).Wait()
	if r := <-l.requests; r.Reach != "example.com/park/sub/deep.F" || r.Dir != sub {
		t.Errorf("tests of %s are looked for in %s", r.Reach, r.Dir)
	}
	for _, scope := range []string{"workspace", "package", "file", "test"} {
		argument := map[string]any{"scope": scope, "uri": lsptest.URI(filepath.Join(dir, "a.go"))}
		if scope == "function" || scope == "test" {
			argument["name"] = "TestA"
		}
		_, err := e.Execute("spell-lsp.measure", argument).Wait()
		if err == nil || err.Code != -32602 || !strings.Contains(err.Message, "is not in an open folder") {
			t.Errorf("%s outside: %v", scope, err)
		}
	}
	if len(l.requests) > 0 {
		t.Error("something outside the open folder was measured")
	}
}

// A bad argument of a command is answered with an error that names it, and nothing is run.
func TestBadArguments(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l)
	uri := lsptest.URI(parkGo)
	for _, c := range []struct {
		command string
		args    any
		want    string
	}{
		{"spell-lsp.measure", nil, `scope is ""`},
		{"spell-lsp.measure", map[string]any{"scope": "world"}, `scope is "world"`},
		{"spell-lsp.measure", map[string]any{"scope": "workspace", "verbose": true}, `unknown field "verbose"`},
		{"spell-lsp.measure", map[string]any{"Scope": "workspace"}, `unknown field "Scope"`},
		{"spell-lsp.measure", map[string]any{"scope": 1}, `field "scope" must be text, is number`},
		{"spell-lsp.measure", map[string]any{"scope": "workspace", "rounds": 2.5}, `field "rounds" must be a whole number, is number 2.5`},
		{"spell-lsp.measure", map[string]any{"scope": "workspace", "rounds": -1}, "rounds is -1"},
		{"spell-lsp.measure", map[string]any{"scope": "workspace", "rounds": 1001}, "rounds is 1001"},
		{"spell-lsp.measure", map[string]any{"scope": "workspace", "mode": "guess"}, `mode is "guess", must be instrument, sample, auto`},
		{"spell-lsp.measure", map[string]any{"scope": "workspace", "name": "F"}, `scope workspace takes none`},
		{"spell-lsp.measure", map[string]any{"scope": "package", "name": "F"}, `scope package takes none`},
		{"spell-lsp.measure", json.RawMessage(`{"scope":"workspace","scope":"package"}`), `field "scope" occurs twice`},
		{"spell-lsp.measure", map[string]any{"scope": "file"}, `uri is ""`},
		{"spell-lsp.measure", map[string]any{"scope": "file", "uri": "untitled:Untitled-1"}, `uri is "untitled:Untitled-1"`},
		{"spell-lsp.measure", map[string]any{"scope": "test", "uri": uri}, "scope test needs a name"},
		{"spell-lsp.measure", map[string]any{"scope": "function", "uri": uri}, "scope function needs a name"},
		{"spell-lsp.measure", map[string]any{"scope": "function", "uri": uri, "name": "newest"}, `park.go declares no function "newest"`},
		{"spell-lsp.measure", map[string]any{"scope": "file", "uri": "file://host/x.go"}, `it names the host "host"`},
		{"spell-lsp.measure", map[string]any{"scope": "file", "uri": "file:///a%zz.go"}, "it has a bad escape"},
		{"spell-lsp.measure", map[string]any{"scope": "file", "uri": "file:///a%ff.go"}, "it has a bad escape"},
		{"spell-lsp.measure", []any{"workspace"}, "one argument, an object"},
		{"spell-lsp.measure", "workspace", "one argument, an object"},
		{"spell-lsp.cancel", map[string]any{"all": true}, `unknown field "all"; the command takes no fields`},
		{"spell-lsp.clear", map[string]any{"all": true}, `unknown field "all"`},
		{"spell-lsp.doctor", map[string]any{"all": true}, `unknown field "all"`},
		{"spell-lsp.ranking", map[string]any{"sort": "name"}, `sort is "name"`},
		{"spell-lsp.ranking", map[string]any{"uri": "untitled:1"}, `uri is "untitled:1"`},
		{"spell-lsp.ranking", map[string]any{"top": -1}, "top is -1"},
		{"spell-lsp.unknown", map[string]any{}, `unknown command "spell-lsp.unknown"; the commands are spell-lsp.applyAndMeasure, spell-lsp.cancel`},
	} {
		_, err := e.Execute(c.command, c.args).Wait()
		if err == nil || err.Code != -32602 || !strings.Contains(err.Message, c.want) {
			t.Errorf("%s %v: %v, must be -32602 with %q", c.command, c.args, err, c.want)
		}
	}
	if len(l.requests) > 0 {
		t.Error("something was measured")
	}
	two := map[string]any{"command": "spell-lsp.clear", "arguments": []any{map[string]any{}, map[string]any{}}}
	if _, err := e.Call("workspace/executeCommand", two).Wait(); err == nil || err.Code != -32602 {
		t.Errorf("two arguments: %v", err)
	}
}

// Without an open folder, measuring the workspace is an error. With two open folders both are
// measured, one after the other, and both results are shown.
func TestFolders(t *testing.T) {
	e, _ := serve(t, lspOptions(newLab(nil)))
	e.Start()
	_, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait()
	if err == nil || err.Code != -32602 || !strings.Contains(err.Message, "no folder is open") {
		t.Errorf("no folder: %v", err)
	}

	l := newLab(parkCosts)
	e, _ = serve(t, lspOptions(l))
	for range 2 {
		e.Folders = append(e.Folders, module(t, maps.Clone(park)))
	}
	e.Start()
	var got struct {
		Run        string
		Runs       []string
		Components int
		Top        []struct{ ID string }
	}
	if err := json.Unmarshal(measure(t, e), &got); err != nil || len(got.Runs) != 2 || got.Components != 12 || len(got.Top) != 10 {
		t.Errorf("the reply of two folders is %+v, %v", got, err)
	}
	for _, dir := range e.Folders {
		if r := <-l.requests; r.Dir != dir || r.Scope != "" {
			t.Errorf("measured %q of %s, must be all of %s", r.Scope, r.Dir, dir)
		}
		if d := e.Diagnostics(filepath.Join(dir, "park.go")); len(d) != 3 {
			t.Errorf("%s has %d diagnostics", dir, len(d))
		}
	}
}

// If one folder cannot be measured, the results of the others are shown.
func TestOneFolderFails(t *testing.T) {
	l := newLab(parkCosts)
	good, bad := module(t, maps.Clone(park)), module(t, map[string]string{})
	e, _ := serve(t, lsp.Options{Measure: func(ctx context.Context, r lsp.Request, p func(lsp.Progress)) (*record.Run, error) {
		if r.Dir == bad {
			return nil, errors.New("no test ran")
		}
		return l.measure(ctx, r, p)
	}})
	e.Folders = []string{bad, good}
	e.Start()
	measure(t, e)
	if d := e.Diagnostics(filepath.Join(good, "park.go")); len(d) != 3 {
		t.Errorf("%d diagnostics", len(d))
	}
	if m := e.AwaitMessage("window/showMessage", 1); !strings.Contains(string(m.Params), bad+": no test ran") {
		t.Errorf("the user is told %s", m.Params)
	}
}

// A folder with several modules is measured module by module.
func TestModules(t *testing.T) {
	l := newLab(parkCosts)
	dir := module(t, map[string]string{"go.mod": "", "a/go.mod": "module a\n", "b/go.mod": "module b\n"})
	e, _ := serve(t, lsp.Options{Measure: l.measure, Modules: func(_ context.Context, dir string) ([]string, error) {
		return []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}, nil
	}})
	e.Folders = []string{dir}
	e.Start()
	measure(t, e)
	if a, b := <-l.requests, <-l.requests; a.Dir != filepath.Join(dir, "a") || b.Dir != filepath.Join(dir, "b") {
		t.Errorf("measured %s and %s", a.Dir, b.Dir)
	}
}

// The workspace is measured in the folders that are open now, not in those of initialize.
func TestFoldersChange(t *testing.T) {
	l := newLab(parkCosts)
	e, _ := serve(t, lspOptions(l))
	stays, goes := module(t, maps.Clone(park)), t.TempDir()
	e.Folders = []string{goes}
	e.Start()
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
		"added":   []any{map[string]any{"uri": lsptest.URI(stays), "name": "stays"}},
		"removed": []any{map[string]any{"uri": lsptest.URI(goes), "name": "goes"}},
	}})
	measure(t, e)
	if r := <-l.requests; r.Dir != stays {
		t.Errorf("measured %s", r.Dir)
	}
	// The results of a closed folder disappear.
	e.Eventually("diagnostics", func() bool { return len(e.Diagnostics(filepath.Join(stays, "park.go"))) == 3 })
	e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
		"added": []any{}, "removed": []any{map[string]any{"uri": lsptest.URI(stays), "name": "stays"}},
	}})
	e.AwaitEmpty(filepath.Join(stays, "park.go"))
}

// The ranking is the same as on the command line, with the current places of the functions.
func TestRanking(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	if got := rows(t, e, nil); got == nil || len(got) != 0 {
		t.Errorf("before a measurement: %v", got)
	}
	measure(t, e)
	e.Edit(parkGo, "package park\n", "package park\n\n")
	e.Edit(parkGo, "for range cars", "for i := range cars")
	e.Edit(parkGo, "func oldest(cars []Car) Car { return cars[0] }", "")
	all := rows(t, e, map[string]any{})
	var got []string
	for i, r := range all {
		name := strings.TrimPrefix(r.ID, "example.com/park.")
		got = append(got, name)
		if r.Rank != i+1 || r.Zone == "" || len(r.Phi) != 3 || r.Estimated == nil || !*r.Estimated || r.N != parkCosts[name].n || r.TimeMS == 0 || r.EnergyJ["cpu"] == 0 || r.EPIJ == 0 || len(r.PsiCI) != 2 {
			t.Errorf("row %+v", r)
		}
		if want := name == "sortÄ" || name == "oldest"; r.Stale != want {
			t.Errorf("%s: stale is %v", name, r.Stale)
		}
		if want := name == "oldest"; r.Gone != want {
			t.Errorf("%s: gone is %v", name, r.Gone)
		}
	}
	if want := "(*Park).Add sortÄ init.func1 oldest init.1 init.0"; strings.Join(got, " ") != want {
		t.Errorf("order %q, must be %q", got, want)
	}
	for _, r := range all {
		if want := r.EnergyJ["cpu"] / energyOf(all); math.Abs(r.Share-want) > 1e-9 {
			t.Errorf("%s has a share of %v, want %v", r.ID, r.Share, want)
		}
	}
	if r := all[0]; r.File != "park.go" || r.Line != 6 || r.URI != lsptest.URI(parkGo) {
		t.Errorf("Add is at %s (%s) line %d", r.File, r.URI, r.Line)
	}
	if r := all[2]; r.File != "car.go" || r.Line != 5 {
		t.Errorf("the literal is at %s line %d", r.File, r.Line)
	}
	for sort, want := range map[string]string{
		"psi": "(*Park).Add", "energy": "(*Park).Add", "time": "(*Park).Add", "n": "(*Park).Add", "epi": "init.1",
	} {
		got := rows(t, e, map[string]any{"sort": sort, "top": 1})
		if len(got) != 1 || got[0].ID != "example.com/park."+want {
			t.Errorf("by %s: %+v, must be %s alone", sort, got, want)
		}
	}
}

// With results of two folders, a lens, a file or a folder selects the ranking of its folder;
// without any of these the ranking is that of the newest result.
func TestRankingOfFolder(t *testing.T) {
	e, _ := serve(t, lspOptions(newLab(map[string]cost{"f": {1, 1, 1}, "g": {1, 1, 1}})))
	first := module(t, map[string]string{"sub/f.go": "package f\n\nfunc f() {}\n"})
	second := module(t, map[string]string{"g.go": "package g\n\nfunc g() {}\n"})
	e.Folders = []string{first, second}
	e.Start()
	for _, dir := range e.Folders {
		if _, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace", "uri": lsptest.URI(dir)}).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	fGo := filepath.Join(first, "sub", "f.go")
	for path, want := range map[string]string{
		"": "g.go", second: "g.go", first: "sub/f.go", filepath.Dir(fGo): "sub/f.go", fGo: "sub/f.go", filepath.Join(first, "go.mod"): "sub/f.go",
	} {
		argument := map[string]any{}
		if path != "" {
			argument["uri"] = lsptest.URI(path)
		}
		if got := rows(t, e, argument); len(got) != 1 || got[0].File != want {
			t.Errorf("ranking of %q: %+v", path, got)
		}
	}
	if got := rows(t, e, map[string]any{"uri": lsptest.URI(t.TempDir())}); len(got) != 0 {
		t.Errorf("ranking of a folder that was not measured: %+v", got)
	}
	e.Open(fGo)
	result, err := e.Click(e.Lenses(fGo)[0]).Wait()
	if err != nil || !strings.Contains(string(result), `"sub/f.go"`) {
		t.Errorf("a click on the lens of the first folder: %s, %v", result, err)
	}
}

// A failed measurement must say why, in its answer and in a message, and must leave the former
// results.
func TestMeasurementFails(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	l.fail = errors.New("park.go:5: undefined: c")
	_, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait()
	if err == nil || err.Code != -32803 || err.Message != "park.go:5: undefined: c" || string(err.Data) != `{"shown":true}` {
		t.Errorf("error %v", err)
	}
	if m := e.AwaitMessage("window/showMessage", 1); !strings.Contains(string(m.Params), "park.go:5: undefined: c") {
		t.Errorf("shown: %s", m.Params)
	}
	if len(e.Diagnostics(parkGo)) != 3 {
		t.Error("the former result is gone")
	}
}

// Failing tests are left out of the ranking, and a message names them.
func TestFailingTestsAreNamed(t *testing.T) {
	l := newLab(parkCosts)
	e, _ := serve(t, lsp.Options{Measure: func(ctx context.Context, r lsp.Request, p func(lsp.Progress)) (*record.Run, error) {
		run, err := l.measure(ctx, r, p)
		run.Tests = append(run.Tests, record.Test{Name: "example.com/park.TestBad", Outcome: record.Crash})
		run.Warnings = []string{"the machine was busy"}
		run.Notes = []note.Note{note.DoesNotBuild("example.com/park/b")}
		return run, err
	}})
	e.Folders = []string{module(t, map[string]string{"a.go": "package a\n\nfunc oldest() {}\n"})}
	e.Start()
	measure(t, e)
	if m := e.AwaitMessage("window/showMessage", 1); !strings.Contains(string(m.Params), "1 of 2 tests did not pass: example.com/park.TestBad (crash)") {
		t.Errorf("shown: %s", m.Params)
	}
	if m := e.AwaitMessage("window/showMessage", 2); !strings.Contains(string(m.Params), "package example.com/park/b does not build and is left out") {
		t.Errorf("shown: %s", m.Params)
	}
	if m := e.AwaitMessage("window/logMessage", 2); !strings.Contains(string(m.Params), "the machine was busy") {
		t.Errorf("logged: %s", m.Params)
	}
}

// In a workspace without trust nothing runs, and no lens offers to run anything. Every value of
// the option trusted other than true means no trust.
func TestUntrusted(t *testing.T) {
	for _, said := range []string{`false`, `"false"`, `0`, `null`, `"true"`, `1`, `[]`} {
		untrusted(t, said)
	}
}

func untrusted(t *testing.T, said string) {
	t.Helper()
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l, func(e *lsptest.Editor) { e.Options = json.RawMessage(`{"trusted":` + said + `}`) })
	_, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "workspace"}).Wait()
	if err == nil || err.Code != -32803 || !strings.Contains(err.Message, "not trusted") {
		t.Errorf("%s: error %v", said, err)
	}
	testGo := filepath.Join(filepath.Dir(parkGo), "park_test.go")
	e.Open(testGo)
	if lenses := e.Lenses(testGo); len(lenses) > 0 {
		t.Errorf("lenses %v", lenses)
	}
	if len(l.requests) > 0 {
		t.Error("something was measured")
	}
}

// The doctor gets the settings of the editor.
func TestDoctor(t *testing.T) {
	e, _ := serve(t, lsp.Options{Doctor: func(_ context.Context, s settings.Settings) string { return "rapl: works; meter is " + s.Meter }})
	e.Configure(map[string]any{"meter": "model"})
	e.Start()
	result, err := e.Execute("spell-lsp.doctor", map[string]any{}).Wait()
	if err != nil || string(result) != `"rapl: works; meter is model"` {
		t.Errorf("doctor: %s, %v", result, err)
	}
}
