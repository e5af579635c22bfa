package recordtest

import (
	"math/rand/v2"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A Part is a component of a program for tests: its joules in each round. It runs
// for 500 ms for each joule, and twice a round.
type Part struct {
	ID, Hash, File string
	Joules         []float64
	N              float64
}

// Program is a run of one test, m.TestAll, in which the parts ran.
func Program(parts ...Part) *record.Run {
	rounds := len(parts[0].Joules)
	r := &record.Run{
		ID: "20261121T040000Z-0001", Rounds: rounds, Granularity: spell.KindFunction, Mode: "instrument",
		Workspace: record.Workspace{Root: ".", Module: "m"},
		Host:      record.Host{OS: "linux", Arch: "amd64", CPU: "Model T", Cores: 2, Go: "go1.26.8"},
		Meter:     record.Meter{Name: "model", Source: record.Estimated, Domains: []spell.Domain{spell.CPU}},
		Tests:     []record.Test{{Name: "m.TestAll", Outcome: record.Pass, Rounds: rounds, RoundEnergyJ: ByRound(make([]float64, rounds)), RoundTimeMS: make([]float64, rounds)}},
	}
	test := &r.Tests[0]
	var cells []record.Cell
	for i, p := range parts {
		n := p.N
		if n == 0 {
			n = 2
		}
		c := record.Component{
			ID: p.ID, Kind: spell.KindFunction, Package: "m", File: p.File, Line: 10 * (i + 1), Hash: p.Hash, N: n,
			EnergyJ: record.Energy{spell.CPU: mean(p.Joules)}, TimeMS: 500 * mean(p.Joules), RoundEnergyJ: ByRound(p.Joules),
		}
		for k, j := range p.Joules {
			c.RoundTimeMS = append(c.RoundTimeMS, 500*j)
			test.RoundEnergyJ[spell.CPU][k] += j
			test.RoundTimeMS[k] += 500 * j
		}
		r.Components = append(r.Components, c)
		cells = append(cells, record.Cell{C: i, N: n, TimeMS: c.TimeMS, EnergyJ: c.EnergyJ})
	}
	test.EnergyJ, test.TimeMS = record.Energy{spell.CPU: mean(test.RoundEnergyJ[spell.CPU])}, mean(test.RoundTimeMS)
	r.Matrix = record.MatrixOf(r.Meter.Domains, cells...)
	return r
}

// ByRound is joules of the one domain that the programs use.
func ByRound(joules []float64) map[spell.Domain][]float64 {
	return map[spell.Domain][]float64{spell.CPU: joules}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}

// Around gives n values that spread around a mean by a relative standard deviation.
func Around(seed uint64, n int, mean, spread float64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	values := make([]float64, n)
	for i := range values {
		values[i] = max(0, mean*(1+spread*rng.NormFloat64()))
	}
	return values
}

// Measured makes a run one of a counter, and gives its energies intervals of so
// much to either side.
func Measured(r *record.Run, share float64) *record.Run {
	r.Meter.Name, r.Meter.Source = "rapl", record.Measured
	for i := range r.Components {
		c := &r.Components[i]
		e := c.EnergyJ[spell.CPU]
		c.EnergyCI = map[spell.Domain][2]float64{spell.CPU: {e * (1 - share), e * (1 + share)}}
	}
	return r
}
