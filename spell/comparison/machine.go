package comparison

import (
	"math"

	"spell-lsp/spell/record"
	"spell-lsp/spell/significance"
)

// A machine is what the yardsticks of two runs say of the machine itself.
type machine struct {
	slower *float64 // how much longer the same work took in HEAD, relative; nil where it is not known
}

const (
	// machineFactor is how many times more than the yardstick a program may be slowed
	// down: what shares a core or a cache takes more from one program than from another.
	machineFactor = 2
	// machineNotable is from which relative change on a reader is told.
	machineNotable = 0.05
)

func machineOf(base, head *record.Run) machine {
	a, b := significance.Median(base.ReferenceMS), significance.Median(head.ReferenceMS)
	if a == 0 || b == 0 {
		return machine{}
	}
	return machine{finite(b/a - 1)}
}

// explains tells whether the machine may have changed a value of base by so much.
func (m machine) explains(change, base float64) bool {
	return m.slower != nil && change**m.slower > 0 && math.Abs(change) <= machineFactor*math.Abs(*m.slower)*base
}

// hides tells whether a change by more than limit may be hidden by that of the machine.
func (m machine) hides(change, base, limit float64) bool {
	return m.notable() && math.Abs((base+change)/(1+*m.slower)-base) > limit
}

// notable tells whether the machine changed by more than it always does.
func (m machine) notable() bool { return m.slower != nil && math.Abs(*m.slower) >= machineNotable }
