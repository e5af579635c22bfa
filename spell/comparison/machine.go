package comparison

import (
	"math"

	"spell-lsp/spell/record"
	"spell-lsp/spell/significance"
)

// A machine tells how the speed of the machine changed between two runs.
type machine struct {
	slowdown *float64 // relative change of the time of the reference workload; nil if it is not known
}

const (
	// machineFactor is how many times more than the reference workload a program may be
	// slowed down: a neighbour on the core or in the cache affects programs differently.
	machineFactor = 2
	// machineNotable is the relative change from which on a reader is told.
	machineNotable = 0.05
)

func machineOf(base, head *record.Run) machine {
	a, b := significance.Median(base.ReferenceMS), significance.Median(head.ReferenceMS)
	if a == 0 || b == 0 {
		return machine{}
	}
	return machine{finite(b/a - 1)}
}

// explains tells whether the machine may be the cause of a change of the value base.
func (m machine) explains(change, base float64) bool {
	return m.slowdown != nil && change**m.slowdown > 0 && math.Abs(change) <= machineFactor*math.Abs(*m.slowdown)*base
}

// hides tells whether the change of the machine may hide a change by more than limit.
func (m machine) hides(change, base, limit float64) bool {
	return m.notable() && math.Abs((base+change)/(1+*m.slowdown)-base) > limit
}

// notable tells whether the machine changed by more than it usually does.
func (m machine) notable() bool { return m.slowdown != nil && math.Abs(*m.slowdown) >= machineNotable }
