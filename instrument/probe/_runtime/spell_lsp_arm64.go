package runtime

const (
	spellHasTSC       = false
	spellClockGettime = 113
	spellMremap       = 216
	spellGetrusage    = 165
	spellWaitid       = 95
)

// spellNow is the clock of the counters.
//
//go:nosplit
func spellNow() int64 { return nanotime() }
