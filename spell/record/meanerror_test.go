package record

import (
	"math"
	"testing"
)

// Why: the standard error is what all intervals rest on. The figures are those of a one-way layout by hand: mean
// squares between nodes 150 with 1 degree of freedom, within 1 with 4.
func TestMeanErrorOfNodes(t *testing.T) {
	values := []float64{1, 2, 3, 11, 12, 13}
	for name, c := range map[string]struct {
		nodes []Node
		want  float64
	}{
		"no nodes: all rounds are independent":    {nil, math.Sqrt(154.0 / 5 / 6)},
		"one node says nothing of nodes":          {[]Node{{Rounds: 6}}, math.Sqrt(154.0 / 5 / 6)},
		"two nodes: Student's 12.7 in place of 2": {[]Node{{Rounds: 3}, {Rounds: 3}}, 12.706204736 / Normal95 * math.Sqrt(150.0/6)},
		"nodes of another number of rounds":       {[]Node{{Rounds: 1}, {Rounds: 1}}, math.Sqrt(154.0 / 5 / 6)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := MeanError(values, c.nodes); math.Abs(got-c.want) > 1e-6*c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
	alike := []float64{1, 12, 3, 11, 2, 13}
	if got, want := MeanError(alike, []Node{{Rounds: 2}, {Rounds: 2}, {Rounds: 2}}), math.Sqrt(154.0/5/6); math.Abs(got-want) > 1e-6*want {
		t.Errorf("nodes that differ less than their rounds: %v, want %v", got, want)
	}
}
