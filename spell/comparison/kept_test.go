package comparison_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// A parking program: Sort holds most, Oldest the rest, Add little.
func parking(seed uint64, rounds int, sort, oldest, add float64, hashes string) *record.Run {
	part := func(i uint64, id string, joules float64) recordtest.Part {
		return recordtest.Part{ID: "m." + id, Hash: id + hashes[i:i+1], Joules: recordtest.Around(seed+i, rounds, joules, 0.01)}
	}
	r := recordtest.Program(part(0, "Sort", sort), part(1, "Oldest", oldest), part(2, "Add", add))
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
	return r
}

func zones(r *record.Run) string {
	of := make(map[string]string)
	for _, c := range r.Components {
		of[c.ID] = strings.ToUpper(string(c.Zone[:1]))
		if strings.Contains(c.Explanation, "still") {
			of[c.ID] = string(c.Zone[:1])
		}
	}
	return of["m.Sort"] + of["m.Oldest"] + of["m.Add"]
}

// Who repairs Sort must not find Oldest in red, which nobody touched. The zones of Sort, Oldest
// and Add before and after are R, Y and G, in small letters where they are kept against the rule.
func TestKeepZones(t *testing.T) {
	plain := func(_, _ *record.Run) {}
	for _, tt := range []struct {
		why    string
		after  *record.Run
		change func(before, after *record.Run)
		want   string
	}{
		{"nothing changed", parking(7, 8, 60, 34, 0.5, "aaa"), plain, "RYG"},
		{"Sort was repaired", parking(7, 8, 0.1, 34, 0.5, "baa"), plain, "GyG"},
		{"Sort was repaired in three rounds", parking(7, 3, 0.1, 34, 0.5, "baa"), plain, "GyG"},
		{"Oldest was rewritten, too", parking(7, 8, 0.1, 34, 0.5, "bba"), plain, "GRG"},
		{"Oldest uses more, without a change of its code", parking(7, 8, 0.1, 50, 0.5, "baa"), plain, "GRG"},
		{"... and too few rounds to be sure", parking(7, 3, 0.1, 90, 0.5, "baa"), plain, "GRG"},
		{"Sort got worse", parking(7, 8, 900, 34, 0.5, "baa"), plain, "RyG"},
		{"green holds a tenth now", parking(7, 8, 0.1, 3.4, 0.5, "bba"), plain, "GRY"},
		{"Oldest is below resolution", parking(7, 8, 0.1, 34, 0.5, "baa"), func(_, after *record.Run) {
			after.Components[0].BelowResolution = true
		}, "GYG"},
		{"no hashes", parking(7, 8, 0.1, 34, 0.5, "baa"), func(_, after *record.Run) {
			for i := range after.Components {
				after.Components[i].Hash = ""
			}
		}, "GRG"},
		{"a test that ran none of them is gone", parking(7, 8, 0.1, 34, 0.5, "baa"), func(before, _ *record.Run) {
			before.Tests = append(before.Tests, record.Test{Name: "m.TestMore", Outcome: record.Pass})
		}, "GyG"},
		{"the tests are others", parking(7, 8, 0.1, 34, 0.5, "baa"), func(before, _ *record.Run) { before.Tests[0].Name = "m.TestMore" }, "GRG"},
		{"one round before", parking(7, 8, 0.1, 34, 0.5, "baa"), func(before, _ *record.Run) { before.Rounds = 1 }, "GRG"},
		{"it varies too much to tell, but it is three times as much", parking(7, 8, 0.1, 34, 0.5, "baa"), func(_, after *record.Run) {
			noisy := recordtest.Program(
				recordtest.Part{ID: "m.Sort", Hash: "Sortb", Joules: recordtest.Around(1, 8, 0.1, 0.01)},
				recordtest.Part{ID: "m.Oldest", Hash: "Oldesta", Joules: []float64{1, 250, 3, 280, 2, 240, 20, 30}},
				recordtest.Part{ID: "m.Add", Hash: "Adda", Joules: recordtest.Around(1, 8, 0.5, 0.01)},
			)
			ranking.Analyze(noisy, spell.Options{Order: spell.OrderAuto}, false)
			*after = *noisy
		}, "GRG"},
		{"another machine", parking(7, 8, 0.1, 34, 0.5, "baa"), func(before, _ *record.Run) { before.Host.CPU = "Model U" }, "GRG"},
		{"interrupted", parking(7, 8, 0.1, 34, 0.5, "baa"), func(before, _ *record.Run) { before.Partial = true }, "GRG"},
		{"ranked by energy before", parking(7, 8, 0.1, 34, 0.5, "baa"), func(before, _ *record.Run) { before.Analysis.Order = spell.ByEnergy }, "GRG"},
		{"blocks", parking(7, 8, 0.1, 34, 0.5, "baa"), func(before, _ *record.Run) { before.Granularity = spell.KindBlock }, "GRG"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			before := parking(1, 8, 60, 34, 0.5, "aaa")
			if got := zones(before); got != "RYG" {
				t.Fatalf("zones before %s", got)
			}
			tt.change(before, tt.after)
			comparison.KeepZonesOf(slices.Values([]*record.Run{before}), tt.after, spell.Options{Order: spell.OrderAuto}, false)
			if got := zones(tt.after); got != tt.want {
				t.Errorf("zones %s, want %s", got, tt.want)
			}
		})
	}
}

