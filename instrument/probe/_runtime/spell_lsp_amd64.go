package runtime

const (
	spellHasTSC       = true
	spellClockGettime = 228
	spellMremap       = 25
	spellGetrusage    = 98
	spellWaitid       = 247
)

// spellNow is the clock of the counters: the time stamp counter where it is right.
func spellNow() int64
