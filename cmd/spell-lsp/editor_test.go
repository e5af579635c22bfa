package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/input"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// matrixText is a matrix with two tests and the components park.Sort and park.Add.
const matrixText = `test,component,file,line,cpu_J,n,time_ms
t1,park.Sort,park.go,12,4,9,600
t1,park.Add,park.go,3,1,2,100
t2,park.Sort,park.go,12,3,8,500
`

func load(t *testing.T, name, text string) (*record.Run, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return loadForEditor(path, settings.Default())
}

// What any tool wrote can be loaded into the editor, ranked, in every format; also
// where the name does not tell which one it is.
func TestEveryReportThatHasAMatrixIsLoaded(t *testing.T) {
	run, err := load(t, "park.csv", matrixText)
	if err != nil {
		t.Fatal(err)
	}
	reports := reportsForEditor()
	var formats []string
	for _, format := range input.Formats() {
		if format != "trace" && format != "spell" && format != input.GZoltar { // which have no names of files, or no energy
			formats = append(formats, format)
		}
	}
	for _, format := range append(formats, "json-matrix") {
		var file bytes.Buffer
		if err := reports[format](&file, run, nil, nil); err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		got, err := load(t, "result", file.String())
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		if diff := cmp.Diff(ranked(run), ranked(got)); diff != "" {
			t.Errorf("%s: ranking (-written +loaded):\n%s", format, diff)
		}
	}
	for format, want := range map[string]string{"spell": "[ cpu = 4, n = 9, t = 600 ]", "trace": "park_2eSort [ cpu = 4, t = 600 ]", "text": "park.Sort"} {
		var file bytes.Buffer
		if err := reports[format](&file, run, nil, nil); err != nil || !strings.Contains(file.String(), want) {
			t.Errorf("%s: error %v, want a report with %q:\n%s", format, err, want, file.String())
			continue
		}
		if format == "text" {
			continue
		}
		if got, err := load(t, "result.txt", file.String()); err != nil || len(got.Components) != 2 || got.Components[0].Psi != run.Components[0].Psi {
			t.Errorf("%s: loaded is %+v, error %v", format, got, err)
		}
	}
}

// ranked is what a run says of its components.
func ranked(r *record.Run) map[string]any {
	rows := make(map[string]any)
	for _, c := range r.Components {
		rows[c.ID] = []any{c.Rank, c.Psi, c.Zone, c.N, c.File, c.Line}
	}
	return rows
}

// What cannot be shown is refused with what to do.
func TestLoadRefuses(t *testing.T) {
	for name, test := range map[string]struct{ file, text, want string }{
		"a text":        {"notes.txt", "hello, world", "cannot tell the format from the name, nor from what is in it"},
		"nothing":       {"empty", "", "cannot tell the format"},
		"a spectrum":    {"matrix.txt", "1 0 +\n", "pass/fail spectrum"},
		"a broken file": {"bad.csv", strings.Replace(matrixText, "4,9", "x,9", 1), "bad.csv:2:"},
		"another JSON":  {"other.json", `{"schema": "spell-lsp/run/v9"}`, "spell-lsp/run/v9"},
	} {
		if _, err := load(t, test.file, test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		} else if strings.Contains(err.Error(), " --") {
			t.Errorf("%s: an editor is told of a flag: %v", name, err)
		}
	}
	if _, err := loadForEditor(filepath.Join(t.TempDir(), "gone.json"), settings.Default()); err == nil || !strings.Contains(err.Error(), "gone.json") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := loadForEditor("-", settings.Default()); err == nil {
		t.Error("standard input was read, which is the client's")
	}
}

// The ranking is that of the settings: of the weights, and of the tests.
func TestLoadRanksBySettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.csv")
	text := "test,component,cpu_J,dram_J,n,time_ms\nt,a,9,1,1,1\nt,b,1,9,1,1\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for first, weights := range map[string]spell.Weights{"a": {spell.CPU: 1}, "b": {spell.DRAM: 1}} {
		s := settings.Default()
		s.Weights = weights
		run, err := loadForEditor(path, s)
		if err != nil || run.Components[0].ID != first {
			t.Errorf("weights %v: %+v, error %v, want %s first", weights, run, err, first)
		}
	}
}

