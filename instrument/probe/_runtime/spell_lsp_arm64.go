package runtime

const (
	spellHasTSC       = false
	spellClockGettime = 113
	spellMremap       = 216
)

func spellTicks() int64 { return nanotime() }
