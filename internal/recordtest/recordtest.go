// Package recordtest has runs for the tests of what is written of them: each with
// what a writer may stumble over.
package recordtest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/validity"
	"spell-lsp/spell/wording"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Module is that of the runs.
const Module = "example.com/park"

// Park is a measured run of five functions and four tests, which was analysed: with a
// call tree that does not have all of them, a test that failed, and one that was
// skipped.
func Park() *record.Run {
	domains := []spell.Domain{spell.CPU, spell.DRAM}
	r := &record.Run{
		Schema: record.Schema, ID: "20261120T180000Z-3f9a", DurationMS: 83_400, Started: time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC),
		Workspace: record.Workspace{Root: ".", Module: Module, Revision: "4f1c2aa", Dirty: true},
		Host:      record.Host{OS: "linux", Arch: "amd64", CPU: "AMD EPYC 7B13", Cores: 2, Virtual: true, Go: "go1.26.8"},
		Meter:     record.Meter{Name: "rapl", Source: record.Measured, Domains: domains, ResolutionMS: 1, IdleW: 5.25},
		Mode:      "instrument", Granularity: spell.KindFunction, Rounds: 10, Converged: true,
		Tests: []record.Test{
			{Name: Module + ".TestMany", Outcome: record.Pass, Rounds: 10, Package: Module, EnergyJ: Joules(6, 1), TimeMS: 820, UnattributedJ: Joules(2, 0.5),
				Unattributed: map[record.Part]record.Unattributed{
					record.Idle:      {EnergyJ: Joules(1.5, 0.25)},
					record.Collector: {TimeMS: 31.5, EnergyJ: Joules(0.5, 0.125)},
				}},
			{Name: Module + ".TestFew/one_by_one", Outcome: record.Pass, Rounds: 10, Package: Module, EnergyJ: Joules(0.02, 0), TimeMS: 12.5, UnattributedJ: Joules(0.01, 0)},
			{Name: Module + "/gate.TestOpen", Outcome: record.Fail, Rounds: 10, Package: Module + "/gate", EnergyJ: Joules(0.000105, 0), TimeMS: 0.04, UnattributedJ: Joules(0.000004, 0),
				Output: "--- FAIL: TestOpen (0.00s)\n    gate_test.go:9: the gate is closed\n"},
			{Name: Module + ".TestWindows", Outcome: record.Skip, Rounds: 10, Package: Module},
		},
		Components: []record.Component{
			function(Module, "(*Park).Add", "park.go", 21), function(Module, "(*Park).Oldest", "park.go", 40),
			function(Module, "(*Park).Sort", "park.go", 58), function(Module+"/gate", "Open", "gate/gate.go", 7),
			function(Module, "init.0", "park.go", 10),
		},
		CallTree: []record.CallNode{
			{Parent: -1, Component: 1, TimeMS: 200},
			{Parent: 0, Component: 2, TimeMS: 300},
			{Parent: 1, Component: 1, TimeMS: 80},
			{Parent: -1, Component: 2, TimeMS: 100, Cut: true},
		},
		Matrix: record.MatrixOf(domains,
			record.Cell{T: 0, C: 0, N: 400, TimeMS: 110, EnergyJ: Joules(1, 0.1)},
			record.Cell{T: 0, C: 1, N: 20, TimeMS: 280, EnergyJ: Joules(1.4, 0.2)},
			record.Cell{T: 0, C: 2, N: 10, TimeMS: 400, EnergyJ: Joules(1.6, 0.2)},
			record.Cell{T: 1, C: 0, N: 6, TimeMS: 4, EnergyJ: Joules(0.01, 0)},
			record.Cell{T: 2, C: 3, N: 2.5, TimeMS: 0.03, EnergyJ: Joules(0.000101, 0)},
		),
	}
	return Analyzed(r)
}

// Check reports what makes a measured run invalid, and parts that do not add up to the counter within
// half a percent.
func Check(t *testing.T, run *record.Run) {
	t.Helper()
	if err := validity.Run(run); err != nil {
		t.Error(err)
	}
	if worst := run.Imbalance(); worst > 0.005 {
		t.Errorf("components and parts differ from the counter by %g", worst)
	}
}

// Joules are energies of the domains of Park.
func Joules(cpu, dram float64) record.Energy {
	return record.Energy{spell.CPU: cpu, spell.DRAM: dram}
}

func function(pkg, name, file string, line int) record.Component {
	return record.Component{ID: pkg + "." + name, Kind: spell.KindFunction, Package: pkg, File: file, Line: line, Column: 6, EndLine: line + 9, Hash: "0123456789abcdef"}
}

// Analyzed sets the components' values to the sums of their cells, and ranks them.
func Analyzed(r *record.Run) *record.Run {
	for i := range r.Components {
		r.Components[i].N, r.Components[i].TimeMS, r.Components[i].EnergyJ = 0, 0, make(record.Energy)
	}
	for k, cell := range r.Matrix.Cells {
		c := &r.Components[cell.Component]
		c.N, c.TimeMS = c.N+cell.N, c.TimeMS+cell.TimeMS
		for d, e := range r.Matrix.Energy(k) {
			c.EnergyJ[d] += e
		}
	}
	ranking.Analyze(r, spell.Options{Order: spell.OrderAuto}, false)
	return r
}