// An editor drills down into a function by what reaches it and by its blocks.
func TestEditorAsksForOneFunction(t *testing.T) {
	long(t)
	dir := module(t, map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.26\n",
		"m.go":      "package m\n\nfunc F() (n int) {\n\tfor i := range 3 {\n\t\tn += i\n\t}\n\treturn n\n}\n\nfunc G() {}\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestF(*testing.T) { F() }\n\nfunc TestG(*testing.T) { G() }\n",
	})
	s := settings.Default()
	s.Meter = "none"
	id := "example.com/m.F"
	var found []string
	run, err := measureForEditor(t.Context(), lsp.Request{
		Dir: dir, Patterns: []string{"./..."}, Reach: id, Block: id, Rounds: 1, Settings: s, Found: func(files []string) { found = files },
	}, func(lsp.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || filepath.Base(found[0]) != "m.go" {
		t.Errorf("found %v, want m.go", found)
	}
	calls := make(map[string]float64)
	for _, c := range run.Components {
		calls[c.ID] = c.N
	}
	if diff := cmp.Diff(map[string]float64{id: 1, id + "#for1": 3}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if len(run.Tests) != 1 || run.Tests[0].Name != "example.com/m.TestF" {
		t.Errorf("tests are %+v, want TestF alone", run.Tests)
	}
}

// serving is a program with a function that computes until the program is told to stop, and one that
// fails. The first prints its process number.
const serving = `package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Println("no such configuration:", os.Args[1])
		os.Exit(3)
	}
	fmt.Println("listening")
	os.WriteFile("pid", fmt.Append(nil, os.Getpid()), 0o600)
	for {
		work()
	}
}

var sum int

func work() {
	for i := range 1 << 20 {
		sum += i
	}
}
`

// openService starts the server as an editor does, with a module that has scenarios.
func openService(t *testing.T, scenarios string) (e *lsptest.Editor, dir, path string) {
	t.Helper()
	long(t)
	dir = module(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n", "cmd/serve/main.go": serving,
		"lib/lib.go": "package lib\n", "gen/gen.go": "//go:build ignore\n\npackage main\n\nfunc main() {}\n",
		".spell-lsp.yaml": "meter: none\nrounds: 1\nwarmup: 0\nscenarios:\n" + scenarios,
	})
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), file)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "GOCACHE="+goCache(t))
	e = lsptest.Connect(t, lsptest.Subprocess(t, cmd))
	e.Folders = []string{dir}
	e.Start()
	path = filepath.Join(dir, "cmd", "serve", "main.go")
	e.Open(path)
	return e, dir, path
}

// goCache is the build cache of the user, which a test with a cache of its own for everything else keeps.
func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// liveRanking waits for the ranking of the program that runs, and returns it as the progress words it.
func liveRanking(t *testing.T, e *lsptest.Editor) string {
	t.Helper()
	var found string
	e.Eventually("a live ranking", func() bool {
		for _, m := range e.Messages("$/progress") {
			if strings.Contains(string(m.Params), `"live":[`) {
				found = string(m.Params)
			}
		}
		return found != ""
	})
	return found
}

// A service is measured from the editor, as it stands there, saved or not. While it runs, the progress
// has what costs most; then its functions have marks, and the program has ended.
func TestEditorMeasuresAService(t *testing.T) {
	seen := filepath.Join(t.TempDir(), "seen")
	e, dir, path := openService(t, "  serve: {exec: ./cmd/serve, ready: listening, load: \"sh -c 'until [ -e "+seen+" ]; do sleep 0.05; done'\"}\n")
	e.Edit(path, "func work()", "func toil() {\n\twork()\n}\n\nfunc work()")
	e.Edit(path, "\t\twork()\n\t}\n}", "\t\ttoil()\n\t}\n}")
	lenses := e.Lenses(path)
	if len(lenses) != 2 || lenses[0].Command.Title != "measure energy" || lenses[1].Command.Title != "measure energy: serve" {
		t.Fatalf("the lenses are %+v", lenses)
	}
	call := e.ExecuteWithProgress("t", "spell-lsp.measure", map[string]any{"scope": "scenario", "name": "serve", "uri": lsptest.URI(path)})
	if got, want := liveRanking(t, e), `round 1 of 1: serve.work `; !strings.Contains(got, want) || !strings.Contains(got, `"live":[{"id":"example.com/m/cmd/serve.work","share":`) {
		t.Errorf("the progress is %s, want %q", got, want)
	}
	if err := os.WriteFile(seen, nil, 0o600); err != nil { // until then the load goes on
		t.Fatal(err)
	}
	raw, err := call.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"tests":1`, `"name":"example.com/m/cmd/serve.serve","outcome":"pass"`, `{"id":"example.com/m/cmd/serve.work",`, `"id":"example.com/m/cmd/serve.toil"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the reply has no %s: %s", want, raw)
		}
	}
	ended(t, e, dir)
	if h := e.Hover(path, "work() {"); h == nil || !strings.Contains(h.Contents.Value, "example.com/m/cmd/serve.serve") {
		t.Errorf("the hover is %+v", h)
	}
}