// Where a program is too short for its energies to be compared, executions tell whether what runs
// is the same: they are counted exactly.
func TestKeepZonesOfAShortProgram(t *testing.T) {
	program := func(sort, oldest, n float64) *record.Run {
		r := recordtest.Program(
			recordtest.Part{ID: "m.Sort", Hash: "s", Joules: recordtest.Around(1, 5, sort, 0.1)},
			recordtest.Part{ID: "m.Oldest", Hash: "o", Joules: recordtest.Around(2, 5, oldest, 0.1), N: n},
			recordtest.Part{ID: "m.Add", Hash: "a", Joules: recordtest.Around(3, 5, 1e-6, 0.1)},
		)
		ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
		return r
	}
	for n, want := range map[float64]string{10: "RYG", 30: "RRG"} {
		after := program(0.002, 0.006, n)
		comparison.KeepZones(program(0.006, 0.002, 10), after, spell.Options{Order: spell.OrderAuto}, false)
		if got := zones(after); strings.ToUpper(got) != want {
			t.Errorf("%v executions: zones %s, want %s", n, got, want)
		}
	}
}

// What is kept stays kept while nothing changes, is explained, and ends with the order it was for.
func TestKeptZonesStay(t *testing.T) {
	o := spell.Options{Order: spell.OrderAuto}
	before := parking(1, 8, 60, 34, 0.5, "aaa")
	for seed := range uint64(3) {
		after := parking(7+seed, 8, 0.1, 34, 0.5, "baa")
		comparison.KeepZones(before, after, o, false)
		if got := zones(after); got != "GyG" {
			t.Fatalf("zones %s", got)
		}
		before = after
	}
	if why, want := before.Components[0].Explanation, "It is still yellow: its code is the same, and its energy has not changed measurably."; !strings.Contains(why, want) {
		t.Errorf("explanation %q, want %q", why, want)
	}
	ranking.Analyze(before, o, false)
	if got := zones(before); got != "GyG" {
		t.Errorf("ranked again: zones %s", got)
	}
	for _, other := range []spell.Options{{Order: spell.ByPsi}, {Order: spell.ByEnergy}, {Order: spell.OrderAuto, Zones: spell.ZoneRule{Absolute: true}}} {
		run := before.Clone()
		ranking.Analyze(run, other, false)
		if got := zones(run); got != strings.ToUpper(got) {
			t.Errorf("%v: zones %s", other, got)
		}
	}
}

// What uses a third more in each of many runs is no function that did not change, though no two
// runs in a row can tell.
func TestManySmallSteps(t *testing.T) {
	before := parking(1, 3, 60, 34, 0.5, "aaa")
	for i := range 4 {
		after := parking(uint64(7+i), 3, 60, before.Components[1].EnergyJ.Total()*1.5, 0.5, "aaa")
		if before.Components[1].ID != "m.Oldest" {
			after = parking(uint64(7+i), 3, 60, before.Components[0].EnergyJ.Total()*1.5, 0.5, "aaa")
		}
		comparison.KeepZones(before, after, spell.Options{Order: spell.OrderAuto}, false)
		before = after
	}
	if got := zones(before); got[1] != 'R' {
		t.Errorf("172 J after 34 J: zones %s, want Oldest to be red", got)
	}
}

