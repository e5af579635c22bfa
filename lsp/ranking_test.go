package lsp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

type fullRow struct {
	row
	Name, Kind, Package string
	EnergyCI            map[string][2]float64 `json:"energy_ci_j"`
	BelowResolution     bool                  `json:"below_resolution"`
	Change              *struct {
		What, Verdict, Text string
		Relative            *float64
	}
	Run, Folder, Scope, Meter, Source string
}

func ranked(t *testing.T, e *lsptest.Editor, argument map[string]any) []fullRow {
	t.Helper()
	return into[[]fullRow](t, execute(t, e, "ranking", argument))
}

// identified writes the scope and name of each row.
func identified(rows []fullRow) string {
	var list []string
	for _, r := range rows {
		list = append(list, strings.TrimSpace(r.Scope+" "+r.Name))
	}
	return strings.Join(list, ", ")
}

// A row has everything that a list of components shows.
func TestRankingRow(t *testing.T) {
	l := newLab(maps.Clone(slowCosts))
	l.rounds = 10
	l.alter = func(run *record.Run) {
		c := &run.Components[2]
		c.BelowResolution, c.EnergyCI = true, map[spell.Domain][2]float64{spell.CPU: {9, 11}}
	}
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	rows := ranked(t, e, map[string]any{})
	if r := rows[2]; r.Name != "oldest" || r.Kind != "function" || r.Package != "example.com/park" || !r.BelowResolution ||
		r.EnergyCI["cpu"] != [2]float64{9, 11} || r.Change != nil || r.Run == "" || r.Folder != lsptest.URI(filepath.Dir(parkGo)) || r.Scope != "" || r.Meter != "model" || r.Source != "estimated" {
		t.Errorf("row %+v", r)
	}
	l.costs["sortÄ"] = cost{5, 2500, 25}
	l.costs["init.1"] = cost{5, 2500, 2}
	measure(t, e)
	e.Edit(parkGo, "func oldest", "func eldest")
	var changes []string
	for _, r := range ranked(t, e, map[string]any{}) {
		c := r.Change
		relative := "unknown"
		if c.Relative != nil {
			relative = fmt.Sprintf("%+.2f", *c.Relative)
		}
		changes = append(changes, fmt.Sprintf("%s: %s %s %s (%s)", r.Name, c.What, relative, c.Verdict, c.Text))
	}
	want := []string{
		"(*Park).Add: energy +0.00 unchanged (no significant change)",
		"sortÄ: energy -0.50 better (50 % less energy, significant)",
		"eldest: energy +0.00 undecided ()", // it is below resolution
		"init:  unknown undecided (not in the run before)",
	}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// With all, the ranking lists the components of all results, result by result. Each function
// occurs once, in the result that its lens shows.
func TestRankingOfAll(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	l.costs = map[string]cost{"oldest": {n: 5, ms: 2, joules: 0.2}}
	execute(t, e, "measure", map[string]any{"scope": "test", "uri": lsptest.URI(filepath.Join(filepath.Dir(parkGo), "park_test.go")), "name": "TestPark"})

	if got := identified(ranked(t, e, map[string]any{})); got != "TestPark of . oldest" {
		t.Errorf("the newest: %s", got)
	}
	const all = "TestPark of . oldest, (*Park).Add, sortÄ, init.func, init, init"
	if got := identified(ranked(t, e, map[string]any{"all": true})); got != all {
		t.Errorf("all: %s", got)
	}
	if got := identified(ranked(t, e, map[string]any{"all": true, "top": 2, "sort": "time"})); got != "TestPark of . oldest, (*Park).Add" {
		t.Errorf("the first two of all: %s", got)
	}
	e.Configure(map[string]any{"exclude": []string{"car.go"}})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.Settle()
	e.Eventually("the hidden functions to disappear", func() bool {
		return identified(ranked(t, e, map[string]any{"all": true})) == "TestPark of . oldest, (*Park).Add, sortÄ"
	})
	if _, err := e.Execute("spell-lsp.ranking", map[string]any{"all": true, "uri": lsptest.URI(parkGo)}).Wait(); err == nil || !strings.Contains(err.Message, "cannot be combined with uri") {
		t.Errorf("all of one file: %v", err)
	}
	if _, err := e.Execute("spell-lsp.ranking", map[string]any{"all": "yes"}).Wait(); err == nil || !strings.Contains(err.Message, `"all" must be true or false`) {
		t.Errorf("all is text: %v", err)
	}
}

// A loaded run without files in open folders is in the ranking of all results, because nothing
// else shows it. If some of its files are in open folders, only their components are.
func TestRankingOfLoadedElsewhere(t *testing.T) {
	w := t.TempDir()
	const outside, inside = "elsewhere/a.py", "opened/b.py"
	write(t, filepath.Join(w, outside), "pass\n")
	write(t, filepath.Join(w, inside), "pass\n")
	for want, files := range map[string][]string{outside: {outside}, inside: {outside, inside}} {
		e, _ := serve(t, lsp.Options{Load: loads(byLine(files...))})
		e.Folders = []string{filepath.Join(w, "opened")}
		e.Start()
		execute(t, e, "load", map[string]any{"path": filepath.Join(w, "m.csv")})
		if rows := ranked(t, e, map[string]any{"all": true}); len(rows) != 1 || rows[0].ID != want || rows[0].Stale {
			t.Errorf("with the files %v the ranking has %+v, must have %s", files, rows, want)
		}
	}
}

// A filter selects components from the whole ranking, before top cuts it.
func TestRankingFilter(t *testing.T) {
	e, _, _ := openPark(t, newLab(parkCosts))
	measure(t, e)
	for filter, want := range map[string]string{
		"": "(*Park).Add, sortÄ, init.func, oldest, init, init", "SORTä": "sortÄ", "car.go": "init.func, init, init", "nothing": "",
	} {
		if got := identified(ranked(t, e, map[string]any{"filter": filter})); got != want {
			t.Errorf("%q: %s, must be %s", filter, got, want)
		}
	}
	if got := identified(ranked(t, e, map[string]any{"filter": "init", "top": 1})); got != "init.func" {
		t.Errorf("the first of the filtered: %s", got)
	}
}

// The command of a lens shows the ranking of the run that its rank comes from, also if a newer
// measurement of a part of the file is shown beside it.
func TestLensShowsItsRanking(t *testing.T) {
	l := newLab(parkCosts)
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	l.costs = map[string]cost{"oldest": {n: 5, ms: 2, joules: 0.2}}
	execute(t, e, "measure", map[string]any{"scope": "test", "uri": lsptest.URI(filepath.Join(filepath.Dir(parkGo), "park_test.go")), "name": "TestPark"})
	for _, lens := range e.Lenses(parkGo) {
		name := lens.Range.Of(e.Text(parkGo))
		rows := into[[]fullRow](t, must(e.Click(lens).Wait()))
		found := slices.ContainsFunc(rows, func(r fullRow) bool {
			return strings.HasSuffix(r.Name, name) && strings.Contains(lens.Command.Title, fmt.Sprintf("#%d · ", r.Rank))
		})
		if !found {
			t.Errorf("the lens of %s says %q, the ranking behind it %s", name, lens.Command.Title, identified(rows))
		}
	}
	if got := identified(ranked(t, e, map[string]any{"uri": lsptest.URI(parkGo), "run": "not shown any more"})); got != "TestPark of . oldest" {
		t.Errorf("the ranking of a run that is not shown: %s", got)
	}
	if _, err := e.Execute("spell-lsp.ranking", map[string]any{"all": true, "run": "a"}).Wait(); err == nil || !strings.Contains(err.Message, "cannot be combined with uri or run") {
		t.Errorf("all of one run: %v", err)
	}
}

func must(result json.RawMessage, err *lsptest.Error) json.RawMessage {
	if err != nil {
		panic(err)
	}
	return result
}

// A function that moved to another folder has its lens there. The ranking names that place, and
// so do the diagnostics of the functions that it calls.
func TestRankingOfAnotherFolder(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	measure(t, e)
	const oldest = "func oldest(cars []Car) Car { return cars[0] }\n"
	there := filepath.Join(filepath.Dir(parkGo), "sub", "oldest.go")
	e.OpenText(there, "package sub\n\n"+oldest)
	e.Edit(parkGo, oldest, "")
	e.Eventually("a diagnostic there", func() bool { return len(e.Diagnostics(there)) == 1 })
	for _, row := range ranked(t, e, map[string]any{"filter": "oldest"}) {
		if row.Stale || row.Line != 3 || row.URI != lsptest.URI(there) || row.File != "sub/oldest.go" {
			t.Errorf("row %+v", row)
		}
	}
}
