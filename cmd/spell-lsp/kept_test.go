package main

import (
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/runner"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

// On the command line, too, a repair turns no other function red: what is shown and saved keeps
// the zones of the run before, unless the settings say otherwise.
func TestSavedRunKeepsZones(t *testing.T) {
	program := func(id, hash string, sort float64) *record.Run {
		r := recordtest.Program(
			recordtest.Part{ID: "m.Sort", Hash: hash, Joules: recordtest.Around(1, 8, sort, 0.01)},
			recordtest.Part{ID: "m.Oldest", Hash: "o", Joules: recordtest.Around(2, 8, 34, 0.01)},
		)
		r.Schema, r.ID = record.Schema, id
		ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
		return r
	}
	for keep, want := range map[bool]spell.Zone{true: spell.Yellow, false: spell.Red} {
		t.Setenv(store.Variable, t.TempDir())
		by, p := settings.Default(), runner.Params{Dir: t.TempDir()}
		by.KeepZones = keep
		cmd := measureCommand()
		after := program("20261121T040001Z-0001", "b", 0.1)
		for _, run := range []*record.Run{program("20261121T040000Z-0001", "a", 60), after} {
			if err := save(cmd, p, by, run); err != nil {
				t.Fatal(err)
			}
		}
		saved, err := readNamed(cmd, p.Dir, "latest", false)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range []*record.Run{after, saved} {
			if c := run.Components[0]; c.ID != "m.Oldest" || c.Zone != want {
				t.Errorf("keep %t: the first is %s, %s; want m.Oldest, %s", keep, c.ID, c.Zone, want)
			}
		}
	}
}
