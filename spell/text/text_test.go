package text_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/footprint"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/text"
)

const module = "example.com/park"

// park is a run with everything a page can show, before the analysis.
func park() *record.Run {
	r := &record.Run{
		ID: "20261120T180000Z-3f9a", DurationMS: 83_400, Started: time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC),
		Workspace: record.Workspace{Root: ".", Module: module, Revision: "4f1c2aa", Dirty: true},
		Host:      record.Host{OS: "linux", Arch: "amd64", CPU: "AMD EPYC 7B13", Cores: 2, Virtual: true, Go: "go1.26.8"},
		Meter:     record.Meter{Name: "rapl", Source: record.Measured, Domains: []spell.Domain{spell.CPU, spell.DRAM}, ResolutionMS: 1, IdleW: 5.25},
		Mode:      "instrument", Granularity: spell.KindFunction, Rounds: 10, Converged: true,
		Tests: []record.Test{
			{Name: module + ".TestMany", Outcome: record.Pass, Rounds: 10, EnergyJ: joules(6, 1), TimeMS: 820, UnattributedJ: joules(2, 0.5)},
			{Name: module + ".TestFew/one_by_one", Outcome: record.Pass, Rounds: 10, EnergyJ: joules(0.02, 0), TimeMS: 12.5, UnattributedJ: joules(0.01, 0)},
			{Name: module + "/gate.TestOpen", Outcome: record.Pass, Rounds: 10, EnergyJ: joules(0.000105, 0), TimeMS: 0.04, UnattributedJ: joules(0.000004, 0)},
			{Name: module + ".TestWindows", Outcome: record.Skip, Rounds: 10},
		},
		Components: []record.Component{
			function(".(*Park).Add", "park.go", 21), function(".(*Park).Oldest", "park.go", 40),
			function(".(*Park).Sort", "park.go", 58), function("/gate.Open", "gate/gate.go", 7), function(".init.0", "park.go", 10),
		},
		Matrix: record.MatrixOf([]spell.Domain{spell.CPU, spell.DRAM}, []record.Cell{
			{T: 0, C: 0, N: 400, TimeMS: 110, EnergyJ: joules(1, 0.1)},
			{T: 0, C: 1, N: 20, TimeMS: 280, EnergyJ: joules(1.4, 0.2)},
			{T: 0, C: 2, N: 10, TimeMS: 400, EnergyJ: joules(1.6, 0.2)},
			{T: 1, C: 0, N: 6, TimeMS: 4, EnergyJ: joules(0.01, 0)},
			{T: 2, C: 3, N: 2.5, TimeMS: 0.03, EnergyJ: joules(0.000101, 0)},
		}...),
	}
	return r
}

func joules(cpu, dram float64) record.Energy {
	return record.Energy{spell.CPU: cpu, spell.DRAM: dram}
}

func function(name, file string, line int) record.Component {
	return record.Component{ID: module + name, Kind: spell.KindFunction, Package: module, File: file, Line: line}
}

// page is the full page.
func page(t *testing.T, r *record.Run, o text.Options) string {
	t.Helper()
	o.Full = true
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
	return shown(t, r, o)
}

func shown(t *testing.T, r *record.Run, o text.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := text.Write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Why: psys holds the joules of the domains. It must be seen, and seen to be in no sum; runs without it have no line of it.
func TestCountersBesideTheDomains(t *testing.T) {
	r := park()
	without := page(t, r, text.Options{})
	r.Meter.Separate = []string{"psys", "package-1"}
	for i := range r.Tests {
		r.Tests[i].SeparateJ = map[string]float64{"psys": 3, "package-1": 0.5625}
	}
	with := page(t, r, text.Options{})
	line := "counters   psys 12.0 J, package-1 2.25 J in one round (they overlap with the domains above: no sum\n           has them)\n"
	if rest := strings.Replace(with, line, "", 1); rest != without || !strings.Contains(with, line) {
		t.Errorf("counters change more than one line of the page (-without +with):\n%s", cmp.Diff(without, with))
	}
	delete(r.Tests[1].SeparateJ, "psys")
	if got := page(t, r, text.Options{}); !strings.Contains(got, "counters   package-1 2.25 J in one round (") {
		t.Errorf("the sum of a counter that is not known of all tests is shown:\n%s", got)
	}
}

func estimated(r *record.Run) {
	r.Meter = record.Meter{Name: "model", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}, ResolutionMS: 10,
		Warnings: []string{"the power of this processor is not known, 15 W a core is assumed"}}
	for i := range r.Tests {
		withoutDRAM(r.Tests[i].EnergyJ, r.Tests[i].UnattributedJ)
	}
	restrict(r)
}

