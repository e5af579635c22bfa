package runtime

const spellClockGettime = 113
