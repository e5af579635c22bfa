package lsp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"spell-lsp/internal/lsptest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// A hover names the callers on whose behalf a function used energy, and the callees that used
// it, with their shares.
func TestHoverNamesCallersAndCallees(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = calling
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	for place, want := range map[string]string{
		"Add(c":  "Called by: `example.com/park.sortÄ` 75.0 %, `example.com/park.oldest` 20.0 %, tests and what is not measured 5.0 % (of its energy with callees).",
		"sortÄ(": "Calls: `example.com/park.(*Park).Add` 47.4 % (of its energy with callees).",
	} {
		if got := e.Hover(parkGo, place).Contents.Value; !strings.Contains(got, want) {
			t.Errorf("the hover at %s has no %q:\n%s", place, want, got)
		}
	}
	if got := e.Hover(parkGo, "oldest(cars").Contents.Value; strings.Contains(got, "of its running time") {
		t.Errorf("shares are of energy where it is known:\n%s", got)
	}
}

// If the energy is unknown, the shares are shares of time and the hover says so.
func TestHoverNamesCallersByTime(t *testing.T) {
	l := newLab(parkCosts)
	l.source, l.alter = record.NoEnergy, calling
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	want := "75.0 %, `example.com/park.oldest` 20.0 %, tests and what is not measured 5.0 % (of its running time with callees)."
	if got := e.Hover(parkGo, "Add(c").Contents.Value; !strings.Contains(got, want) {
		t.Errorf("the hover has no %q:\n%s", want, got)
	}
}

// The end of a hover says how far measuring changed the program, where that was looked at.
func TestHoverSaysHowCalmTheRunWas(t *testing.T) {
	l := newLab(parkCosts)
	var calm *record.Calmness
	l.alter = func(run *record.Run) { run.PeriodMS, run.Calmness = 4, calm }
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	if got := e.Hover(parkGo, "Add(c").Contents.Value; strings.Contains(got, "Calmness") {
		t.Errorf("nobody looked how calm the run was:\n%s", got)
	}
	calm = &record.Calmness{
		Verdict: "disturbed", Rounds: 5, TimeChange: record.Change{Relative: 0.125}, CPUChange: record.Change{Relative: 0.2},
		OverTime: new(0.97), OverCores: new(0.9), Others: []record.OtherPeriod{{PeriodMS: 2, Verdict: "disturbed"}},
	}
	measure(t, e)
	want := "Calmness: disturbed: measuring every 4 ms changed its time by +12 % and its CPU time by +20 %; the CPU times of the processors correlate by 0.97 over time and by 0.90 over processors (5 unmeasured rounds; with 2 ms: disturbed)."
	if got := e.Hover(parkGo, "Add(c").Contents.Value; !strings.HasSuffix(strings.ReplaceAll(got, "\\", ""), want) {
		t.Errorf("the hover does not end in %q:\n%s", want, got)
	}
}

// A hover names what takes a function's own time and is not measured. The explanation, which
// diagnostics have too, names it where it is much.
func TestHoverNamesCalleesThatAreNotMeasured(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(run *record.Run) {
		for i := range run.Components {
			c := &run.Components[i]
			c.Callees = []record.Callee{
				{Name: "example.com/z/simd.(*T).Search", Kind: spell.AssemblyCallee, TimeMS: c.TimeMS * 0.75},
				{Name: "runtime.growslice", Kind: spell.RuntimeCallee, TimeMS: c.TimeMS * 0.05},
			}
		}
		ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	}
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	hover := e.Hover(parkGo, "Add(c").Contents.Value
	if want := `Self time in callees that are not measured: simd.(\*T).Search (assembly) 75.0 %, growing slices (runtime.growslice) 5.0 %.`; !strings.Contains(hover, want) {
		t.Errorf("the hover has no %q:\n%s", want, hover)
	}
	if got, want := e.Diagnostics(parkGo)[0].Message, "75.0 % of the self time is in simd.(*T).Search (assembly)."; !strings.Contains(got, want) {
		t.Errorf("the diagnostic has no %q: %s", want, got)
	}
}