// restrict leaves the matrix the domains of the meter.
func restrict(r *record.Run) {
	var cells []record.Cell
	for i := range r.Matrix.Cells {
		cells = append(cells, r.Matrix.Cell(i))
	}
	r.Matrix = record.MatrixOf(r.Meter.Domains, cells...)
}

func withoutDRAM(energies ...record.Energy) {
	for _, e := range energies {
		delete(e, spell.DRAM)
	}
}

func noEnergy(r *record.Run) {
	r.Meter = record.Meter{Name: "none", Source: record.NoEnergy}
	for i := range r.Tests {
		r.Tests[i].EnergyJ, r.Tests[i].UnattributedJ = nil, nil
	}
	restrict(r)
}

// withCallees says of every cell that it and its callees used twice as much.
func withCallees(r *record.Run) {
	m := &r.Matrix
	for _, c := range m.Cells {
		m.CumTimeMS = append(m.CumTimeMS, 2*c.TimeMS)
	}
	for _, e := range m.EnergyJ {
		m.CumEnergyJ = append(m.CumEnergyJ, 2*e)
	}
}

func uncertain(r *record.Run) {
	for i, ci := range [][2]float64{{0.62, 0.83}, {0.1, 0.17}, {0.08, 0.13}, {0, 0.00001}} {
		r.Components[i].PsiCI = ci
	}
	r.Components[3].BelowResolution = true
	r.DroppedRounds, r.Converged = 2, false
}

// detailed has all that a sampler and a model of the watts can tell.
func detailed(r *record.Run) {
	r.Seed, r.DroppedRounds = 2718281828, 12
	r.Dropped = []record.Dropped{{Round: 3, Cause: "one of the costliest (--drop 2)"}, {Round: 4, Cause: "steal 2.5 %"}, {Round: 7, Cause: "one of the costliest (--drop 2)"}}
	for i := range 9 {
		r.Dropped = append(r.Dropped, record.Dropped{Round: 10 + i, Cause: "the machine was suspended"})
	}
	r.Meter.Quality, r.Meter.GapP99MS, r.Meter.SamplerCPU, r.Meter.TimingMS = record.Degraded, 6.5, 0.03, 0.2
	r.Tests[1].Repeats, r.Tests[2].Repeats, r.Tests[2].PerOperation, r.Tests[2].BelowResolution = 26.5, 1234567, true, true
	r.Tests[0].Unattributed = map[record.Part]record.Unattributed{record.Idle: {EnergyJ: joules(1.5, 0.5)}, record.Sampler: {EnergyJ: joules(0.04, 0)}, record.Collector: {EnergyJ: joules(0.46, 0)}}
	for i, c := range []struct {
		psi    [2]float64
		rank   [2]int
		energy float64
		off    [2]float64 // ends of the interval, as shares
	}{{[2]float64{0.62, 0.83}, [2]int{1, 1}, 1.01, [2]float64{0.95, 1.12}}, {[2]float64{0.1, 0.17}, [2]int{2, 3}, 1.4, [2]float64{0.7, 1.1}},
		{[2]float64{0.08, 0.13}, [2]int{2, 3}, 1.6, [2]float64{0.998, 1.002}}, {[2]float64{0, 0.00001}, [2]int{4, 5}, 0.0001, [2]float64{0, 40}}} {
		of := &r.Components[i]
		of.PsiCI, of.RankCI, of.EnergyJ = c.psi, c.rank, joules(c.energy, 0)
		of.EnergyCI = map[spell.Domain][2]float64{spell.CPU: {c.energy * c.off[0], c.energy * c.off[1]}}
	}
	r.Components[3].BelowResolution = true
	r.Warnings = []string{"The rounds drift: later ones cost more (Spearman 0.82)."}
}

