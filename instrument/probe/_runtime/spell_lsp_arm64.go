package runtime

const (
	spellHasTSC       = false
	spellHasCores     = false // no such processor counts the energy of its cores
	spellClockGettime = 113
	spellMremap       = 216
	spellGetrusage    = 165
	spellFcntl        = 25
	spellGeteuid      = 175
	spellFstat        = 80
	spellReadlinkat   = 78
	spellStatUser     = 6 // st_uid, in words of 32 bits
	spellWaitid       = 95
)

// spellNow is the clock of the counters.
//
//go:nosplit
func spellNow() int64 { return nanotime() }
