package recordtest

import (
	"fmt"
	"math"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// A Growing is a function of a program whose benchmarks have sizes: its own joules in one operation, and those with
// callees.
type Growing struct {
	ID        string
	Self, All func(sizes []float64) float64
}

// Alone are sizes of a series with one size.
func Alone(values ...float64) (sizes [][]float64) {
	for _, v := range values {
		sizes = append(sizes, []float64{v})
	}
	return sizes
}

// Power is a cost that grows with a power of the first size.
func Power(factor, power float64) func([]float64) float64 {
	return func(n []float64) float64 { return factor * math.Pow(n[0], power) }
}

// Series is a measured run of ten rounds with a benchmark for each of some sizes, which name has as verbs: an
// operation of the functions. A joule takes a second. Costs are off by about one percent.
func Series(name string, sizes [][]float64, functions ...Growing) *record.Run {
	r := &record.Run{
		Schema: record.Schema, ID: "20261128T220000Z-0001", Started: time.Date(2026, 11, 28, 22, 0, 0, 0, time.UTC),
		Rounds: 10, Mode: "instrument", Granularity: spell.KindFunction,
		Workspace: record.Workspace{Root: ".", Module: "example.com/m"},
		Host:      record.Host{OS: "linux", Arch: "amd64", CPU: "Model T", Cores: 2, Go: "go1.26.8"},
		Meter:     record.Meter{Name: "rapl", Source: record.Measured, Domains: []spell.Domain{spell.CPU}},
	}
	for _, f := range functions {
		r.Components = append(r.Components, record.Component{ID: f.ID, Kind: spell.KindFunction, Package: "example.com/m"})
	}
	var cells []record.Cell
	for i, n := range sizes {
		var args []any
		for _, v := range n {
			args = append(args, int(v))
		}
		sum := 0.0
		for c, f := range functions {
			off := 1 + 0.01*math.Sin(float64(7*i+3*c+1))
			self, all := f.Self(n)*off, f.All(n)*off
			sum += self
			cells = append(cells, record.Cell{
				T: i, C: c, N: 1, TimeMS: 1000 * self, EnergyJ: record.Energy{spell.CPU: self},
				CumTimeMS: 1000 * all, CumEnergyJ: record.Energy{spell.CPU: all},
			})
		}
		r.Tests = append(r.Tests, operation("example.com/m."+fmt.Sprintf(name, args...), sum))
	}
	r.Matrix = record.MatrixOf(r.Meter.Domains, cells...)
	return r
}

// operation is a benchmark whose rounds differ by one percent of their mean from one to the next.
func operation(name string, joules float64) record.Test {
	t := record.Test{
		Name: name, Package: "example.com/m", Outcome: record.Pass, Rounds: 10, PerOperation: true, Repeats: 1000,
		EnergyJ: record.Energy{spell.CPU: joules}, UnattributedJ: record.Energy{spell.CPU: 0}, TimeMS: 1000 * joules,
	}
	var byRound []float64
	for round := range 10 {
		j := joules * (1 + (float64(round)-4.5)/100)
		byRound, t.RoundTimeMS = append(byRound, j), append(t.RoundTimeMS, 1000*j)
	}
	t.RoundEnergyJ = ByRound(byRound)
	return t
}
