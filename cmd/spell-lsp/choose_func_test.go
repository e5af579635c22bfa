package main

import (
	"slices"
	"testing"

	"spell-lsp/instrument/generate"
	"spell-lsp/spell/record"
)

// Why: a function that ends its process leaves the benchmarks behind it without rows. Who compares functions must be told which ones
// are missing.
func TestMissingFunctions(t *testing.T) {
	list := []*generate.Benchmark{
		{Function: "m.Sum", Package: "m", Name: "BenchmarkChoose_Sum"},
		{Function: "m.SumAll", Package: "m", Name: "BenchmarkChoose_SumAll"},
	}
	run := &record.Run{Tests: []record.Test{{Name: "m.BenchmarkChoose_SumAll/func=SumAll/n=16"}}}
	if names := missing(run, list); !slices.Equal(names, []string{"m.Sum"}) {
		t.Errorf("%v are missing, want m.Sum", names)
	}
}