// One run in which a leak is below resolution does not make it yellow for ever.
func TestOneOddRun(t *testing.T) {
	o := spell.Options{Order: spell.OrderAuto}
	before, odd, after := parking(1, 8, 60, 34, 0.5, "aaa"), parking(4, 8, 60, 34, 0.5, "aaa"), parking(7, 8, 60, 34, 0.5, "aaa")
	odd.Components[0].BelowResolution = true
	comparison.KeepZones(before, odd, o, false)
	if got := zones(odd); got != "rYG" {
		t.Errorf("below resolution: zones %s", got)
	}
	comparison.KeepZones(odd, after, o, false)
	if got := zones(after); got != "RYG" {
		t.Errorf("resolved again: zones %s", got)
	}
}

// A leak that is below resolution in the first run is not red there, and is once it is resolved.
func TestUnresolvedAtFirst(t *testing.T) {
	o := spell.Options{Order: spell.OrderAuto}
	before, after := parking(1, 8, 60, 34, 0.5, "aaa"), parking(7, 8, 60, 34, 0.5, "aaa")
	before.Components[0].BelowResolution = true
	ranking.Analyze(before, o, false)
	comparison.KeepZones(before, after, o, false)
	if was, got := zones(before), zones(after); was != "YYG" || got != "RYG" {
		t.Errorf("zones %s, then %s", was, got)
	}
}

// A function that was green and holds most now is yellow, and none says that it still is.
func TestCappedZoneIsNotStill(t *testing.T) {
	before, after := parking(1, 8, 60, 34, 0.5, "aaa"), parking(7, 8, 0.05, 0.05, 0.5, "bba")
	comparison.KeepZones(before, after, spell.Options{Order: spell.OrderAuto}, false)
	if got := zones(after); got[2] != 'Y' {
		t.Errorf("zones %s, want Add to be yellow without \"still\"", got)
	}
}

// A run of another kind in between, as by type, is passed over.
func TestKeepZonesOfAnEarlierRun(t *testing.T) {
	between, after := parking(4, 8, 60, 34, 0.5, "aaa"), parking(7, 8, 0.1, 34, 0.5, "baa")
	between.Granularity = spell.KindType
	comparison.KeepZonesOf(slices.Values([]*record.Run{between, parking(1, 8, 60, 34, 0.5, "aaa")}), after, spell.Options{Order: spell.OrderAuto}, false)
	if got := zones(after); got != "GyG" {
		t.Errorf("zones %s", got)
	}
}

// Two runs of the same code have the same zones, however close to a cut a function is and however
// much it varies.
func TestZonesDoNotJump(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	program := func(means []float64) *record.Run {
		var parts []recordtest.Part
		for i, joules := range means {
			id := "F" + string(rune('a'+i))
			parts = append(parts, recordtest.Part{ID: "m." + id, Hash: id, Joules: recordtest.Around(rng.Uint64(), 8, joules, 0.1)})
		}
		r := recordtest.Program(parts...)
		ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
		return r
	}
	byRule, kept := 0, 0
	for range 40 {
		means := make([]float64, 12)
		for i := range means {
			means[i] = 10 * rng.ExpFloat64()
		}
		before, after := program(means), program(means)
		was := make(map[string]spell.Zone)
		for _, c := range before.Components {
			was[c.ID] = c.Zone
		}
		jumps := func() (n int) {
			for _, c := range after.Components {
				if c.Zone != was[c.ID] {
					n++
				}
			}
			return n
		}
		byRule += jumps()
		comparison.KeepZones(before, after, spell.Options{Order: spell.OrderAuto}, false)
		kept += jumps()
	}
	if byRule < 10 || kept > byRule/10 {
		t.Errorf("of 480 functions %d are in another zone by the rule, and %d as zones are kept", byRule, kept)
	}
}