// Who allocates causes the collector's work: a hover says so, and a lens where that is much.
func TestAllocationsInHoverAndLens(t *testing.T) {
	l := newLab(parkCosts)
	caused := 0.05
	l.alter = func(run *record.Run) {
		run.Tests[0].AllocBytes, run.Tests[0].EnergyJ = 1e9, record.Energy{spell.CPU: 1.2}
		for i := range run.Components {
			if c := &run.Components[i]; strings.HasSuffix(c.ID, ".Add") {
				c.AllocBytes, c.AllocObjects, c.CausedMS, c.CausedJ = 0.61e9, 1e6, 12, record.Energy{spell.CPU: caused}
			}
		}
	}
	e, _, parkGo := openPark(t, l)
	for _, test := range []struct {
		caused float64
		says   string
		lens   bool
	}{{0.05, "llocates 61.0 % of the bytes: 50.0 mJ of collecting (estimated)", true}, {0.0001, "llocates 61.0 % of the bytes: 100 µJ of collecting (estimated)", false}} {
		caused = test.caused
		measure(t, e)
		if got := e.Hover(parkGo, "Add(c").Contents.Value; !strings.Contains(got, "A"+test.says+".") {
			t.Errorf("the hover does not say %q:\n%s", test.says, got)
		}
		if got := e.Hover(parkGo, "oldest(cars").Contents.Value; strings.Contains(got, "llocates") {
			t.Errorf("the hover on a function that allocates nothing:\n%s", got)
		}
		lenses := ""
		for _, lens := range e.Lenses(parkGo) {
			lenses += lens.Command.Title + "\n"
		}
		if got := strings.Contains(lenses, "a"+test.says); got != test.lens {
			t.Errorf("with %g J caused, the lens says so: %v\n%s", test.caused, got, lenses)
		}
	}
}

// Energy from a file that does not name its origin is called neither measured nor estimated,
// neither in diagnostics, nor in lenses, nor in hovers.
func TestUnknownOrigin(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(run *record.Run) {
		run.Meter = record.FromMatrix(&spell.Matrix{Domains: run.Meter.Domains}, "").Meter
		ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	}
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	hover := e.Hover(parkGo, "Add(c").Contents.Value
	for _, got := range []string{e.Diagnostics(parkGo)[0].Message, e.Lenses(parkGo)[0].Command.Title, hover} {
		if !strings.Contains(got, "600 mJ of unknown origin") || strings.Contains(got, " estimated") && !strings.Contains(got, "measured or estimated") {
			t.Errorf("the text must say that the origin is unknown: %q", got)
		}
	}
	if want := "Energy of a file that does not say whether it was measured or estimated, read 2026-11-10 18:00 UTC"; !strings.Contains(hover, want) {
		t.Errorf("the hover has no %q:\n%s", want, hover)
	}
}

// The energy of a domain that is known only by test is in no figure of a function, and the
// hover says why.
func TestHoverOfDomainKnownByTest(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(run *record.Run) {
		run.Meter.Name, run.Meter.Domains = "model,disk", append(run.Meter.Domains, spell.Disk)
		ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	}
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	got := e.Hover(parkGo, "Add(c").Contents.Value
	if want := "The energy of disk is known by test only, as bytes are not counted by function"; !strings.Contains(got, want) {
		t.Errorf("the hover has no %q:\n%s", want, got)
	}
	if lens := e.Lenses(parkGo)[0].Command.Title; strings.Contains(lens, "disk") || strings.Contains(got, "E(disk)") {
		t.Errorf("a similarity of the disk is shown: %s\n%s", lens, got)
	}
}

// If the meter knows no energy of functions at all, the shares are shares of time.
func TestHoverWithoutFunctionEnergy(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(run *record.Run) {
		run.Meter.Name, run.Meter.Domains = "disk", []spell.Domain{spell.Disk}
		var cells []record.Cell
		for i := range run.Matrix.Cells {
			cells = append(cells, run.Matrix.Cell(i))
		}
		run.Matrix = record.MatrixOf([]spell.Domain{}, cells...)
		for i := range run.Components {
			run.Components[i].EnergyJ, run.Components[i].CumEnergyJ, run.Components[i].EnergyCI = nil, nil, nil
		}
		for i := range run.Tests {
			run.Tests[i].EnergyJ, run.Tests[i].UnattributedJ = record.Energy{spell.Disk: 1}, record.Energy{spell.Disk: 1}
		}
		ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	}
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	for _, got := range []string{e.Hover(parkGo, "Add(c").Contents.Value, e.Lenses(parkGo)[0].Command.Title} {
		if !strings.Contains(got, "energy unknown") || strings.Contains(got, " J") {
			t.Errorf("energy of a function is shown: %s", got)
		}
	}
}

