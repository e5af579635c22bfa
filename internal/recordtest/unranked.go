package recordtest

import (
	"math"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// Unranked is a run as a runner makes it, before any analysis: two tests that
// passed, one that failed and one that was skipped.
func Unranked() *record.Run {
	return &record.Run{
		Schema: record.Schema, ID: "20261120T180000Z-3f9a", DurationMS: 1234.5,
		Started:     time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC),
		Workspace:   record.Workspace{Root: ".", Module: "example.com/park"},
		Host:        record.Host{OS: "linux", Arch: "amd64", CPU: "A <fast> & small one", Cores: 2, Virtual: true, Go: "go1.26.8"},
		Meter:       record.Meter{Name: "rapl", Source: record.Measured, Domains: []spell.Domain{spell.CPU, spell.DRAM}, ResolutionMS: 1},
		Settings:    map[string]any{"rounds": "auto", "zones": map[string]any{"red": 0.5}},
		Mode:        "instrument",
		Granularity: spell.KindFunction, Rounds: 10, Converged: true,
		Tests: []record.Test{
			{Name: "example.com/park.TestSort", Outcome: record.Pass, Rounds: 10, EnergyJ: Joules(5, 0.5), TimeMS: 40, UnattributedJ: Joules(1, 0.5)},
			{Name: "example.com/park.TestAdd", Outcome: record.Pass, Rounds: 10, EnergyJ: Joules(1, 0), TimeMS: 10},
			{Name: "example.com/park.TestFull", Outcome: record.Fail, Rounds: 10, EnergyJ: Joules(9, 0), TimeMS: 90, Output: "park_test.go:7: full"},
			{Name: "example.com/park.TestLater", Outcome: record.Skip, Rounds: 10},
		},
		Components: []record.Component{
			Function("(*Park).Add", 4), Function("(*Park).Oldest", 9), Function("(*Park).Sort", 14),
		},
		Matrix: record.MatrixOf([]spell.Domain{spell.CPU, spell.DRAM}, []record.Cell{
			{T: 0, C: 2, N: 2, TimeMS: 30, EnergyJ: Joules(4, 0)},
			{T: 1, C: 0, N: 100, TimeMS: 1, EnergyJ: Joules(0.25, 0)},
			{T: 1, C: 2, N: 1, TimeMS: 7, EnergyJ: Joules(0.75, 0)},
			{T: 2, C: 0, N: 1e6, TimeMS: 90, EnergyJ: Joules(9, 0)},
		}...),
	}
}

