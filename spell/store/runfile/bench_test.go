package runfile_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/record/recordjson"
	"spell-lsp/spell/store/runfile"
)

// A run of 100,000 components, each with ten rounds, beside its JSON form: reading is
// what an editor waits for at its start.
func BenchmarkLargeRun(b *testing.B) {
	r := large(100_000)
	file := packed(b, r)
	json := []byte(text(b, r))
	b.Run("pack", func(b *testing.B) {
		for b.Loop() {
			packed(b, r)
		}
		b.ReportMetric(float64(len(file)), "bytes/file")
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if _, err := runfile.Read(file); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read JSON", func(b *testing.B) {
		for b.Loop() {
			if _, err := recordjson.Read(bytes.NewReader(json)); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(json)), "bytes/file")
	})
}

// large is a run of n components in 1,000 tests, three of which run each.
func large(n int) *record.Run {
	const tests, rounds = 1000, 10
	domains := []spell.Domain{spell.CPU, spell.DRAM}
	r := &record.Run{
		Schema: record.Schema, ID: "20261120T180000Z-3f9a", Rounds: rounds, Granularity: spell.KindFunction,
		Meter:  record.Meter{Name: "rapl", Source: record.Measured, Domains: domains},
		Matrix: record.Matrix{Domains: domains},
	}
	random := rand.New(rand.NewPCG(1, 2))
	energy := func() record.Energy { return record.Energy{spell.CPU: random.Float64(), spell.DRAM: random.Float64()} }
	series := func() (list []float64) {
		for range rounds {
			list = append(list, random.Float64())
		}
		return list
	}
	for i := range tests {
		r.Tests = append(r.Tests, record.Test{Name: fmt.Sprint("example.com/park.Test", i), Outcome: record.Pass, EnergyJ: energy()})
	}
	for i := range n {
		pkg := fmt.Sprint("example.com/park/package", i%100)
		r.Components = append(r.Components, record.Component{
			ID: fmt.Sprintf("%s.(*Park).Function%d", pkg, i), Kind: spell.KindFunction, Package: pkg, File: fmt.Sprintf("package%d/file%d.go", i%100, i%13),
			Line: i, Column: 16, EndLine: i + 10, Hash: fmt.Sprintf("%016x", random.Uint64()), N: float64(i), TimeMS: random.Float64(),
			EnergyJ: energy(), CumEnergyJ: energy(), RoundTimeMS: series(), RoundEnergyJ: map[spell.Domain][]float64{spell.CPU: series(), spell.DRAM: series()},
		})
		for k := range 3 {
			r.Matrix.Add(record.Cell{T: (3*i + k) % tests, C: i, N: float64(i), TimeMS: random.Float64(), EnergyJ: energy()})
		}
	}
	ranking.Analyze(r, spell.Options{}, false)
	return r
}