// troubled has tests that did not pass, a part that is missing, and warnings.
func troubled(r *record.Run) {
	r.Partial = true
	r.Tests = append(r.Tests,
		record.Test{Name: module + ".TestFull", Outcome: record.Fail, Rounds: 10, ProbeMS: 12, EnergyJ: joules(3, 0), TimeMS: 300, Output: "--- FAIL: TestFull (0.3s)\n    park_test.go:31: the park is full\n\n"},
		record.Test{Name: module + ".TestForever", Outcome: record.Timeout, Rounds: 1, EnergyJ: joules(300, 9), TimeMS: 600_000},
		record.Test{Name: module + ".TestExit", Outcome: record.Crash, Rounds: 1, TimeMS: 0.9, Output: "exit status 3"})
	r.Matrix.Add(record.Cell{T: 4, C: 1, N: 900_000, TimeMS: 290, EnergyJ: joules(3, 0)})
	r.Tests[0].UnattributedJ = joules(1.5, 0.5)
	r.Meter.Warnings = []string{"zone psys covers more than the processor and was left out"}
	r.Warnings = []string{"zone psys covers more than the processor and was left out", "rounds 3 and 7 were dropped: the processor was throttled\nsee the kernel's log"}
}

func unicodeNames(r *record.Run) {
	r.Workspace.Module = "例え.example/公園"
	for i, name := range []string{".(*公園).追加する", ".(*公園).Größe", ".Ağaç", "/e\u0301t\u00e9.Faire", ".init.0"} {
		r.Components[i].ID = r.Workspace.Module + name
		r.Components[i].File = "公園.go"
	}
	r.Tests[0].Name = r.Workspace.Module + ".Test追加"
}

func shortNames(r *record.Run) {
	for i := range r.Components {
		r.Components[i].File = "p.go"
	}
}

func longNames(r *record.Run) {
	r.Components[0].ID = module + "/internal/scheduling/reservation.(*longTermReservationCoordinator).reconcileOutstandingReservations"
	r.Components[0].File = "internal/scheduling/reservation/coordinator.go"
	r.Tests[0].Name = module + "/internal/scheduling/reservation.TestLongTermReservationCoordinator/with_" + strings.Repeat("very_", 12) + "long_name"
}

// hostile has names that would take over the terminal.
func hostile(r *record.Run) {
	r.Workspace.Module = "mod\x1b]0;title\x07"
	r.Host.CPU = "CPU\r\x1b[2J"
	r.Components[0].ID = "a.\x1b[31mred\x1b[0m"
	r.Components[1].ID = "b.\u202egnp.exe\u0000\xff"
	r.Components[2].File = "park.go\nrank 1: nothing"
	r.Components[3].File, r.Components[3].Line = "blank ", 0
	r.Tests[0].Name, r.Tests[1].Outcome = "t\t1\u0085", "pa\x1bss"
	r.Tests[2].Outcome, r.Tests[2].Output = record.Fail, "line\n\x9b31m \u2028 bell\x07"
	r.Warnings = []string{"w\x1b[1m\v1"}
	r.Meter.Name, r.ID, r.Granularity = "m\x1b", "i\x1b", "k\x1b"
}

