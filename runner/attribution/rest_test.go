package attribution

import (
	"testing"

	"spell-lsp/spell"
)

// Why: the kernel's own sum of CPU time is made of whole ticks, and bursts of a neighbour that took 0.4
// of a processor now and then added up to 0.51. The idle machine seemed to use 5.8 W of 9 W then.
func TestLoadOfTheMachineAtRest(t *testing.T) {
	for _, test := range []struct {
		name                string
		kernel, tasks, want float64
	}{
		{"bursts that the kernel's sum has too often", 0.51, 0.4, 0.4},
		{"the same load", 0.4, 0.4, 0.4},
		{"all tasks are hidden", 0.4, 0, 0.4},
		{"a third of the tasks are hidden", 1, 0.65, 1},
		{"hidden tasks on a machine that is nearly idle", 0.15, 0.02, 0.15},
	} {
		machine := Machine{Domains: []spell.Domain{spell.CPU}, UpdateNS: []int64{ms}, Counter: true, Cores: 2}
		k := NewTimeline(&machine)
		const readings = 700
		for i := range int64(readings) {
			k.Add(Reading{
				Number: uint64(i + 1), PublishedNS: i * ms, UpdatedNS: i * ms, Joules: []float64{float64(i) / 100},
				BusyNS: int64(test.kernel * float64(i) * ms),
			})
		}
		r, ok := k.Rest(&machine, 10, test.tasks)
		if !ok || r.OthersLoad < test.want-0.01 || r.OthersLoad > test.want+0.01 {
			t.Errorf("%s: others keep %.3f processors busy, want %.3f (%t)", test.name, r.OthersLoad, test.want, ok)
		}
	}
}
