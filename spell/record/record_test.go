package record_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spell-lsp/internal/recordtest"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// park is a run as a runner makes it, before any analysis: two tests that
// passed, one that failed and one that was skipped.
func park() *record.Run {
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
			{Name: "example.com/park.TestSort", Outcome: record.Pass, Rounds: 10, EnergyJ: joules(5, 0.5), TimeMS: 40, UnattributedJ: joules(1, 0.5)},
			{Name: "example.com/park.TestAdd", Outcome: record.Pass, Rounds: 10, EnergyJ: joules(1, 0), TimeMS: 10},
			{Name: "example.com/park.TestFull", Outcome: record.Fail, Rounds: 10, EnergyJ: joules(9, 0), TimeMS: 90, Output: "park_test.go:7: full"},
			{Name: "example.com/park.TestLater", Outcome: record.Skip, Rounds: 10},
		},
		Components: []record.Component{
			function("(*Park).Add", 4), function("(*Park).Oldest", 9), function("(*Park).Sort", 14),
		},
		Matrix: record.MatrixOf([]spell.Domain{spell.CPU, spell.DRAM}, []record.Cell{
			{T: 0, C: 2, N: 2, TimeMS: 30, EnergyJ: joules(4, 0)},
			{T: 1, C: 0, N: 100, TimeMS: 1, EnergyJ: joules(0.25, 0)},
			{T: 1, C: 2, N: 1, TimeMS: 7, EnergyJ: joules(0.75, 0)},
			{T: 2, C: 0, N: 1e6, TimeMS: 90, EnergyJ: joules(9, 0)},
		}...),
	}
}

// whole is park with everything that a record may also lack.
func whole() *record.Run {
	r := park()
	r.Rounds, r.DroppedRounds, r.Seed = 2, 1, math.MaxUint32
	r.Dropped = []record.Dropped{{Round: 3, Cause: "steal 2.5 %"}}
	meter := &r.Meter
	meter.Quality, meter.GapP99MS, meter.TimingMS, meter.SamplerCPU = record.Degraded, 6.5, 0.25, 0.03
	meter.Root = "/srv/counters"
	r.Tests[0].Repeats, r.Tests[1].BelowResolution = 12.5, true
	r.Tests[0].Unattributed = map[record.Part]record.Unattributed{record.Idle: {EnergyJ: joules(0.5, 0.5)}, record.Sampler: {TimeMS: 2, EnergyJ: joules(0.5, 0)}}
	r.Tests[0].RoundEnergyJ = map[spell.Domain][]float64{spell.CPU: {4.75, 5.25}, spell.DRAM: {0.5, 0.5}}
	r.Tests[0].RoundTimeMS = []float64{41, 39}
	m := &r.Matrix
	m.CumTimeMS, m.CumEnergyJ = []float64{31, 1, 7, 90}, []float64{4.5, 0, 0.25, 0, 0.75, 0, 9, 0}
	c := &r.Components[2]
	c.EnergyJ, c.PsiCI, c.RankCI = joules(4.75, 0), [2]float64{0.5, 0.75}, [2]int{1, 2}
	c.EnergyCI = map[spell.Domain][2]float64{spell.CPU: {4.5, 5}, spell.DRAM: {0, 0}}
	c.RoundEnergyJ = map[spell.Domain][]float64{spell.CPU: {4.5, 5}, spell.DRAM: {0, 0}}
	c.RoundTimeMS = []float64{36, 38}
	r.CallTree = []record.CallNode{{Parent: -1, Component: 1, Cut: true}, {Parent: 0, Component: 2, TimeMS: 37}}
	return r
}

func function(name string, line int) record.Component {
	return record.Component{
		ID: "example.com/park." + name, Kind: spell.KindFunction, Package: "example.com/park",
		File: "park.go", Line: line, Column: 16, EndLine: line + 3, Hash: "00ff",
	}
}

