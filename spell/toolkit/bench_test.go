package toolkit_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"spell-lsp/spell/toolkit"
)

// A dense matrix, with the numbers of a real one.
func BenchmarkReadMatrix(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	for range 100 {
		text.WriteString("[ ")
		for range 2000 {
			fmt.Fprintf(&text, "[ cpu = %.6f, ram = %.6f, n = %d, t = %.6f ] ", 100*rng.Float64(), 10*rng.Float64(), rng.IntN(99), 100*rng.Float64())
		}
		text.WriteString("]\n")
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := toolkit.ReadMatrix(bytes.NewReader(text.Bytes()), "bench"); err != nil {
			b.Fatal(err)
		}
	}
}

// Calls four deep, of a hundred functions.
func BenchmarkReadTrace(b *testing.B) {
	var text bytes.Buffer
	clock := 0.0
	reading := func(sign string, function int) {
		clock += 0.25
		fmt.Fprintf(&text, "%s Class_method%d [ m = example, cpu = %.6f, t = %.3f ]\n", sign, function, 48+clock/1000, 1455+clock)
	}
	for i := range 10_000 {
		for depth := range 4 {
			reading(">", (i+depth)%100)
		}
		for depth := range 4 {
			reading("<", (i+3-depth)%100)
		}
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := toolkit.ReadTrace(bytes.NewReader(text.Bytes()), "bench", toolkit.TraceOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
