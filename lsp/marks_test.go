package lsp_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

type fileMark struct {
	Range, Extent   lsptest.Range
	ID, Name, Kind  string
	Zone, Level     string
	Rank            int
	Psi             float64
	Stale           *bool // must not be absent
	BelowResolution *bool
	Estimated       *bool
	Title           string
	Function        string
	Notes           []note.Note
	Lines           []struct {
		Line    int
		Share   float64
		EnergyJ map[string]float64 `json:"energy_j"`
		Text    string
	}
}

func marksAt(t testing.TB, e *lsptest.Editor, uri string) []fileMark {
	t.Helper()
	raw := e.MustCall("spell-lsp/marks", map[string]any{"textDocument": map[string]any{"uri": uri}})
	marks := into[struct{ Marks []fileMark }](t, raw).Marks
	if marks == nil {
		t.Fatalf("the answer has no list: %s", raw)
	}
	return marks
}

// drawn writes marks as an editor draws them.
func drawn(t testing.TB, e *lsptest.Editor, path string) []string {
	t.Helper()
	list := []string{}
	for _, m := range marksAt(t, e, lsptest.URI(path)) {
		if m.Stale == nil || m.BelowResolution == nil || m.Estimated == nil || m.Kind == "" || m.Title == "" {
			t.Fatalf("mark %+v", m)
		}
		if edited := slices.ContainsFunc(m.Notes, func(n note.Note) bool { return n.Code == note.BodyEditedCode }); edited != *m.Stale {
			t.Errorf("%s is stale: %t, notes %v", m.ID, *m.Stale, m.Notes)
		}
		if function, _, block := strings.Cut(m.ID, "#"); block && m.Function != function || !block && m.Function != "" {
			t.Errorf("%s belongs to the function %q", m.ID, m.Function)
		}
		text := fmt.Sprintf("%s %s %s #%d", m.Range.Of(e.Text(path)), m.Zone, m.Level, m.Rank)
		if *m.Stale {
			text += " stale"
		}
		list = append(list, text)
	}
	return list
}

// The marks of a file show the same components as the lenses, at the same places: fresh or
// stale, and none after clear.
func TestMarks(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(run *record.Run) { run.Components[1].BelowResolution = true }
	e, _, parkGo := openPark(t, l)
	if got := drawn(t, e, parkGo); len(got) > 0 {
		t.Errorf("before a measurement: %q", got)
	}
	measure(t, e)
	want := []string{"Add red error #1", "sortÄ yellow warning #2", "oldest green hint #4"}
	if diff := cmp.Diff(want, drawn(t, e, parkGo)); diff != "" {
		t.Errorf("measured (-want +got):\n%s", diff)
	}
	first := marksAt(t, e, lsptest.URI(parkGo))[:2]
	if want := spanOf(t, e.Text(parkGo), "func (p *Park) Add(c Car) {\n\tp.cars = append(p.cars, c)\n}"); first[0].Extent != want {
		t.Errorf("the function is at %+v, must be at %+v", first[0].Extent, want)
	}
	if m := first[0]; m.ID != "example.com/park.(*Park).Add" || m.Name != "(*Park).Add" || m.Kind != "function" || m.Psi < 0.6 ||
		*m.BelowResolution || !*m.Estimated || m.Title != e.Lenses(parkGo)[0].Command.Title {
		t.Errorf("mark %+v", m)
	}
	if !*first[1].BelowResolution {
		t.Errorf("the mark does not say that it is below resolution: %+v", first[1])
	}

	e.Edit(parkGo, "package park\n", "package park\n\n// Cars.\n")
	e.Edit(parkGo, "for range cars {", "for range cars[1:] {")
	e.Edit(parkGo, "func oldest", "func eldest")
	want = []string{"Add red error #1", "sortÄ yellow hint #2 stale", "eldest green hint #4"}
	if diff := cmp.Diff(want, drawn(t, e, parkGo)); diff != "" {
		t.Errorf("edited (-want +got):\n%s", diff)
	}
	if m := marksAt(t, e, lsptest.URI(parkGo))[2]; m.Name != "eldest" || m.ID != "example.com/park.oldest" {
		t.Errorf("a function with another name has %+v", m)
	}
	execute(t, e, "clear", map[string]any{})
	if got := drawn(t, e, parkGo); len(got) > 0 {
		t.Errorf("after clear: %q", got)
	}
}