// If child processes, or goroutines of ended tests, used much, the hover of the functions of
// these tests says how much.
func TestHoverOfChildProcesses(t *testing.T) {
	for _, test := range []struct {
		why    string
		part   record.Part
		Joules float64
		ms     float64
		source record.Source
		want   string
	}{
		{"goroutines", record.Strays, 0.5, 400, record.Estimated, "Goroutines of ended tests used 500 mJ estimated in 400 ms of CPU time, which is in no function."},
		{"much", record.Children, 0.5, 400, record.Estimated, "Child processes of these tests used 500 mJ estimated in 400 ms of CPU time, which is in no function."},
		{"no energy is known", record.Children, 0, 400, record.NoEnergy, "Child processes of these tests used 400 ms of CPU time, which is in no function."},
		{"next to nothing", record.Children, 1e-6, 1e-3, record.Estimated, ""},
	} {
		t.Run(test.why, func(t *testing.T) {
			l := newLab(parkCosts)
			l.source = test.source
			l.alter = func(run *record.Run) {
				part := record.Unattributed{TimeMS: test.ms}
				if test.Joules > 0 {
					part.EnergyJ = record.Energy{spell.CPU: test.Joules}
				}
				run.Tests[0].Unattributed = map[record.Part]record.Unattributed{test.part: part}
				run.Tests[0].TimeMS = 1000
			}
			e, _, parkGo := openPark(t, l)
			measure(t, e)
			got := e.Hover(parkGo, "Add(c").Contents.Value
			if test.want == "" && strings.Contains(got, "Child processes") || !strings.Contains(got, test.want) {
				t.Errorf("the hover has no %q:\n%s", test.want, got)
			}
		})
	}
}

// A hover shows the 95 % intervals of energy, psi and rank.
func TestHoverSaysHowWellValuesAreKnown(t *testing.T) {
	l := newLab(parkCosts)
	l.source = record.Measured
	l.alter = func(run *record.Run) {
		c := &run.Components[0]
		c.EnergyCI, c.RankCI, c.Tied = map[spell.Domain][2]float64{spell.CPU: {0.55, 0.65}}, [2]int{1, 2}, true
	}
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	want := "energy of cpu 550 mJ to 650 mJ (95 %), psi 0.1000 to 0.2000 (95 %), rank 1 to 2 (95 %), tied with a neighbour in the ranking"
	if got := e.Hover(parkGo, "Add(c").Contents.Value; !strings.Contains(got, want) {
		t.Errorf("the hover has no %q:\n%s", want, got)
	}
}

// Of a program whose energy is measured, a hover says what a function draws while it runs, against
// the program's mean; an estimate has one power for all, so nothing is said.
func TestHoverSaysThePower(t *testing.T) {
	for source, shown := range map[record.Source]bool{record.Measured: true, record.Estimated: false} {
		l := newLab(parkCosts)
		l.source = source
		l.alter = func(run *record.Run) {
			run.Mode = "instrument"
			for i := range run.Components {
				c := &run.Components[i]
				c.TimeMS, c.EnergyCI = 100, map[spell.Domain][2]float64{spell.CPU: {0.9 * c.EnergyJ[spell.CPU], 1.1 * c.EnergyJ[spell.CPU]}}
			}
		}
		e, _, parkGo := openPark(t, l)
		measure(t, e)
		const want = "6.00 W while it runs (5.40 W to 6.60 W, 95 %), 3.12 times the program's mean"
		if got := e.Hover(parkGo, "Add(c").Contents.Value; strings.Contains(got, want) != shown {
			t.Errorf("%s: the hover has the power %q, or has not, wrongly:\n%s", source, want, got)
		}
	}
}

