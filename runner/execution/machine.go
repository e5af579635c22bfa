package execution

import "spell-lsp/spell/note"

// A Moment is the state of clocks from which two moments tell whether the machine slept, or its
// host took processors away, in between.
type Moment struct {
	AwakeNS  int64 // CLOCK_MONOTONIC, which stops while the machine sleeps
	AsleepNS int64 // time asleep so far: CLOCK_BOOTTIME - CLOCK_MONOTONIC
	StealNS  int64 // steal time of all processors (/proc/stat)
}

// Moment is now, with the steal time of the last reading.
func (m *Meter) Moment() Moment { return machineNow(m.stealNS) }

const (
	maxSleepNS  = 50_000_000
	maxSteal    = 0.01       // of the time of all processors
	stealStepNS = 10_000_000 // in which the kernel counts it (USER_HZ): one step says little
)

// Disturbed says whether, and how, the machine slept or its host took processors away between
// two moments.
func Disturbed(a, b Moment, cores int) (why note.Note, is bool) {
	if slept := b.AsleepNS - a.AsleepNS; slept > maxSleepNS {
		return note.Suspended(float64(slept) / 1e6), true
	}
	length := float64(b.AwakeNS-a.AwakeNS) * float64(cores)
	steal := b.StealNS - a.StealNS
	if stolen := float64(steal) / max(length, 1); steal > stealStepNS && stolen > maxSteal && stolen <= 1 {
		return note.Stolen(stolen), true
	}
	return note.Note{}, false
}