func joules(cpu, dram float64) record.Energy {
	return record.Energy{spell.CPU: cpu, spell.DRAM: dram}
}

func written(t testing.TB, r *record.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Other programs read the record: its names and its form must not change
// unnoticed, and no list or map may be null.
func TestWriteGolden(t *testing.T) {
	for name, r := range map[string]*record.Run{"park": park(), "whole": whole()} {
		t.Run(name, func(t *testing.T) {
			r.Analyze(spell.Options{}, false)
			golden(t, name+".json", written(t, r))
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	recordtest.Golden(t, name, got)
	if strings.Contains(got, "null") {
		t.Error("the record has a null")
	}
}

func TestRoundTripIsExact(t *testing.T) {
	r := whole()
	r.Components[0].EPIJ = 1.0 / 3
	r.Components[0].CumTimeMS = math.SmallestNonzeroFloat64
	r.Analyze(spell.Options{}, true)
	text := written(t, r)
	again, err := record.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Localization = again.Localization // which Write sets
	if diff := cmp.Diff(r, again, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("run changed (-written +read):\n%s", diff)
	}
	if written(t, again) != text {
		t.Error("writing what was read gives other bytes")
	}
}

// A test that ran once a round is the usual: nothing is said of it, however the
// runner counted.
func TestOneRepeatIsLeftOut(t *testing.T) {
	r := park()
	r.Tests[0].Repeats = 1
	if text := written(t, r); strings.Contains(text, "repeats") {
		t.Errorf("the record speaks of repeats:\n%s", text)
	}
}

// A run is shared between the parts of a server: writing it must not touch it.
func TestWriteLeavesTheRun(t *testing.T) {
	r, same := whole(), whole()
	r.Tests[1].Repeats, same.Tests[1].Repeats = 1, 1
	written(t, r)
	if diff := cmp.Diff(same, r); diff != "" {
		t.Errorf("Write changed the run:\n%s", diff)
	}
}

func TestReadFillsAbsentLists(t *testing.T) {
	r, err := record.Read(strings.NewReader(`{"schema": "spell-lsp/run/v1", "granularity": "function", "meter": {"source": "none", "domains": null}, "later": {"x": [1]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.Tests == nil || r.Components == nil || r.Warnings == nil || r.Settings == nil || r.Meter.Domains == nil || r.Meter.Warnings == nil {
		t.Errorf("an absent list is nil: %+v", r)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteErrors(t *testing.T) {
	if err := park().Write(brokenPipe{}); err == nil || !strings.Contains(err.Error(), "20261120T180000Z-3f9a: broken pipe") {
		t.Errorf("writing to a broken pipe: %v", err)
	}
	r := park()
	r.Matrix.EnergyJ[4] = math.NaN()
	var b bytes.Buffer
	if err := r.Write(&b); err == nil || !strings.Contains(err.Error(), "matrix[2].energy_j.cpu is NaN") {
		t.Errorf("writing NaN: %v", err)
	}
	if b.Len() > 0 {
		t.Errorf("a refused run left %d bytes", b.Len())
	}
}

// What the errors of the powers explain is no difference between two runs.
func TestApart(t *testing.T) {
	component := func(joules, half float64) *record.Component {
		c := &record.Component{EnergyJ: record.Energy{spell.CPU: joules}}
		if half > 0 {
			c.EnergyCI = map[spell.Domain][2]float64{spell.CPU: {max(0, joules-half), joules + half}}
		}
		return c
	}
	for _, test := range []struct {
		a, b *record.Component
		want bool
	}{
		{component(10, 1), component(12, 1), true},
		{component(10, 1), component(11.3, 1), false},
		{component(1, 2), component(3, 2), false},
		{component(10, 0), component(10.1, 0), true},
	} {
		if got := test.a.Apart(test.b, spell.CPU); got != test.want {
			t.Errorf("%v and %v apart: %t", test.a.EnergyCI, test.b.EnergyCI, got)
		}
	}
}
