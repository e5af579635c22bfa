package wording

import "spell-lsp/spell/note"

// roundTexts: why rounds were dropped, and what happened in those that count.
var roundTexts = map[note.Code]string{
	note.SuspendedCode:          "suspend: the machine slept for {slept_ms}",
	note.StolenCode:             "steal: the host took {steal_share} of the processors' time",
	note.TestFailedCode:         "test failed: {test}",
	note.CostliestCode:          "costliest: {@option drop}",
	note.MeterFailedCode:        "the meter could not be read: {error}",
	note.CountsAlthoughCode:     "round {round} counts although it was disturbed ({cause}): {repeated:round} before it had to be repeated, so this seems normal here",
	note.WarmupRepeatedCode:     "the warm-up was run again: {cause}",
	note.DriftCode:              "the rounds drift: the last third takes {cost_change} against the first (Spearman {rank_correlation}): the machine is not in a steady state (heat, frequency, another load), or a test leaves something behind; a higher {@option warmup} may help",
	note.OrderMattersCode:       "the tests of {package} depend on their order ({test}): they are run in the order of their source",
	note.ReachNeedsOthersCode:   "the tests of {package} that reach {function} depend on others ({test}): those are run too, but do not count",
	note.ReachOnlyCode:          "Only tests that execute {function} count: {tests} of the {of_tests} that were run to find them.",
	note.NotRepeatableCode:      "{test} fails when it runs more than once in one process: it is executed once in a round",
	note.RepeatedCode:           "while short tests were repeated within a round: {what}",
	note.PackageMeterFailedCode: "{package} is left out: the meter failed all {times} times its tests ran, but not for other packages ({error})",
	note.CallsMissingCode:       "{package} used more processors, or had more tests, than there is room for: calls are missing (lower GOMAXPROCS, or measure fewer packages at once)",
	note.StacksMissingCode:      "who called whom is not known in full: {package} has more different stacks than there is room for",
	note.CountsIncompleteCode:   "{test} passed, but its counts are not whole: the test stopped the probe from writing",
	note.TestDidNotEndCode:      "{test} did not end ({outcome}, {status}): tests of the package after it did not run",
	note.TestsWaitingCode:       "{package}: {tests} had begun, but the program ended before it was their turn to go on",
	note.ProgramRanNoTestCode:   "{package} ran no test: its program ended with {status} in {place}[{output}]",
	note.ProgramEndedEarlyCode:  "{package}: the program ended with {status} before its last test; {begun}[{output}]",
	note.ProgramFailedCode:      "{package}: every test passed, but the program ended with {status}:\n{output}",
	note.ProgramFailedFirstCode: "{package}: its tests ended with {status} before any ran:\n{output}",
	note.BlocksTooShortCode:     "the blocks of {function} run so shortly that counting them changes what they take: trust how often they run, and how long only roughly",
	note.ProfileMissingCode:     "a program left no CPU profile: its functions are charged for the time that they waited",
	note.ChildProcessesCode:     "child processes used {cpu_share} of the CPU time of the tests[ and {energy_share} of their energy][ ({programs})]: it belongs to no function, but is unattributed, as \"child processes\"",
	note.NoProbeCalledCode:      "none of the {functions:function} with a probe was called in a test: the tests call none of them, or run them in another process; otherwise the probes did not reach the tests, which is a fault of spell-lsp",
	note.RuntimeUnknownCode:     "the Go runtime could not be asked when a goroutine runs ({reason}): times are from entry to exit, less the waiting that a CPU profile shows, and less exact",
	note.ScratchSharedCode:      "other users could replace the test programs before they are started: {reason}; or set GOTMPDIR to a folder of your own",
	note.ReadingsLostCode:       "readings of the meter were lost: they were not taken for half a minute",
	note.ActivityLostCode:       "what ran in each millisecond could not be recorded in full, as too much ran: the missing part says nothing about the power of functions",
}
