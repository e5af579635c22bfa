package lsp_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// A new session shows the last results of the session before, with their age. Functions that
// were edited since are stale, and a new measurement replaces the results.
func TestRestart(t *testing.T) {
	dir, saved := module(t, maps.Clone(park)), store.Open(t.TempDir())
	parkGo := filepath.Join(dir, "park.go")
	start := func(l *lab) *lsptest.Editor {
		e, _ := serve(t, lsp.Options{Measure: l.measure, Store: saved})
		e.Folders = []string{dir}
		e.Start()
		return e
	}
	l := newLab(parkCosts)
	e := start(l)
	measure(t, e)
	execute(t, e, "setBaseline", map[string]any{})
	l.costs = map[string]cost{"oldest": {n: 5, ms: 2, joules: 0.2}}
	execute(t, e, "measure", map[string]any{"scope": "package", "uri": lsptest.URI(parkGo)})
	e.Quit()

	write(t, parkGo, strings.Replace(park["park.go"], "append(p.cars, c)", "append(p.cars, c, c)", 1))
	l = newLab(parkCosts)
	e = start(l)
	e.Open(parkGo)
	const day = ", measured 2026-11-10"
	want := []string{
		"Add 4 #1 psi 0.6328, 600 mJ estimated, measured before this edit" + day,
		"sortÄ 2 #2 psi 0.3662, 500 mJ estimated" + day,
		"oldest 1 #1 psi 1.0000, 200 mJ estimated" + day, // the run of one test is above
	}
	e.Eventually("the last run", func() bool {
		return strings.Join(show(e.Text(parkGo), e.Diagnostics(parkGo)), "\n") == strings.Join(want, "\n")
	})
	before := ageOf(time.Since(started))
	lenses := e.Lenses(parkGo)
	after := ageOf(time.Since(started)) // another one once a day
	for _, lens := range lenses {
		if title := lens.Command.Title; !strings.HasSuffix(title, "measured "+before) && !strings.HasSuffix(title, "measured "+after) {
			t.Errorf("a lens is %q", lens.Command.Title)
		}
	}
	measure(t, e)
	for _, d := range e.Diagnostics(parkGo) {
		if strings.Contains(d.Message, "measured 2026") || strings.Contains(d.Message, "before this edit") {
			t.Errorf("after a measurement: %s", d.Message)
		}
	}
	if _, err := e.Execute("spell-lsp.compare", map[string]any{}).Wait(); err == nil || !strings.Contains(err.Message, "nothing to compare") {
		t.Errorf("the lab gives all first runs the same name, so this one is the baseline: %v", err)
	}
}

// A function that moved to a new file while no server was running has its result there, even
// before the file is opened.
func TestMovedWhileNoServerRan(t *testing.T) {
	dir, saved := savedPark(t)
	const moved = "func sortÄ(cars []Car) { // 🚗\n\tfor range cars {\n\t}\n}\n"
	write(t, filepath.Join(dir, "park.go"), strings.Replace(park["park.go"], moved, "", 1))
	sortGo := filepath.Join(dir, "sort.go")
	write(t, sortGo, "package park\n\n"+moved)
	e, _ := serve(t, lsp.Options{Store: saved})
	e.Folders = []string{dir}
	e.Start()
	e.Eventually("the result of the function that moved", func() bool { return len(e.Diagnostics(sortGo)) == 1 })
	if answer := execute(t, e, "ranking", map[string]any{}); strings.Contains(string(answer), `"gone":true`) || !strings.Contains(string(answer), lsptest.URI(sortGo)) {
		t.Errorf("the ranking is %s", answer)
	}
}

// savedPark writes the module park, and returns its folder and a store with a run of it.
func savedPark(t *testing.T) (dir string, saved *store.Store) {
	t.Helper()
	dir, saved = module(t, maps.Clone(park)), store.Open(t.TempDir())
	run, err := newLab(parkCosts).invent(lsp.Request{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := saved.Save(dir, "", run); err != nil {
		t.Fatal(err)
	}
	return dir, saved
}

// ageOf returns the text for an age of more than two days.
func ageOf(d time.Duration) string { return fmt.Sprintf("%d days ago", int(d.Hours()/24)) }

// If settings of the ranking change while the editor is closed, the restored run is ranked with
// the current settings, not with those that were saved.
func TestRestoredRunIsRankedAgain(t *testing.T) {
	dir, saved := module(t, maps.Clone(park)), store.Open(t.TempDir())
	run, err := newLab(parkCosts).invent(lsp.Request{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	run.Tests = append(run.Tests, record.Test{Name: "example.com/park.TestSort", Outcome: record.Fail, Rounds: 3})
	for i := range run.Components {
		if strings.HasSuffix(run.Components[i].ID, ".sortÄ") {
			run.Matrix.Add(record.Cell{T: 1, C: i, N: 5000, TimeMS: 500, EnergyJ: record.Energy{spell.CPU: 5}})
		}
	}
	ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	if err := saved.Save(dir, "", run); err != nil {
		t.Fatal(err)
	}
	parkGo := filepath.Join(dir, "park.go")
	for settingsFile, want := range map[string]string{
		"": "[Add 1 sortÄ 2 oldest 4]",
		"zones:\n  rule: absolute\n  redFrom: 0.3\n  yellowFrom: 0.2\n": "[Add 1 sortÄ 1 oldest 4]",
		"includeFailed: true\n":             "[Add 2 sortÄ 1 oldest 4]", // the failed test makes sortÄ the first
		"includeFailed: true\norder: psi\n": "[Add 4 sortÄ 1 oldest 4]",
	} {
		write(t, filepath.Join(dir, settings.FileName), settingsFile)
		e, _ := serve(t, lsp.Options{Store: saved})
		e.Folders = []string{dir}
		e.Start()
		e.Open(parkGo)
		e.Eventually("the last run", func() bool { return len(e.Diagnostics(parkGo)) == 3 })
		var got []string
		for _, line := range show(e.Text(parkGo), e.Diagnostics(parkGo)) {
			got = append(got, strings.Join(strings.Fields(line)[:2], " "))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("settings %q: %s, must be %s", settingsFile, got, want)
		}
		e.Quit()
	}
}

// After clear, closing a folder and opening it again shows its last run.
func TestReopenedFolder(t *testing.T) {
	dir, saved := savedPark(t)
	e, _ := serve(t, lsp.Options{Store: saved})
	e.Folders = []string{dir, t.TempDir()}
	e.Start()
	shown := func() bool { return len(e.Diagnostics(filepath.Join(dir, "park.go"))) == 3 }
	e.Eventually("the last run", shown)
	execute(t, e, "clear", map[string]any{})
	if shown() {
		t.Fatal("the run was cleared, but is shown")
	}
	changeFolders(e, nil, []string{dir})
	changeFolders(e, []string{dir}, nil)
	e.Eventually("the last run", shown)
}
