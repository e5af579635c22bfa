package runner

import (
	"spell-lsp/runner/execution"
	"spell-lsp/spell/note"
)

const (
	maxSleepNS = 50_000_000
	maxSteal   = 0.01 // of the time of all processors
)

// disturbed says whether, and how, the machine slept or its host took processors away between
// two moments.
func disturbed(a, b execution.Moment, cores int) (why note.Note, is bool) {
	if slept := b.AsleepNS - a.AsleepNS; slept > maxSleepNS {
		return note.Suspended(float64(slept) / 1e6), true
	}
	length := float64(b.AwakeNS-a.AwakeNS) * float64(cores)
	if stolen := float64(b.StealNS-a.StealNS) / max(length, 1); stolen > maxSteal && stolen <= 1 {
		return note.Stolen(stolen), true
	}
	return note.Note{}, false
}
