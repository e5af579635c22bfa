package lsp_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// asProgram makes the row of a run that of a program, which a scenario ran.
func asProgram(name, exec string) func(*record.Run) {
	return func(r *record.Run) {
		code := 0
		t := &r.Tests[0]
		t.Name, t.Package, t.ExitCode = "example.com/park."+name, "example.com/park", &code
		r.Settings = settings.Settings{Scenarios: map[string]settings.Scenario{name: {Exec: exec}}}.Map()
	}
}

// A change of a function that a program ran is measured in the program again: no test may reach the
// function. A scenario runs as the settings have it now, a program without a name as it ran.
func TestApplyAndMeasureInAProgram(t *testing.T) {
	for name, want := range map[string]string{"serve": ". -now", "main": ". -then", "gone": ". -then"} {
		w := openWorkshop(t, 8, applies, func(w *workshop) {
			write(t, filepath.Join(filepath.Dir(w.parkGo), ".spell-lsp.yaml"), "scenarios: {serve: {exec: . -now}}\n")
			w.l.alter = func(r *record.Run) {
				withLines(r)
				asProgram(name, ". -then")(r)
			}
		})
		<-w.l.requests
		w.helps = true
		call := w.applyAndMeasure()
		w.apply()
		raw, err := call.Wait()
		if err != nil {
			t.Fatal(err)
		}
		const verdict = "67 % less energy (estimated) in (*Park).Add, significant; 35 % less energy (estimated) in all that its programs run, significant; programs pass"
		if got := into[struct{ Verdict string }](t, raw).Verdict; got != verdict {
			t.Errorf("%s: the verdict is %q, want %q", name, got, verdict)
		}
		r := <-w.l.requests
		if diff := cmp.Diff(map[string]settings.Scenario{name: {Exec: want}}, r.Scenarios); diff != "" || r.Patterns != nil || r.Reach != "" || r.Run != "" {
			t.Errorf("%s: measured was %+v (-want +got):\n%s", name, r, diff)
		}
	}
}

// A run that was loaded from a file may be anybody's: what it says a program was run with is not run,
// unless the settings of the workspace have a scenario of the name.
func TestCommandsOfALoadedRunAreNotRun(t *testing.T) {
	l := newLab(parkCosts)
	dir := module(t, map[string]string{"park.go": park["park.go"], "car.go": park["car.go"], ".spell-lsp.yaml": "scenarios: {serve: {exec: . -mine}}\n"})
	loaded := "evil"
	load := func(string, settings.Settings) (*record.Run, error) {
		run, err := l.invent(lsp.Request{Dir: dir})
		asProgram(loaded, ". -theirs")(run)
		return run, err
	}
	e, _ := serve(t, lsp.Options{Measure: l.measure, Load: load})
	e.Folders = []string{dir}
	e.Start()
	drill := func() *lsptest.Error {
		e.Execute("spell-lsp.load", map[string]any{"path": filepath.Join(dir, "run.json")}).Wait()
		_, err := e.Execute("spell-lsp.drillDown", map[string]any{"id": "example.com/park.oldest"}).Wait()
		return err
	}
	if err := drill(); err == nil || !strings.Contains(err.Message, "how example.com/park.evil was run is not in the settings of "+dir+": measure the program first") {
		t.Errorf("drilling into it: %v", err)
	}
	if len(l.requests) > 0 {
		t.Fatalf("it was run: %+v", <-l.requests)
	}
	loaded = "serve"
	if err := drill(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]settings.Scenario{"serve": {Exec: ". -mine"}}, (<-l.requests).Scenarios); diff != "" {
		t.Errorf("the known scenario (-want +got):\n%s", diff)
	}
}