// A program may have thousands of tests and a function many callers: the hover
// shows the first ones and says how many there are.
func TestHoverIsShort(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(run *record.Run) {
		for i := range 15 {
			run.Tests = append(run.Tests, record.Test{Name: "p.T" + strings.Repeat("x", i+1), Outcome: record.Fail})
			run.Matrix.Add(record.Cell{T: i + 1, C: 0, N: 1, TimeMS: float64(i), EnergyJ: record.Energy{spell.CPU: float64(i)}})
		}
		run.CallTree = nil
		for i := range 8 {
			run.Components = append(run.Components, record.Component{ID: "q.F" + strings.Repeat("y", i), Kind: spell.KindFunction})
			run.CallTree = append(run.CallTree,
				record.CallNode{Parent: -1, Component: len(run.Components) - 1}, record.CallNode{Parent: 2 * i, Component: 0, TimeMS: float64(8 - i)})
		}
	}
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	got := e.Hover(parkGo, "Add(c").Contents.Value
	for _, want := range []string{
		"| `p.Txxxxxxxxxxxxxxx` (fail) | 14.0 J estimated | 1 | 14.0 ms |\n", "| and 6 more |", "`q.Fyyyy` 11.1 %, and 3 more (of its energy",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the hover has no %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "`p.Txxxxx` ") || strings.Contains(got, "q.Fyyyyy`") {
		t.Errorf("the hover lists too much:\n%s", got)
	}
}

// The callers of a stack that was cut are unknown. Shares are nevertheless shares of everything
// that the function used.
func TestHoverOfCutStacks(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(run *record.Run) {
		calling(run)
		run.CallTree = append(run.CallTree, record.CallNode{Parent: -1, Component: run.CallTree[1].Component, TimeMS: 60, Cut: true})
	}
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	want := "Called by: `example.com/park.sortÄ` 37.5 %, `example.com/park.oldest` 10.0 %, tests and what is not measured 2.5 % (of its energy with callees)."
	if got := e.Hover(parkGo, "Add(c").Contents.Value; !strings.Contains(got, want) {
		t.Errorf("the hover has no %q:\n%s", want, got)
	}
}

// A hover says what a function used under each of its callers: fitted with power and interval, or by time
// and why. The parts are its 600 mJ. Where a measurement did not try to fit, it says nothing of it.
func TestHoverUnderCallers(t *testing.T) {
	const heading = "Own energy under its callers: "
	alike := record.CallNode{ByTime: record.Alike}
	for _, test := range []struct {
		name              string
		underSort, others record.CallNode // their powers
		want              string
	}{
		{"fitted", record.CallNode{Power: 1.5, PowerCI: [2]float64{1.25, 1.75}}, record.CallNode{ByTime: record.Few},
			heading + "`example.com/park.sortÄ` 491 mJ estimated (fitted, 10.9 W, 409 mJ to 573 mJ), `example.com/park.oldest` 87.3 mJ estimated (by time: too few samples), tests and what is not measured 21.8 mJ estimated (by time: too few samples)."},
		{"no caller differs", alike, alike,
			heading + "`example.com/park.sortÄ` 450 mJ estimated (by time: no difference shown), `example.com/park.oldest` 120 mJ estimated (by time: no difference shown), tests and what is not measured 30.0 mJ estimated (by time: no difference shown)."},
		{"not tried", record.CallNode{}, record.CallNode{}, ""},
	} {
		l := newLab(parkCosts)
		l.alter = func(run *record.Run) {
			calling(run)
			for i := range run.CallTree {
				n := &run.CallTree[i]
				if !strings.HasSuffix(run.Components[n.Component].ID, "Add") {
					continue
				}
				like := test.others
				if n.Parent == 0 {
					like = test.underSort
				}
				n.Power, n.PowerCI, n.ByTime = like.Power, like.PowerCI, like.ByTime
			}
		}
		e, _, parkGo := openPark(t, l)
		measure(t, e)
		got := e.Hover(parkGo, "Add(c").Contents.Value
		if !strings.Contains(got, test.want) || (test.want == "") == strings.Contains(got, heading) {
			t.Errorf("%s: the hover does not say %q:\n%s", test.name, test.want, got)
		}
	}
}