// ended waits until the program whose number is in the file pid is gone.
func ended(t *testing.T, e *lsptest.Editor, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	e.Eventually("the end of the program "+string(text), func() bool {
		_, err := os.Stat("/proc/" + string(text))
		return err != nil
	})
}

// A service that would run for an hour is cancelled: the answer comes, and nothing of it stays.
func TestEditorCancelsAService(t *testing.T) {
	e, dir, path := openService(t, "  serve: {exec: ./cmd/serve, for: 1h}\n")
	call := e.ExecuteWithProgress("t", "spell-lsp.measure", map[string]any{"scope": "scenario", "name": "serve", "uri": lsptest.URI(path)})
	liveRanking(t, e)
	if raw, err := e.Execute("spell-lsp.cancel", map[string]any{}).Wait(); err != nil || string(raw) != `{"cancelled":1}` {
		t.Errorf("cancelling: %s (%v)", raw, err)
	}
	if _, err := call.Wait(); err == nil || err.Code != -32800 {
		t.Errorf("the measurement ended with %v", err)
	}
	ended(t, e, dir)
}

// What goes wrong in a program is said with what the program printed last: the editor shows none of its
// output.
func TestEditorSaysWhyAProgramFailed(t *testing.T) {
	e, _, path := openService(t, "  broken: {exec: ./cmd/serve x.yaml}\n  never: {exec: ./cmd/serve y.yaml, ready: listening}\n  bad: {exec: ./cmd/serve | cat}\n  lib: {exec: fmt}\n")
	for name, want := range map[string]string{
		"broken": "no such configuration: x.yaml", "never": "no such configuration: y.yaml",
		"bad": ".spell-lsp.yaml:7:15: scenarios.bad.exec: the command", "lib": "fmt is not a package of the measured module",
	} {
		raw, err := e.Execute("spell-lsp.measure", map[string]any{"scope": "scenario", "name": name, "uri": lsptest.URI(path)}).Wait()
		e.Settle()
		all := e.Messages("window/showMessage")
		said := string(all[len(all)-1].Params)
		if !strings.Contains(said, want) {
			t.Errorf("%s: the user is told %s, want %q; the reply is %s (%v)", name, said, want, raw, err)
		}
	}
}

// The editor lists the programs of a module: neither its libraries, nor what is not built.
func TestEditorListsPrograms(t *testing.T) {
	e, dir, _ := openService(t, "  serve: {exec: ./cmd/serve}\n")
	raw, err := e.Execute("spell-lsp.programs", map[string]any{}).Wait()
	want := `{"programs":[{"name":"./cmd/serve","uri":"` + lsptest.URI(filepath.Join(dir, "cmd", "serve")) + `"}],"scenarios":[{"name":"serve","exec":"./cmd/serve","uri":"` + lsptest.URI(dir) + `"}]}`
	if err != nil || string(raw) != want {
		t.Errorf("the reply is %s (%v), want %s", raw, err, want)
	}
}

// The blocks of a function of a program are measured in the program: no test has to reach it.
func TestEditorDrillsIntoAProgram(t *testing.T) {
	long(t)
	dir := module(t, map[string]string{
		"go.mod":           "module example.com/m\n\ngo 1.26\n",
		"cmd/work/main.go": "package main\n\nfunc main() {\n\tfor range 20 {\n\t\twork()\n\t}\n}\n\nvar sum int\n\nfunc work() {\n\tfor i := range 1 << 20 {\n\t\tsum += i\n\t}\n}\n",
	})
	s := settings.Default()
	s.Meter = "none"
	id := "example.com/m/cmd/work.work"
	run, err := measureForEditor(t.Context(), lsp.Request{
		Dir: dir, Scenarios: map[string]settings.Scenario{"work": {Exec: "./cmd/work"}}, Block: id, Rounds: 1, Settings: s,
	}, func(lsp.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	calls := make(map[string]float64)
	for _, c := range run.Components {
		calls[c.ID] = c.N
	}
	if diff := cmp.Diff(map[string]float64{"example.com/m/cmd/work.main": 1, id: 20, id + "#for1": 20 << 20}, calls); diff != "" {
		t.Errorf("calls, - is wanted:\n%s", diff)
	}
	if len(run.Tests) != 1 || run.Tests[0].Name != "example.com/m/cmd/work.work" {
		t.Errorf("rows are %+v", run.Tests)
	}
}
