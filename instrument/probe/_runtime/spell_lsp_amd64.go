package runtime

const (
	spellHasTSC       = true
	spellClockGettime = 228
)

// spellTicks reads the time stamp counter.
func spellTicks() int64
