package lsp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/lsp"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// The values beside psi come from the same tests as psi: a failed test that used far more
// energy changes no value, unless failed tests are included.
func TestFailedTestsChangeNoValue(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(run *record.Run) {
		for i := range run.Components {
			c := &run.Components[i]
			if c.Line == 0 || !strings.HasSuffix(c.ID, ".Add") {
				continue
			}
			run.Tests = append(run.Tests, record.Test{Name: "example.com/park.TestBad", Outcome: record.Fail, Rounds: 3})
			run.Matrix.Add(record.Cell{T: 1, C: i, N: 400, TimeMS: 40, EnergyJ: record.Energy{spell.CPU: 100}})
			c.N, c.TimeMS, c.EnergyJ = 1000, 100, record.Energy{spell.CPU: 100.6}
			c.EnergyCI, c.CumTimeMS, c.CumEnergyJ = map[spell.Domain][2]float64{spell.CPU: {99, 102}}, 100, record.Energy{spell.CPU: 100.6}
			return
		}
	}
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	check := func(joules, calls, ms string, energyJ float64) {
		t.Helper()
		hover := e.Hover(parkGo, "Add(c").Contents.Value
		for where, pair := range map[string][2]string{
			"diagnostics": {messages(e.Diagnostics(parkGo)), ", " + joules + " estimated"},
			"lenses":      {lensTitles(e.Lenses(parkGo)), " · " + joules + " estimated"},
			"hover":       {hover, "| self | " + joules + " estimated | " + ms + " |"},
			"its calls":   {hover, ", " + calls + " calls"},
		} {
			if !strings.Contains(pair[0], pair[1]) {
				t.Errorf("%s: there is no %q:\n%s", where, pair[1], pair[0])
			}
		}
		var rows []struct {
			ID      string
			EnergyJ record.Energy `json:"energy_j"`
		}
		if err := json.Unmarshal(execute(t, e, "ranking", map[string]any{"sort": "energy", "filter": ".Add"}), &rows); err != nil {
			t.Fatal(err)
		}
		if len(rows) != 1 || rows[0].EnergyJ.Total() != energyJ {
			t.Errorf("ranking: %+v, want %v J", rows, energyJ)
		}
	}
	check("600 mJ", "600", "60.0 ms", 0.6)
	if hover := e.Hover(parkGo, "Add(c").Contents.Value; strings.Contains(hover, "with callees |") || strings.Contains(hover, "energy of cpu") {
		t.Errorf("the hover shows values of all tests, failed ones included:\n%s", hover)
	}
	e.Configure(map[string]any{"includeFailed": true})
	e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	e.Eventually("the failed test counts", func() bool { return strings.Contains(lensTitles(e.Lenses(parkGo)), "101 J") })
	e.MustCall(lsp.FlushMethod, nil)
	check("101 J", "1,000", "100 ms", 100.6)
}

// A function that only failed tests ran has no known cost: the ranking does not list it, and
// it has no lens. In particular it is not listed as edited.
func TestRankingOmitsFunctionsOfFailedTests(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(run *record.Run) {
		run.Tests = append(run.Tests, record.Test{Name: "example.com/park.TestBad", Outcome: record.Fail, Rounds: 3})
		for i := range run.Matrix.Cells {
			if cell := &run.Matrix.Cells[i]; strings.HasSuffix(run.Components[cell.Component].ID, ".oldest") {
				cell.Test = 1
			}
		}
	}
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	if lenses := lensTitles(e.Lenses(parkGo)); strings.Count(lenses, "\n") != 1 {
		t.Errorf("lenses:\n%s", lenses)
	}
	for _, all := range []bool{false, true} {
		for _, row := range ranked(t, e, map[string]any{"all": all}) {
			if row.Name == "oldest" || row.Stale {
				t.Errorf("all %v: row %+v", all, row)
			}
		}
	}
}

func messages(list []lsptest.Diagnostic) string {
	var all []string
	for _, d := range list {
		all = append(all, d.Message)
	}
	return strings.Join(all, "\n")
}

func lensTitles(list []lsptest.Lens) string {
	var all []string
	for _, l := range list {
		all = append(all, l.Command.Title)
	}
	return strings.Join(all, "\n")
}
