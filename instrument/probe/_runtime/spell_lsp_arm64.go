package runtime

const (
	spellHasTSC       = false
	spellClockGettime = 113
)

func spellTicks() int64 { return nanotime() }
