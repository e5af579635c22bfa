package runtime

const spellClockGettime = 228
