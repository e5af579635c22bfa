package wording

import "spell-lsp/spell/note"

// meterTexts: why a meter does not work, or what it leaves out.
var meterTexts = map[note.Code]string{
	note.MeterUnusableCode:     "meter {meter} does not work here: {reason}",
	note.MeterNeedsRemedyCode:  "meter {meter} does not work here: {reason} (spell-lsp doctor tells how to make it work)",
	note.ReadUnevenlyCode:      "The meter was read unevenly: 1 of 100 readings came more than {gap_p99_ms} after the one before, as the machine was busy. What ran for a short time is known less well.",
	note.RestDisturbedCode:     "The idle machine was disturbed each time it was measured, in {tries:attempt} ({cause}): its power may be wrong. All functions may then have too much energy, or all too little.",
	note.MemoryNotMeasuredCode: "the memory's energy is not measured: {error}",
	note.DomainFrozenCode:      "the domain {domain} is not measured: frozen counter",
	note.CounterLeftOutCode:    "{counter} of the meter {meter} is left out: {other} counts that energy already. To have it from {meter}, name {meter} before {other}.",
	note.SeparateFrozenCode:    "The counter {counter} is not shown: it did not change while the program ran (many machines have it without anything connected to it).",
	note.SeparateUnreadCode:    "the counter {counter} is not shown: {error}",
	note.SeparateMissedCode:    "The counter {counter} could not be read all the time in {missed} of {rounds:round}: what it shows is the mean of the other rounds, if any.",
	note.NoJoulesCode:          "Energy is unknown here (tier E3: {basis}): calls and CPU time are measured, joules are not.",
	note.NetEstimatedCode:      "The energy of the network is estimated, not measured: {byte_j} per byte, for the network outside the machine. The bytes are those of all programs in the network namespace while the tests ran.",
	note.DiskEstimatedCode:     "The energy of disks is estimated, not measured: {kind} of {read_j} per byte read and {write_j} per byte written, without idle power ({reason}).",
	note.EnergyEstimatedCode:   "Energy is estimated, not measured (tier {tier}: {basis}).",
	note.EnergyFollowsTimeCode: "The estimate is a fixed number of watts x CPU time: energy says nothing here that time does not.",
	note.FollowsFrequencyCode:  "The estimate is a number of watts x CPU time x a weight by the frequency f of the processors that were busy ({basis}): that of f x V², 1 at the base frequency, with a voltage V on a line between an assumed lowest and highest one. Child processes count with 1. Energy says nothing here that time and frequency do not.",
	note.FrequencyUnusedCode:   "The estimate does not follow the frequency of the processors: {reason}.",
	note.NoMeterAskedForCode:   "No meter was asked for: calls and CPU time are measured, joules are not.",
	note.LaptopMeasuredCode:    "The domain cpu is the energy of the whole laptop here, screen and radio included, as its battery reports it.",
	note.BatterySlowCode:       "Batteries report their energy every few seconds: only windows of minutes are resolved.",
	note.MachineMeasuredCode:   "The domain cpu is the energy of the whole machine here, as the sensor {sensor} reports it.",
	note.MemoryIncludedCode:    "The domain cpu includes the memory of its socket here, in the sensor {sensor}.",
	note.PowerIntegratedCode:   "Power was read every {interval_ms} and integrated over time: {powers} of {sensors:sensor} have no counter of energy. What happened between two readings is known only as far as the firmware averages.",
	note.GPUSlowCode:           "Readings of {gpus:GPU} change every 20 to 100 ms: shorter calls cannot be told apart.",
	note.GPUIntegratedCode:     "{integrated} of {gpus:GPU} without an energy counter: power was read every {interval_ms} and integrated over time.",
	note.ZoneNotCountedCode:    "zone {zone} is not counted: {reason}",
	note.ZoneRepeatedCode:      "zone {zone} ({name}) repeats package {package}, which is counted once",
	note.MemoryRepeatedCode:    "zone {zone} (dram) repeats memory that is counted already",
	note.ZoneMirroredCode:      "zone {zone} ({name}) shows the counter of {original}, which is counted once",
	note.EventMirroredCode:     "the event on CPU {cpu} shows the counter of that on CPU {original}, which is counted once: both are dies of package {package}",
	note.HostsShareCode:        "Energy is the host's share, an estimate: about once a second, the host of this virtual machine adds to its counter a part of its own energy, by the CPU time of the virtual processors. It says something of long runs and nothing of functions, which have no joules. The meter model estimates those, from CPU time.",
	note.MirrorsUnknownCode:    "it is not known whether two of the counters are one: {error}",
}
