package report

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// The plot of a function has the points of the run, and a curve that meets them and goes on to ten times the largest
// size; what is beyond the points is marked. A run without sizes has no plot, nor a key for it.
func TestGrowthsOfTheRun(t *testing.T) {
	r := &record.Run{Meter: record.Meter{Name: "none", Source: record.NoEnergy}, Granularity: spell.KindFunction, Rounds: 1, Components: []record.Component{{ID: "m.F", Kind: spell.KindFunction}}}
	for i, n := range []float64{16, 32, 64, 128, 256, 512} {
		r.Tests = append(r.Tests, record.Test{Name: fmt.Sprintf("m.BenchmarkSort/n=%g", n), Package: "m", Outcome: record.Pass, PerOperation: true, Repeats: 10, TimeMS: n * n})
		r.Matrix.Cells = append(r.Matrix.Cells, spell.Cell{Test: int32(i), N: 1, TimeMS: n * n})
	}
	list := newGrowths(r)
	if len(list) != 2 || list[0].Component != -1 || list[1].Component != 0 || list[1].Subject != "m.F" {
		t.Fatalf("growths: %+v", list)
	}
	g := list[1]
	if len(g.Sizes) != 6 || g.Costs[5] != 512*512 || g.Unit != "ms" || g.Size != "n" {
		t.Errorf("points: %+v", g)
	}
	c := g.Curve
	last := len(c.Sizes) - 1
	if c.Sizes[0] != 16 || math.Abs(c.Sizes[last]-5120) > 1e-6 || c.Sizes[c.Extrapolated-1] != 512 || c.Sizes[c.Extrapolated] <= 512 {
		t.Errorf("sizes of the curve: %v, extrapolated from %d", c.Sizes, c.Extrapolated)
	}
	for i, n := range c.Sizes {
		if math.Abs(c.Costs[i]/(n*n)-1) > 0.01 || c.Low[i] > c.Costs[i] || c.High[i] < c.Costs[i] {
			t.Errorf("curve at %g: %g, %g to %g", n, c.Costs[i], c.Low[i], c.High[i])
		}
	}
	r.Tests = r.Tests[:1]
	r.Matrix.Cells = r.Matrix.Cells[:1]
	text, err := json.Marshal(document{Growths: newGrowths(r)})
	var keys map[string]any
	if err == nil {
		err = json.Unmarshal(text, &keys)
	}
	if _, has := keys["growths"]; has || err != nil {
		t.Errorf("without sizes: %v, %s", err, text)
	}
}
