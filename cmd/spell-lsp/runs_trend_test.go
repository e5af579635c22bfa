package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/store"
)

// A kept run is one of the store.
type keptRun struct {
	scope string
	make  func(*record.Run)
}

// keep saves the runs of a folder, an hour apart, and gives their ids.
func keep(t testing.TB, dir string, runs ...keptRun) (ids []string) {
	t.Helper()
	data := t.TempDir()
	t.Setenv(store.Variable, data)
	begin := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	for i, k := range runs {
		at := begin.Add(time.Duration(i) * time.Hour)
		joules, all := record.Energy{spell.CPU: 2 + float64(i)}, record.Energy{spell.CPU: 1000 / float64(i+1)} // with the idle machine
		domains := []spell.Domain{spell.CPU}
		r := &record.Run{
			ID: record.NewID(at), Started: at, Mode: "instrument", Granularity: spell.KindFunction, Rounds: 3,
			Host:  record.Host{CPU: "Model T", Cores: 2},
			Meter: record.Meter{Name: "rapl", Source: record.Measured, Domains: domains},
			Tests: []record.Test{
				{Name: "m.TestA", Outcome: record.Pass, Rounds: 3, TimeMS: 100, EnergyJ: all, UnattributedJ: all},
				{Name: "m.TestB", Outcome: record.Skip, Rounds: 3},
			},
			Components: []record.Component{{ID: "m.F", Kind: spell.KindFunction}},
			Matrix:     record.MatrixOf(domains, record.Cell{N: 1, TimeMS: 90, EnergyJ: joules}),
		}
		if k.make != nil {
			k.make(r)
		}
		if err := store.Open(data).Save(dir, k.scope, r); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	return ids
}

func runTrend(t *testing.T, dir string, args ...string) (code int, out, errout string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), append([]string{"runs", "trend", "-C", dir}, args...), nil, &o, &e)
	return code, strings.Join(strings.Fields(o.String()), " "), e.String()
}

// A trend of what cannot be compared would show changes that are none: another meter,
// other tests, another machine. Whoever wants to see those names one of them.
func TestTrendIsOfRunsThatCanBeCompared(t *testing.T) {
	dir := t.TempDir()
	ids := keep(t, dir,
		keptRun{"", nil},
		keptRun{"", func(r *record.Run) { r.Meter.Name, r.Meter.Source = "model", record.Estimated }},
		keptRun{"bench .", nil},
		keptRun{"bench .", nil},
		keptRun{"", func(r *record.Run) { r.Mode = "sample" }},
		keptRun{"", func(r *record.Run) { r.Host.CPU = "Model S" }},
		keptRun{"", func(r *record.Run) { r.Host.Cores = 64 }},
		keptRun{"", func(r *record.Run) { r.Partial = true }},
		keptRun{store.Loaded + "from base.json", nil},
		keptRun{"", func(r *record.Run) { r.Host, r.Mode, r.Tests[1].Outcome = record.Host{}, "", record.Fail }},
		keptRun{"", nil},
		keptRun{"packages ./sub", nil},
	)
	code, out, errout := runTrend(t, dir)
	if code != exitDone {
		t.Fatalf("exit code %d: %s", code, errout)
	}
	has := func(out string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("it does not say %q:\n%s", w, out)
			}
		}
	}
	has(out, "of all packages. meter rapl host Model T, 2 cores", ids[0]+" - 2 2.00 J", ids[9]+" - 2 (1 failed) 11.0 J", "+450.0 %", ids[10]+" - 2 12.0 J",
		`Left out: 9 other runs, 2 of "bench .", 1 by the meter model (estimated), 1 in mode sample, 1 not complete, 1 of "packages ./sub", 3 for other reasons.`,
		"To see the trend of one of them: spell-lsp runs trend RUN")
	if strings.Count(out, "202611") != 3 {
		t.Errorf("there are other runs than three:\n%s", out)
	}
	_, out, _ = runTrend(t, dir, ids[2])
	has(out, `per round of "bench .".`, ids[2], ids[3], "+25.0 %", "Left out: 10 other runs")
	_, out, _ = runTrend(t, dir, ids[5])
	has(out, "host Model S, 2 cores", ids[5], "2 on another machine (processor Model S and Model T)")
	if code, _, errout = runTrend(t, dir, ids[7]); code != exitInput || !strings.Contains(errout, "is not complete") {
		t.Errorf("a partial run: exit code %d, %s", code, errout)
	}
}

// Who never measured all packages has a trend too.
func TestTrendOfAPart(t *testing.T) {
	dir := t.TempDir()
	keep(t, dir, keptRun{"packages ./sub", nil}, keptRun{"packages ./sub", nil}, keptRun{store.Loaded + "from a.json", nil})
	code, out, errout := runTrend(t, dir)
	if code != exitDone || !strings.Contains(out, "+50.0 %") || !strings.Contains(out, `Left out: 1 other run, 1 of what was loaded from a.json.`) {
		t.Errorf("exit code %d\n%s\n%s", code, out, errout)
	}
}
