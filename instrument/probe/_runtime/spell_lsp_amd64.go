package runtime

const (
	spellHasTSC       = true
	spellHasCores     = true
	spellClockGettime = 228
	spellMremap       = 25
	spellGetrusage    = 98
	spellFcntl        = 72
	spellGeteuid      = 107
	spellFstat        = 5
	spellReadlinkat   = 267
	spellStatUser     = 7 // st_uid, in words of 32 bits
	spellWaitid       = 247
)

// spellNow is the clock of the counters: the time stamp counter where it is right.
func spellNow() int64
