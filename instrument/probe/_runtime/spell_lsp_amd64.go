package runtime

const (
	spellHasTSC       = true
	spellClockGettime = 228
	spellMremap       = 25
)

// spellTicks reads the time stamp counter.
func spellTicks() int64