// If a client announces that it shows diagnostics above hovers, the hover omits the sentence of
// the diagnostic, unless there is no diagnostic.
func TestHoverBelowADiagnostic(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts))
	measure(t, e)
	place := e.Diagnostics(parkGo)[0].Range.Start
	_, why, _ := strings.Cut(e.Diagnostics(parkGo)[0].Message, ": ")
	hover := func(e *lsptest.Editor, parkGo string, shown any) string {
		t.Helper()
		reply := e.MustCall("textDocument/hover", map[string]any{
			"textDocument": map[string]any{"uri": lsptest.URI(parkGo)}, "position": place, "diagnosticsShown": shown,
		})
		var h lsptest.Hover
		if err := json.Unmarshal(reply, &h); err != nil {
			t.Fatal(err)
		}
		return h.Contents.Value
	}
	for _, shown := range []any{false, nil, "true"} {
		if got := hover(e, parkGo, shown); !strings.Contains(got, why) {
			t.Errorf("diagnosticsShown is %v: the hover has no %q:\n%s", shown, why, got)
		}
	}
	got := hover(e, parkGo, true)
	if strings.Contains(got, why) || strings.Contains(got, "\n\n\n") {
		t.Errorf("the hover repeats %q:\n%s", why, got)
	}
	e, _, parkGo = openPark(t, newLab(parkCosts), func(e *lsptest.Editor) {
		e.Options = map[string]any{"severity": map[string]any{"red": "off"}}
	})
	measure(t, e)
	if got := hover(e, parkGo, true); !strings.Contains(got, why) {
		t.Errorf("without a diagnostic the hover has no %q:\n%s", why, got)
	}
}

// For a client that renders tables without a gap between the columns, the tables have spaces.
func TestHoverWithSpacedTables(t *testing.T) {
	e, _, parkGo := openPark(t, newLab(parkCosts), func(e *lsptest.Editor) { e.Options = map[string]any{"spacedTables": true} })
	measure(t, e)
	if got, want := e.Hover(parkGo, "Add(c").Contents.Value, "|  | &emsp;energy | &emsp;time |\n| :-- | --: | --: |\n| self | &emsp;600 mJ"; !strings.Contains(got, want) {
		t.Errorf("the hover has no %q:\n%s", want, got)
	}
}

// The hover of a function says which bytes it moved, and has its energy of the disk among its
// similarities.
func TestHoverOfMovedBytes(t *testing.T) {
	l := newLab(parkCosts)
	l.alter = func(run *record.Run) {
		run.Meter.Name, run.Meter.Domains = "model,disk", append(run.Meter.Domains, spell.Disk)
		var cells []record.Cell
		for i := range run.Matrix.Cells {
			c := run.Matrix.Cell(i)
			c.EnergyJ[spell.Disk] = 0
			if c.C == 0 {
				c.EnergyJ[spell.Disk] = 0.125
			}
			cells = append(cells, c)
		}
		run.Matrix = record.MatrixOf(run.Meter.Domains, cells...)
		for i := range run.Components {
			run.Components[i].EnergyJ[spell.Disk] = 0
		}
		run.Components[0].EnergyJ[spell.Disk] = 0.125
		run.Components[0].Bytes = record.Bytes{WrittenBytes: 67_108_864, SentBytes: 12}
		ranking.Analyze(run, spell.Options{Order: spell.OrderAuto}, false)
	}
	e, _, parkGo := openPark(t, l)
	measure(t, e)
	got := e.Hover(parkGo, "Add(c").Contents.Value
	for _, want := range []string{"In a round, its own code wrote 67.1 MB of files, and sent 12 B over networks and loopback.", "E(disk) 100.0 %"} {
		if !strings.Contains(got, want) {
			t.Errorf("the hover has no %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "divided by CPU time") || strings.Contains(got, "known by test only") {
		t.Errorf("the hover doubts the energy of the disk:\n%s", got)
	}
	if other := e.Hover(parkGo, "sortÄ(").Contents.Value; strings.Contains(other, "its own code") {
		t.Errorf("a function that moved nothing has bytes:\n%s", other)
	}
}
