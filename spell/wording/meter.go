package wording

import "spell-lsp/spell/note"

// meterTexts: why a meter does not work, or what it leaves out.
var meterTexts = map[note.Code]string{
	note.MeterUnusableCode:     "meter {meter} does not work here: {reason}",
	note.MeterNeedsRemedyCode:  "meter {meter} does not work here: {reason} (spell-lsp doctor tells how to make it work)",
	note.ReadUnevenlyCode:      "The meter was read unevenly: 1 of 100 readings came more than {gap_p99_ms} after the one before, as the machine was busy. What ran for a short time is known less well.",
	note.MemoryNotMeasuredCode: "the memory's energy is not measured: {error}",
	note.DomainFrozenCode:      "the domain {domain} is not measured: frozen counter",
	note.NoJoulesCode:          "Nothing is known about energy here (tier E3: {basis}): calls and CPU time are measured, joules are not.",
	note.NetEstimatedCode:      "The energy of the network is estimated, not measured: {byte_j} a byte, for the network outside of the machine. Bytes are those of all programs in the namespace while the tests ran.",
}