// Each golden file is a page as it looks; after a change of the look, run
// go test -update and read the difference.
func TestGolden(t *testing.T) {
	for _, test := range []struct {
		name    string
		changes []func(*record.Run)
		options text.Options
		analyze func(*record.Run) // nil = the usual
	}{
		{"measured", nil, text.Options{}, nil},
		{"estimated", []func(*record.Run){estimated}, text.Options{}, nil},
		{"estimated-by-epi", []func(*record.Run){estimated}, text.Options{Sort: "epi"}, nil},
		{"estimated-by-cpu", []func(*record.Run){estimated}, text.Options{Sort: "cpu"}, nil},
		{"none", []func(*record.Run){noEnergy}, text.Options{}, nil},
		{"color", []func(*record.Run){troubled}, text.Options{Color: true}, nil},
		{"uncertain", []func(*record.Run){uncertain}, text.Options{}, nil},
		{"detailed", []func(*record.Run){detailed}, text.Options{}, nil},
		{"detailed-short-names", []func(*record.Run){detailed, shortNames}, text.Options{}, nil},
		{"detailed-long-names", []func(*record.Run){detailed, longNames}, text.Options{}, nil},
		{"troubled", []func(*record.Run){troubled}, text.Options{}, nil},
		{"include-failed", []func(*record.Run){troubled}, text.Options{}, func(r *record.Run) { ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, true) }},
		{"top-2-by-energy", []func(*record.Run){uncertain}, text.Options{Top: 2, Sort: "energy"}, nil},
		{"by-psi", []func(*record.Run){uncertain}, text.Options{}, func(r *record.Run) { ranking.Analyze(r, spell.Options{Order: spell.ByPsi}, false) }},
		{"product-of-sums", nil, text.Options{}, func(r *record.Run) {
			ranking.Analyze(r, spell.Options{Oracle: spell.ProductOfSums, Weights: spell.Weights{spell.CPU: 1}}, false)
		}},
		{"absolute-zones", nil, text.Options{Sort: "dram"}, func(r *record.Run) {
			ranking.Analyze(r, spell.Options{Order: spell.OrderAuto, Zones: spell.ZoneRule{Absolute: true}}, false)
		}},
		{"inclusive", []func(*record.Run){uncertain, withCallees}, text.Options{}, func(r *record.Run) {
			if _, err := ranking.AnalyzeInclusive(r, spell.Options{Order: spell.OrderAuto}, false); err != nil {
				panic(err)
			}
		}},
		{"within", []func(*record.Run){uncertain}, text.Options{Within: "Park"}, nil},
		{"unicode", []func(*record.Run){unicodeNames}, text.Options{}, nil},
		{"long-names", []func(*record.Run){longNames, estimated, uncertain}, text.Options{}, nil},
		{"hostile", []func(*record.Run){hostile}, text.Options{}, nil},
		{"nothing-ran", []func(*record.Run){func(r *record.Run) { r.Components, r.Matrix = nil, record.MatrixOf(r.Meter.Domains) }}, text.Options{}, nil},
		{"no-tests", []func(*record.Run){func(r *record.Run) { r.Components, r.Matrix, r.Tests = nil, record.MatrixOf(r.Meter.Domains), nil }}, text.Options{}, nil},
		{"all-zero", []func(*record.Run){func(r *record.Run) { r.Matrix = record.MatrixOf(r.Meter.Domains) }}, text.Options{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := park()
			for _, change := range test.changes {
				change(r)
			}
			if test.analyze == nil {
				test.analyze = func(r *record.Run) { ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false) }
			}
			test.analyze(r)
			golden(t, test.name+"-first", shown(t, r, test.options))
			test.options.Full = true
			golden(t, test.name, shown(t, r, test.options))
		})
	}
}

// A failed test used far more than all others: neither that nor an interval that has it
// in it stands beside psi.
func TestGoldenFailing(t *testing.T) {
	r := recordtest.Failing()
	r.Components[2].EnergyCI = map[spell.Domain][2]float64{spell.CPU: {0.9, 1.12}}
	golden(t, "failing", shown(t, r, text.Options{Full: true}))
}

// Where programs were measured, no page speaks of tests: it says how they were run, and with
// which exit code they ended.
func TestGoldenPrograms(t *testing.T) {
	for name, run := range map[string]func() *record.Run{"scenarios": recordtest.Scenarios, "service": recordtest.Service} {
		r := run()
		pages := map[string]string{"-first.txt": shown(t, r, text.Options{}), ".txt": shown(t, r, text.Options{Full: true}), ".md": markdown(t, r, nil, text.Options{})}
		for ending, page := range pages {
			recordtest.Golden(t, name+ending, page)
			if strings.Contains(strings.ToLower(page), "test") {
				t.Errorf("%s%s speaks of tests:\n%s", name, ending, page)
			}
		}
	}
}