// A program that fails says little by its exit code: the user sees what it printed last.
func TestProgramThatFails(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(r *record.Run) {
		code := 3
		r.Tests[0].Name, r.Tests[0].ExitCode, r.Tests[0].Outcome, r.Tests[0].Output = "example.com/park.main", &code, record.Fail, "no such file: in.xml"
	}
	e, _, _ := openPark(t, l)
	measure(t, e)
	e.Settle()
	var told []string
	for _, m := range e.Messages("window/showMessage") {
		told = append(told, into[struct{ Message string }](t, m.Params).Message)
	}
	const want = "spell-lsp: 1 of 1 program did not pass: example.com/park.main (fail, exit code 3); it printed:\nno such file: in.xml"
	if diff := cmp.Diff([]string{want}, told); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// An editor that has no lenses, or is not at a function main, asks which programs and scenarios there
// are. A settings file above several modules is of all of them: a scenario is listed where its package is.
func TestPrograms(t *testing.T) {
	dir := module(t, map[string]string{
		"go.mod": "\n", "a/go.mod": "module example.com/a\n", "b/go.mod": "module example.com/b\n", "a/cmd/serve/main.go": "package main\n",
		".spell-lsp.yaml": "scenarios:\n  serve: {exec: ./cmd/serve -addr :0}\n  any: {exec: example.com/a/cmd/serve}\n",
	})
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	e, _ := serve(t, lsp.Options{
		MainPackage: firstWord,
		Modules:     func(context.Context, string) ([]string, error) { return []string{a, b}, nil },
		Programs: func(_ context.Context, module string, _ settings.Settings) ([]string, error) {
			if module == b {
				return nil, errors.New("no Go files")
			}
			return []string{a, filepath.Join(a, "cmd", "serve")}, nil
		},
	})
	e.Folders = []string{dir}
	e.Start()
	raw, err := e.Execute("spell-lsp.programs", map[string]any{}).Wait()
	if err != nil {
		t.Fatal(err)
	}
	uri := lsptest.URI
	want := `{"programs":[{"name":".","uri":"` + uri(a) + `"},{"name":"./cmd/serve","uri":"` + uri(filepath.Join(a, "cmd", "serve")) + `"}],` +
		`"scenarios":[{"name":"any","exec":"example.com/a/cmd/serve","uri":"` + uri(a) + `"},{"name":"serve","exec":"./cmd/serve -addr :0","uri":"` + uri(a) + `"},` +
		`{"name":"any","exec":"example.com/a/cmd/serve","uri":"` + uri(b) + `"}]}`
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Errorf("the reply (-want +got):\n%s", diff)
	}
	if _, err := e.Execute("spell-lsp.programs", map[string]any{"scope": "all"}).Wait(); err == nil || !strings.Contains(err.Message, "unknown field") {
		t.Errorf("an unknown field: %v", err)
	}
}

// Looking for programs runs the go command, and running them runs the workspace's code: without trust
// neither is done, and no lens offers it.
func TestProgramsNeedTrust(t *testing.T) {
	l := newLab(parkCosts)
	dir := module(t, map[string]string{"main.go": "package main\n\nfunc main() {}\n", ".spell-lsp.yaml": "scenarios: {serve: {exec: .}}\n"})
	e, _ := serve(t, lsp.Options{Measure: l.measure, MainPackage: firstWord, Programs: func(context.Context, string, settings.Settings) ([]string, error) {
		t.Error("it was looked for programs")
		return nil, nil
	}})
	e.Folders, e.Options = []string{dir}, map[string]any{"trusted": false}
	e.Start()
	path := filepath.Join(dir, "main.go")
	e.Open(path)
	if lenses := e.Lenses(path); len(lenses) > 0 {
		t.Errorf("lenses: %+v", lenses)
	}
	for _, scope := range []string{"program", "scenario"} {
		argument := map[string]any{"scope": scope, "uri": lsptest.URI(path)}
		if scope == "scenario" {
			argument["name"] = "serve"
		}
		if _, err := e.Execute("spell-lsp.measure", argument).Wait(); err == nil || !strings.Contains(err.Message, "not trusted") {
			t.Errorf("measuring a %s: %v", scope, err)
		}
	}
	if _, err := e.Execute("spell-lsp.programs", map[string]any{}).Wait(); err == nil || !strings.Contains(err.Message, "not trusted") {
		t.Errorf("looking for programs: %v", err)
	}
}

// A folder whose name has a blank is one word of the command that runs its program.
func TestProgramInAFolderWithABlank(t *testing.T) {
	l := newLab(parkCosts)
	dir := module(t, map[string]string{"my server's/main.go": "package main\n\nfunc main() {}\n"})
	e, _ := serve(t, lspOptions(l))
	e.Folders = []string{dir}
	e.Start()
	if _, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "program", "uri": lsptest.URI(filepath.Join(dir, "my server's"))}).Wait(); err != nil {
		t.Fatal(err)
	}
	if got, want := (<-l.requests).Scenarios["main"].Exec, `'./my server'\''s'`; got != want {
		t.Errorf("the command is %s, want %s", got, want)
	}
}