// Failing is Park with a failed test that used far more than all others: of each of the
// first two by rank, 100 J in 100 executions, and 50 J that belong to no component. Their
// interval is that of all tests.
func Failing() *record.Run {
	r := Park()
	for c := range 2 {
		r.Components[c].EnergyCI = map[spell.Domain][2]float64{spell.CPU: {90, 110}}
		r.Matrix.Add(record.Cell{T: 2, C: c, N: 100, TimeMS: 5000, EnergyJ: Joules(100, 0)})
	}
	r.Tests[2].EnergyJ, r.Tests[2].UnattributedJ = Joules(250, 0), Joules(50, 0)
	Analyzed(r)
	calltree.Set(r, r.CallTree) // its times are those of all tests
	return r
}

// Estimated is Park as a model has it, with one domain.
func Estimated() *record.Run {
	r := Park()
	r.Meter = record.Meter{Name: "model", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}, ResolutionMS: 10,
		Warnings: []string{"the power of this processor is not known, 15 W a core is assumed"}}
	restrict(r)
	return Analyzed(r)
}

// Disk is Estimated with the energy of a disk, which is known by test only.
func Disk() *record.Run {
	r := Estimated()
	r.Meter.Name, r.Meter.Domains = "model,disk", []spell.Domain{spell.CPU, spell.Disk}
	for i := range r.Tests {
		t, joules := &r.Tests[i], 0.25*float64(i+1)
		if t.Outcome == record.Skip {
			continue
		}
		t.EnergyJ[spell.Disk], t.UnattributedJ[spell.Disk] = joules, joules
		if t.Unattributed != nil {
			t.Unattributed[record.NotByFunction] = record.Unattributed{EnergyJ: record.Energy{spell.Disk: joules}}
		}
	}
	return Analyzed(r)
}

// NoEnergy is Park where there is no meter.
func NoEnergy() *record.Run {
	r := Park()
	r.Meter = record.Meter{Name: "none", Source: record.NoEnergy}
	for i := range r.Tests {
		r.Tests[i].Unattributed = nil
	}
	restrict(r)
	return Analyzed(r)
}

// restrict leaves the run the domains of its meter.
func restrict(r *record.Run) {
	var cells []record.Cell
	for i := range r.Matrix.Cells {
		cells = append(cells, r.Matrix.Cell(i))
	}
	r.Matrix = record.MatrixOf(r.Meter.Domains, cells...)
	for i := range r.Tests {
		t := &r.Tests[i]
		t.EnergyJ, t.UnattributedJ = only(r.Meter.Domains, t.EnergyJ), only(r.Meter.Domains, t.UnattributedJ)
		for name, part := range t.Unattributed {
			part.EnergyJ = only(r.Meter.Domains, part.EnergyJ)
			t.Unattributed[name] = part
		}
	}
}

func only(domains []spell.Domain, e record.Energy) record.Energy {
	kept := make(record.Energy)
	for _, d := range domains {
		kept[d] = e[d]
	}
	return kept
}

// Partial is Park after an interruption in the first round, with a component below
// resolution.
func Partial() *record.Run {
	r := Park()
	r.Partial, r.Rounds, r.Converged = true, 1, false
	r.Warnings = []string{"it was interrupted in round 1"}
	for i := range r.Components {
		r.Components[i].BelowResolution = r.Components[i].Line == 7
	}
	return r
}

// Hostile is Park with names that mean something to terminals, Markdown, HTML, XML
// and shells, and that are no UTF-8.
func Hostile() *record.Run {
	r := Park()
	r.Workspace.Module = "mod\x1b]0;title\a\"|`<b>"
	r.Tests[0].Name = "t\t1|`<script>alert(1)</script>]]>\x00"
	r.Tests[1].Name = "\xff\"quoted\"\\n\n2"
	r.Tests[2].Output = "]]>\x1b[31m<failure/>\xff\n"
	for i, name := range []string{"a.\x1b[31mred\x1b[0m", "b.\u202egnp.exe\x00\xff", "c|d`e`<img src=x>&amp;", `d"q"\`, "e\nf ::error::g"} {
		r.Components[i].ID = name
	}
	first := &r.Components[0]
	first.Callees = []record.Callee{{Name: "a/\x1b[31m`<b>|\xff", Package: "a", Kind: spell.AssemblyCallee, TimeMS: first.TimeMS, EnergyJ: first.EnergyJ}}
	first.Explanation += " " + wording.Callee(first.Callees[0].Name, first.Callees[0].Kind)
	r.Components[0].File, r.Components[1].File = "a b/ü#?.go", "../x\n\"<y>.go"
	r.Components[2].Package = "p\"\\\n{}"
	r.Warnings = []string{"w\x1b[1m | <b>1</b>"}
	return r
}

// Empty is a run in which nothing ran.
func Empty() *record.Run {
	domains := []spell.Domain{spell.CPU}
	return Analyzed(&record.Run{Schema: record.Schema, Granularity: spell.KindFunction, Meter: record.Meter{Name: "rapl", Source: record.Measured, Domains: domains}, Matrix: record.MatrixOf(domains)})
}

// All are the runs above by name: writers must stumble over none.
func All() map[string]func() *record.Run {
	return map[string]func() *record.Run{
		"measured": Park, "estimated": Estimated, "none": NoEnergy, "partial": Partial, "hostile": Hostile, "empty": Empty, "disk": Disk, "scenarios": Scenarios,
	}
}

// Golden compares what was written with a file below testdata. The flag -update of
// the test writes the file.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}