// A matrix file says nothing about host, workspace or rounds: the page leaves
// out what it does not know.
func TestGoldenMatrixFile(t *testing.T) {
	m := &spell.Matrix{Domains: []spell.Domain{spell.CPU}, Tests: []string{"t1", "t2"}, Components: []spell.Component{{ID: "c1"}, {ID: "c2"}}}
	m.Add(spell.Cell{Test: 0, Component: 0, N: 1, TimeMS: 75}, 0.037)
	m.Add(spell.Cell{Test: 0, Component: 1, N: 2, TimeMS: 102}, 0.061)
	m.Add(spell.Cell{Test: 1, Component: 1, N: 1, TimeMS: 103}, 0.05)
	golden(t, "matrix-file", page(t, record.FromMatrix(m, ""), text.Options{}))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	checkPage(t, got, strings.HasPrefix(name, "color"))
	recordtest.Golden(t, name+".txt", got)
}

// checkPage holds for every page: nothing that a terminal obeys but the
// colours, no tabs, no blanks at the end of a line, no number that is none.
func checkPage(t *testing.T, page string, color bool) {
	t.Helper()
	if !strings.HasSuffix(page, "\n") || strings.HasSuffix(page, "\n\n") {
		t.Errorf("the page does not end in one line break: %q", page[max(0, len(page)-20):])
	}
	for i, line := range strings.Split(page, "\n") {
		if strings.TrimRight(line, " ") != line {
			t.Errorf("line %d ends in blanks: %q", i+1, line)
		}
		if color {
			line = strings.NewReplacer("\x1b[1;31m", "", "\x1b[1;32m", "", "\x1b[1;33m", "", "\x1b[0m", "").Replace(line)
		}
		for _, r := range line {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x2028 {
				t.Errorf("line %d has the character %U: %q", i+1, r, line)
			}
		}
		if strings.Contains(line, "NaN") || strings.Contains(line, "Inf") {
			t.Errorf("line %d has a number that is none: %s", i+1, line)
		}
	}
}