// Files that are not open and files of other languages have marks too. Missing files and URIs of
// no file have none.
func TestMarksOfAnyFile(t *testing.T) {
	dir := module(t, map[string]string{"app.py": "import os\n\ndef slow():\n    pass\n"})
	run := oneComponent(record.Component{ID: "slow", Kind: spell.KindFunction, File: "app.py", Line: 3, Column: 5})
	e, _ := serve(t, lsp.Options{Load: func(string, settings.Settings) (*record.Run, error) { return run, nil }})
	e.Folders = []string{dir}
	e.Start()
	execute(t, e, "load", map[string]any{"path": filepath.Join(dir, "m.csv")})
	app := filepath.Join(dir, "app.py")
	if got := marksAt(t, e, lsptest.URI(app)); len(got) != 1 || got[0].ID != "slow" || got[0].Name != "slow" || got[0].Range.Start.Line != 2 || *got[0].Stale {
		t.Errorf("a file of another language has %+v", got)
	}
	e.OpenText(app, "import os\n\ndef slow():\n    pass # once\n")
	if got := marksAt(t, e, lsptest.URI(app)); len(got) != 1 || !*got[0].Stale {
		t.Errorf("after its file has changed: %+v", got)
	}
	for _, uri := range []string{lsptest.URI(filepath.Join(dir, "none.go")), lsptest.URI(dir), "untitled:Untitled-1"} {
		if got := marksAt(t, e, uri); len(got) > 0 {
			t.Errorf("%s has %+v", uri, got)
		}
	}
	for _, params := range []any{nil, []any{}, map[string]any{"textDocument": "x"}, map[string]any{"textDocument": map[string]any{"uri": 1}}} {
		if result, err := e.Call("spell-lsp/marks", params).Wait(); err == nil || err.Code != -32602 {
			t.Errorf("%v: %s, %v", params, result, err)
		}
	}
}

func listening(e *lsptest.Editor) { e.Options = map[string]any{"changes": true} }

func told(e *lsptest.Editor) int { return len(e.Messages("spell-lsp/changed")) }

// A client with the option changes is notified when the results change, and when a file renders
// differently although nobody edited it, open or not. Its own edits are not notified.
func TestChangedNotification(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), listening)
	carGo := filepath.Join(filepath.Dir(parkGo), "car.go")
	e.Settle()
	before := told(e)
	eventually := func(why string) {
		t.Helper()
		e.Eventually(why, func() bool { return told(e) > before })
		e.Settle()
		before = told(e)
	}
	measure(t, e)
	eventually("a notification after a measurement")

	e.Edit(parkGo, "for range cars {", "for range cars[1:] {")
	e.AwaitDiagnostics(parkGo)
	e.Settle()
	if told(e) > before {
		t.Errorf("the client is notified of its own edit")
	}
	write(t, carGo, strings.Replace(park["car.go"], "a.plate < b.plate", "a.plate > b.plate", 1))
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(carGo), "type": 2}}})
	eventually("a notification for a file that is not open")

	e.OpenText(filepath.Join(filepath.Dir(parkGo), "b.go"), "package park\n\nfunc oldest(cars []Car) Car { return cars[0] }\n")
	e.Edit(parkGo, "func oldest(cars []Car) Car { return cars[0] }\n", "")
	eventually("a notification for the file to which a function has moved")

	execute(t, e, "clear", map[string]any{})
	eventually("a notification after clear")
}

// A client without the option does not know the notification, and does not get it.
func TestChangedNotificationIsOptional(t *testing.T) {
	for name, options := range map[string]any{"nothing": nil, "no": map[string]any{"changes": false}, "text": map[string]any{"changes": "true"}} {
		t.Run(name, func(t *testing.T) {
			e, _, _ := openPark(t, newLab(parkCosts), func(e *lsptest.Editor) { e.Options = options })
			measure(t, e)
			e.AwaitMessage("workspace/codeLens/refresh", 1)
			e.Settle()
			if told(e) > 0 {
				t.Errorf("it was told %v", e.Messages("spell-lsp/changed"))
			}
			for _, m := range e.Messages("window/showMessage") {
				t.Errorf("the option counts as a setting: %s", m.Params)
			}
		})
	}
}