// Complete is Unranked with everything that a record may also lack.
func Complete() *record.Run {
	r := Unranked()
	r.Rounds, r.DroppedRounds, r.Seed = 2, 1, math.MaxUint32
	r.Dropped = []record.Dropped{{Round: 3, Cause: "steal 2.5 %"}}
	r.PeriodMS, r.Calmness = 2, &record.Calmness{
		Verdict: "calm", Rounds: 5, TimeChange: record.Change{Relative: 0.0125, CI: &[2]float64{-0.0075, 0.0325}}, CPUChange: record.Change{Relative: 0.03},
		OverTime: new(0.97), OverCores: new(0.9), Frequencies: true, Others: []record.OtherPeriod{{PeriodMS: 1, Verdict: "disturbed"}},
	}
	r.Nodes = []record.Node{{Name: "node1", Rounds: 1}, {Name: "node2", Rounds: 1, Deviation: 0.125}}
	meter := &r.Meter
	meter.Quality, meter.GapP99MS, meter.TimingMS, meter.SamplerCPU = record.Degraded, 6.5, 0.25, 0.03
	meter.Root, meter.Separate = "/srv/counters", []string{"psys", "package-0"}
	r.Tests[0].SeparateJ = map[string]float64{"psys": 17.5, "package-0": 3}
	r.Tests[0].Repeats, r.Tests[0].PerOperation, r.Tests[1].BelowResolution = 12.5, true, true
	r.Tests[0].Unattributed = map[record.Part]record.Unattributed{record.Idle: {EnergyJ: Joules(0.5, 0.5)}, record.Sampler: {TimeMS: 2, EnergyJ: Joules(0.5, 0)}}
	r.Tests[0].RoundEnergyJ = map[spell.Domain][]float64{spell.CPU: {4.75, 5.25}, spell.DRAM: {0.5, 0.5}}
	r.Tests[0].RoundTimeMS = []float64{41, 39}
	r.Tests[0].Budgets, r.Tests[0].File, r.Tests[0].Hash = []record.Budget{{Text: "50 J/test", Line: 7}}, "park_test.go", "0123456789abcdef"
	killed := 137
	r.Tests[2].ExitCode = &killed
	m := &r.Matrix
	m.CumTimeMS, m.CumEnergyJ = []float64{31, 1, 7, 90}, []float64{4.5, 0, 0.25, 0, 0.75, 0, 9, 0}
	c := &r.Components[2]
	c.TimeMS, c.EnergyJ, c.PsiCI, c.RankCI = 37, Joules(4.75, 0), [2]float64{0.5, 0.75}, [2]int{1, 2}
	c.EnergyCI = map[spell.Domain][2]float64{spell.CPU: {4.5, 5}, spell.DRAM: {0, 0}}
	c.RoundEnergyJ = map[spell.Domain][]float64{spell.CPU: {4.5, 5}, spell.DRAM: {0, 0}}
	c.RoundTimeMS = []float64{36, 38}
	c.Callees = []record.Callee{
		{Name: "example.com/park.compare", Package: "example.com/park", Kind: spell.AssemblyCallee, TimeMS: 18.5, EnergyJ: Joules(2.375, 0)},
		{Name: "runtime.growslice", Package: "runtime", Kind: spell.RuntimeCallee, TimeMS: 9.25, EnergyJ: Joules(1.1875, 0)},
	}
	c.Bytes = record.Bytes{ReadBytes: 4096, WrittenBytes: 67108864, ReceivedBytes: 1000, SentBytes: 300}
	c.Structure = spell.Structure{Complexity: 4, LinesOfCode: 3, FanIn: 2, FanOut: 1}
	r.StructureAndEnergy = []spell.StructureCorrelation{{Of: "complexity", Components: 42, Spearman: 0.3125, SpearmanCI: [2]float64{0.015625, 0.5625}, Pearson: 0.125}}
	c.LinesHash = "0123456789abcdef"
	c.Budgets = []record.Budget{{Text: "25mJ/call, 2ms/call", Line: 12}, {Text: "1 calls/test", Line: 13}}
	c.ZoneByRule, c.KeptZone, c.KeptEnergyJ, c.KeptTimeMS, c.KeptN = spell.Green, spell.Yellow, 4.5, 36, 2
	c.AllocBytes, c.AllocObjects, c.CausedJ, c.CausedMS = 1<<20, 512, Joules(0.375, 0), 3
	r.Tests[0].AllocBytes, r.Tests[0].AllocObjects = 1<<21, 1024
	c.Lines = []record.Line{
		{Line: 15, TimeMS: 26, EnergyJ: Joules(3.25, 0), Callees: []record.Callee{
			{Name: "example.com/park.less", Package: "example.com/park", Kind: spell.BareCallee, TimeMS: 13, EnergyJ: Joules(1.625, 0)},
		}},
		{Line: 16, TimeMS: 6.5, EnergyJ: Joules(0.8125, 0)},
	}
	r.Groups = []record.Group{
		{Kind: spell.KindGoroutine, ID: record.NotSampled}, {Kind: spell.KindLabel, ID: record.NotSampled},
		{Kind: spell.KindGoroutine, ID: "example.com/park.(*Park).Open", Package: "example.com/park", File: "park.go", Line: 31},
		{Kind: spell.KindGoroutine, ID: record.TestGoroutine}, {Kind: spell.KindLabel, ID: "gate=north"},
	}
	c.SizedCalls = []record.SizedCalls{{Size: "len(cars)", Buckets: []record.SizeBucket{
		{Low: 10, High: 10, Mean: 10, N: 1, TimeMS: 3, CumTimeMS: 4, EnergyJ: Joules(0.375, 0), CumEnergyJ: Joules(0.5, 0)},
		{Low: 96, High: 103, Mean: 100, N: 1, TimeMS: 34, CumTimeMS: 40, EnergyJ: Joules(4.25, 0), CumEnergyJ: Joules(5, 0)},
	}}}
	c.Functions = []record.FunctionTime{{ID: "example.com/park.(*Park).Sort", TimeMS: 24}, {ID: "example.com/park.(*Park).Add", TimeMS: 12.5}}
	c.GroupTime = []record.GroupTime{{Test: 0, Group: 2, TimeMS: 24}, {Test: 0, Group: 3, TimeMS: 12}, {Test: 0, Group: 4, TimeMS: 36}}
	r.CallTree = []record.CallNode{{Parent: -1, Component: 1, Cut: true}, {Parent: 0, Component: 2, TimeMS: 37}}
	r.CallTree[1].Power, r.CallTree[1].PowerCI = 1.25, [2]float64{1.125, 1.375}
	return r
}