// Colours are an addition: without them the page is the same.
func TestColorAddsOnlyColor(t *testing.T) {
	r := park()
	troubled(r)
	colored := page(t, r, text.Options{Color: true})
	without := strings.NewReplacer("\x1b[1;31m", "", "\x1b[1;32m", "", "\x1b[1;33m", "", "\x1b[0m", "").Replace(colored)
	if diff := cmp.Diff(page(t, r, text.Options{}), without); diff != "" {
		t.Errorf("-plain +colours removed:\n%s", diff)
	}
	for _, want := range []string{"\x1b[1;31mR\x1b[0m", "\x1b[1;33mY\x1b[0m", "\x1b[1;32mG\x1b[0m", "\x1b[1;31mtimeout\x1b[0m"} {
		if !strings.Contains(colored, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestSort(t *testing.T) {
	for by, want := range map[string]string{
		"":       "Sort Oldest Add Open init.0",
		"psi":    "Add Oldest Sort Open init.0",
		"energy": "Sort Oldest Add Open init.0",
		"time":   "Sort Oldest Add Open init.0",
		"n":      "Add Oldest Sort Open init.0",
		"epi":    "Sort Oldest Add Open init.0",
		"cpu":    "Sort Oldest Add Open init.0",
		"dram":   "Sort Oldest Add Open init.0",
	} {
		t.Run(by, func(t *testing.T) {
			var got []string
			for line := range strings.Lines(page(t, park(), text.Options{Sort: by})) {
				for _, name := range []string{"Add", "Oldest", "Sort", "Open", "init.0"} {
					if f := strings.Fields(line); len(f) > 9 && len(f[0]) == 1 && strings.HasSuffix(f[len(f)-2], name) {
						got = append(got, name)
					}
				}
			}
			if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTop(t *testing.T) {
	r := park()
	r.Components = r.Components[:1]
	for i := range 30 {
		r.Components = append(r.Components, function(".F"+strings.Repeat("x", i), "f.go", i+1))
		r.Tests = append(r.Tests, record.Test{Name: module + ".Test" + strings.Repeat("x", i), Outcome: record.Pass, TimeMS: 1})
	}
	r.Matrix.Cells, r.Matrix.EnergyJ = r.Matrix.Cells[:1], r.Matrix.EnergyJ[:2]
	for top, want := range map[int]string{0: "11 more components not shown.", 3: "28 more components not shown.", 30: "1 more component not shown.", 31: "", -1: ""} {
		got := page(t, r, text.Options{Top: top})
		if strings.Contains(got, "not shown.") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("top %d: no %q in\n%s", top, want, got)
		}
	}
}

// A function that is mostly in assembly cannot be made cheaper by looking at its own lines: the
// first screen names the assembly.
func TestFirstScreenNamesCallee(t *testing.T) {
	r := park()
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
	r.Components[2].TimeMS = 400
	r.Components[2].Callees = []record.Callee{{Name: module + "/simd.Search", Package: module + "/simd", Kind: spell.AssemblyCallee, TimeMS: 320}}
	got := strings.Join(strings.Fields(shown(t, r, text.Options{})), " ")
	if want := "80.0 % of the self time is in simd.Search (assembly)."; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// A command that is cut into lines cannot be copied.
func TestFirstScreenKeepsCommandWhole(t *testing.T) {
	r := park()
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
	command := "spell-lsp show --full " + strings.Repeat("a/long/folder/", 9) + "run.json"
	if got := shown(t, r, text.Options{Command: command, Width: 60}); !strings.Contains(got, "\n  "+command+"\n") {
		t.Errorf("the command is not on a line of its own:\n%s", got)
	}
}

func TestUnknownSort(t *testing.T) {
	err := text.Write(&bytes.Buffer{}, park(), text.Options{Sort: "rank"})
	want := `sorting the ranking: there is no order "rank", must be one of psi, energy, time, n, epi, cpu, dram`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteError(t *testing.T) {
	if err := text.Write(brokenPipe{}, park(), text.Options{}); err == nil || err.Error() != "writing the ranking: broken pipe" {
		t.Errorf("got %v", err)
	}
}

// Any record that can be read can be shown.
func FuzzWrite(f *testing.F) {
	for _, change := range []func(*record.Run){uncertain, detailed, troubled, estimated, noEnergy, unicodeNames, longNames} {
		r := park()
		change(r)
		ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
		var b bytes.Buffer
		if err := recordjson.Write(&b, r); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := recordjson.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, o := range []text.Options{{}, {Top: -1, Sort: "epi"}} {
			checkPage(t, shown(t, r, o), false)
		}
	})
}

// Blocks divide what a function's own lines use: where most of it is in one function without a
// probe, there is nothing to see in them.
func TestFirstScreenLooksInsideWhereThatHelps(t *testing.T) {
	src := []byte("package park\n\nfunc Sort(n int) {\n\tfor range n {\n\t\tstep()\n\t}\n}\n")
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "sort.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for calleeMS, want := range map[float64]bool{0: true, 150: true, 320: false} {
		r := park()
		c := &r.Components[2]
		c.File, c.Line, c.Hash, c.TimeMS = "sort.go", 3, gosource.Functions(fset, file, src)[0].Hash, 400
		c.Callees = []record.Callee{{Name: module + "/simd.Search", Package: module + "/simd", Kind: spell.AssemblyCallee, TimeMS: calleeMS}}
		ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
		got := shown(t, r, text.Options{Source: func(string) []byte { return src }})
		if strings.Contains(got, "To look inside, measure with --block") != want {
			t.Errorf("%v ms of 400 are in assembly, and --block is suggested: %t\n%s", calleeMS, !want, got)
		}
	}
}

// Why: other pages show the first screen in these words; a run that lacks something must leave out
// what it lacks, and name nothing that is not there.
func TestWordsOfTheFirstScreen(t *testing.T) {
	executions := func(r *record.Run) {
		r.Meter = record.Meter{Name: "none", Source: record.NoEnergy}
		r.Matrix = record.MatrixOf(nil, record.Cell{T: 0, C: 0, N: 400}, record.Cell{T: 0, C: 1, N: 20})
	}
	for _, tt := range []struct {
		why    string
		change func(*record.Run)
		want   text.First
	}{
		{"executions alone are amounts, not calls", executions, text.First{Amount: "executions", Shares: true, Leaders: []text.Leader{
			{Rank: 1, Share: 400. / 420, Amount: "400"}, {Rank: 2, Share: 20. / 420, Amount: "20"}, {Rank: 3, Amount: "0"},
		}}},
		{"nothing ran", func(r *record.Run) { r.Matrix = record.MatrixOf(nil) }, text.First{Amount: "energy", Shares: true}},
		{"a test failed", func(r *record.Run) {
			executions(r)
			r.Tests[1].Outcome = record.Fail
		}, text.First{Amount: "executions", Shares: true, FailedTitle: "Left out of the ranking, as they did not pass:", Leaders: []text.Leader{
			{Rank: 1, Share: 400. / 420, Amount: "400"}, {Rank: 2, Share: 20. / 420, Amount: "20"}, {Rank: 3, Amount: "0"},
		}}},
	} {
		r := park()
		tt.change(r)
		ranking.Analyze(r, spell.Options{Order: spell.ByEnergy}, false)
		got := text.WordsOf(r, footprint.Rates{}, nil).First
		if got.Headline == "" {
			t.Errorf("%s: there is no headline", tt.why)
		}
		if tt.want.Leaders == nil {
			tt.want.Leaders = []text.Leader{}
		}
		for i := range got.Leaders {
			got.Leaders[i].Reason = ""
		}
		if diff := cmp.Diff(tt.want, text.First{Amount: got.Amount, Shares: got.Shares, FailedTitle: got.FailedTitle, Leaders: got.Leaders}); diff != "" {
			t.Errorf("%s: %s", tt.why, diff)
		}
	}
}

// Why: "tied with a neighbour" does not say with which, and it may be one that is not shown.
func TestTiesOfTheFirstScreen(t *testing.T) {
	r := park()
	ranking.Analyze(r, spell.Options{Order: spell.ByEnergy}, false)
	r.Components[0].Tied, r.Components[0].RankCI = true, [2]int{1, 3}
	r.Components[1].Tied = true
	got := strings.Join(strings.Fields(shown(t, r, text.Options{})), " ")
	for _, want := range []string{"Its rank is uncertain: 1 to 3.", "Tied with a neighbour: either may come first."} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, got)
		}
	}
}

// The full page says how far energy goes with the structure of functions, where enough of them have one.
func TestStructureAndEnergy(t *testing.T) {
	r := recordtest.Park()
	r.Components, r.Matrix, r.CallTree = nil, record.Matrix{Domains: r.Meter.Domains}, nil
	for i := range 10 {
		c := record.Component{ID: fmt.Sprintf("m.F%d", i), Kind: spell.KindFunction, Package: "m", Structure: spell.Structure{Complexity: i + 1, LinesOfCode: 3}}
		r.Components = append(r.Components, c)
		r.Matrix.Add(record.Cell{T: 0, C: i, N: 1, TimeMS: 1, EnergyJ: recordtest.Joules(float64(i*i), 0)})
	}
	recordtest.Analyzed(r)
	var page bytes.Buffer
	if err := text.Write(&page, r, text.Options{Full: true}); err != nil {
		t.Fatal(err)
	}
	if want := "- correlation of energy with complexity: rho 1.00 (95 % interval 1.00 to 1.00), r 0.96, n = 10\n"; !strings.Contains(page.String(), want) {
		t.Errorf("the page does not have %q:\n%s", want, page.String())
	}
	for name, run := range recordtest.All() {
		page.Reset()
		if err := text.Write(&page, run(), text.Options{Full: true}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(page.String(), "Structure and energy") {
			t.Errorf("%s: a run without structures has correlations", name)
		}
	}
}