// Town has two packages, a type with two methods, and a block.
func Town() *record.Run {
	r := Unranked()
	r.Rounds = 2
	r.Tests = r.Tests[:2]
	shop := record.Component{ID: "example.com/park/shop.Sell", Kind: spell.KindFunction, Package: "example.com/park/shop", File: "shop/shop.go", Line: 3, EndLine: 9, Hash: "11"}
	r.Components = append(r.Components, shop)
	cells := []record.Cell{
		{T: 0, C: 2, N: 2, TimeMS: 30, EnergyJ: Joules(3, 0.5), CumTimeMS: 33, CumEnergyJ: Joules(4, 0.5)},
		{T: 0, C: 0, N: 5, TimeMS: 3, EnergyJ: Joules(1, 0), CumTimeMS: 3, CumEnergyJ: Joules(1, 0)},
		{T: 1, C: 0, N: 100, TimeMS: 1, EnergyJ: Joules(0.25, 0), CumTimeMS: 1, CumEnergyJ: Joules(0.25, 0)},
		{T: 1, C: 3, N: 1, TimeMS: 7, EnergyJ: Joules(0.75, 0), CumTimeMS: 8, CumEnergyJ: Joules(1, 0)},
	}
	r.Matrix = record.MatrixOf(r.Meter.Domains, cells...)
	for i, total := range []record.Component{{N: 105, TimeMS: 4, EnergyJ: Joules(1.25, 0)}, {EnergyJ: Joules(0, 0)}, {N: 2, TimeMS: 30, EnergyJ: Joules(3, 0.5)}, {N: 1, TimeMS: 7, EnergyJ: Joules(0.75, 0)}} {
		c := &r.Components[i]
		c.N, c.TimeMS, c.EnergyJ = total.N, total.TimeMS, total.EnergyJ
		c.RoundTimeMS = []float64{c.TimeMS - 1, c.TimeMS + 1}
		c.RoundEnergyJ, c.EnergyCI = map[spell.Domain][]float64{}, map[spell.Domain][2]float64{}
		for _, d := range r.Meter.Domains {
			c.RoundEnergyJ[d] = []float64{c.EnergyJ[d], c.EnergyJ[d]}
			c.EnergyCI[d] = [2]float64{c.EnergyJ[d] * 0.9, c.EnergyJ[d] * 1.1}
		}
		c.PsiCI, c.RankCI = [2]float64{0.1, 0.2}, [2]int{1, 2}
	}
	return r
}

// Function is a component of the runs in this file.
func Function(name string, line int) record.Component {
	return record.Component{
		ID: "example.com/park." + name, Kind: spell.KindFunction, Package: "example.com/park",
		File: "park.go", Line: line, Column: 16, EndLine: line + 3, Hash: "00ff",
	}
}
