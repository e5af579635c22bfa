package note

// Codes: why rounds were dropped, and what happened in those that count.
const (
	SuspendedCode          Code = "round.suspended"
	StolenCode             Code = "round.stolen"
	TestFailedCode         Code = "round.test-failed"
	EndedOtherwiseCode     Code = "round.ended-otherwise"
	CostliestCode          Code = "round.costliest"
	MeterFailedCode        Code = "round.meter-failed"
	CountsAlthoughCode     Code = "round.kept-although"
	WarmupRepeatedCode     Code = "round.warmup-repeated"
	DriftCode              Code = "round.drift"
	OrderMattersCode       Code = "round.order-matters"
	ReachNeedsOthersCode   Code = "round.reach-needs-others"
	ReachOnlyCode          Code = "run.reach-only"
	NotRepeatableCode      Code = "round.not-repeatable"
	RepeatedCode           Code = "round.repeated"
	PackageMeterFailedCode Code = "run.package-meter-failed"
	CallsMissingCode       Code = "program.calls-missing"
	StacksMissingCode      Code = "program.stacks-missing"
	ModeInstrumentedCode   Code = "run.mode-instrumented"
	ModeSampledCode        Code = "run.mode-sampled"
	ModeOfNecessityCode    Code = "run.mode-of-necessity"
	GroupsBySamplesCode    Code = "run.groups-by-samples"
	CallsByCoverageCode    Code = "run.calls-by-coverage"
	CallsNotCountedCode    Code = "program.calls-not-counted"
	CallsOfTestsLostCode   Code = "run.calls-of-tests-lost"
	LibraryFullCode        Code = "run.library-full"
	LibraryKeptCode        Code = "run.library-kept"
	PowerCoRunningCode     Code = "run.power-co-running"
	PowerLateCode          Code = "run.power-late"
	PowerFrequencyCode     Code = "run.power-frequency"
	PowerDriftsCode        Code = "run.power-drifts"
	ProfileServedCode      Code = "run.profile-served"
	CalmnessUnknownCode    Code = "run.calmness-unknown"
	SourceDiffersCode      Code = "run.source-differs"
	OwnProfileCode         Code = "run.own-profile"
	ProfilerTakenCode      Code = "run.profiler-taken"
	SamplesMissedCode      Code = "program.samples-missed"
	ThreadsNotSampledCode  Code = "program.threads-not-sampled"
	ProgramNotPassedCode   Code = "program.not-passed"
	StopIgnoredCode        Code = "program.stop-ignored"
	ProcessesLeftCode      Code = "program.processes-left"
	CountsIncompleteCode   Code = "program.counts-incomplete"
	TestDidNotEndCode      Code = "program.test-did-not-end"
	BenchmarkUnwoundCode   Code = "program.benchmark-unwound"
	TestsWaitingCode       Code = "program.tests-waiting"
	EndedInInitCode        Code = "program.ended-in-init"
	EndedInTestMainCode    Code = "program.ended-in-testmain"
	ProgramEndedEarlyCode  Code = "program.ended-early"
	ProgramFailedCode      Code = "program.failed"
	ProgramFailedFirstCode Code = "program.failed-first"
	BlocksTooShortCode     Code = "program.blocks-too-short"
	ProfileMissingCode     Code = "program.profile-missing"
	ChildProcessesCode     Code = "run.child-processes"
	GoroutinesOutliveCode  Code = "run.goroutines-outlive"
	MoreOutliveCode        Code = "run.more-goroutines-outlive"
	NoProbeCalledCode      Code = "run.no-probe-called"
	NoSampleCode           Code = "run.no-sample"
	RuntimeUnknownCode     Code = "run.runtime-unknown"
	ScratchSharedCode      Code = "run.scratch-shared"
	ReadingsLostCode       Code = "run.readings-lost"
	ActivityLostCode       Code = "run.activity-lost"
	EndedEarlyCode         Code = "run.ended-early"
	ClockDiffersCode       Code = "run.clock-differs"
	TimeUpCode             Code = "run.time-up"
	RoundsTooLongCode      Code = "run.rounds-too-long"
	BegunAgainCode         Code = "run.begun-again"
	TestsNotCountedCode    Code = "program.not-counted"
	OtherMeasurementCode   Code = "run.other-measurement"
	NoBenchmarkMatchesCode Code = "run.no-benchmark-matches"
	NoSubtestMatchesCode   Code = "run.no-subtest-matches"
	PatternUselessCode     Code = "run.pattern-useless"
)

// Suspended says: the machine slept during the round.
func Suspended(ms float64) Note {
	return Note{SuspendedCode, Args{"slept_ms": ms}}
}

// Stolen says: the host took processor time away (steal time).
func Stolen(share float64) Note {
	return Note{StolenCode, Args{"steal_share": share}}
}

// TestFailed says: a test ended otherwise than in the first round.
func TestFailed(test string) Note {
	return Note{TestFailedCode, Args{"test": test}}
}

// EndedOtherwise says: the program of a scenario ended otherwise than in the first round.
func EndedOtherwise(scenario, outcome, first, output string) Note {
	return Note{EndedOtherwiseCode, Args{"scenario": scenario, "outcome": outcome, "first": first, "output": output}}
}

// Costliest says: one of the costliest rounds, which the setting drop discards.
func Costliest(drop int) Note {
	return Note{CostliestCode, Args{"drop": float64(drop)}}
}

// MeterFailed says: the meter could not be read.
func MeterFailed(err string) Note {
	return Note{MeterFailedCode, Args{"error": err}}
}

// CountsAlthough says: a round counts although something disturbed it, as rounds before it were disturbed too.
func CountsAlthough(round int, cause Note, again int) Note {
	return Note{CountsAlthoughCode, Args{"round": float64(round), "cause": cause, "repeated": float64(again)}}
}

// WarmupRepeated says: the warm-up did not count and was run again.
func WarmupRepeated(cause Note) Note {
	return Note{WarmupRepeatedCode, Args{"cause": cause}}
}

// Drift says: the rounds become costlier or cheaper; last third against the first, with Spearman's rank correlation.
func Drift(change, rank float64) Note {
	return Note{DriftCode, Args{"cost_change": change, "rank_correlation": rank}}
}

// OrderMatters says: the tests of a package depend on their order.
func OrderMatters(pkg, differs string) Note {
	return Note{OrderMattersCode, Args{"package": pkg, "test": differs}}
}

// ReachNeedsOthers says: tests that reach the chosen function fail without the others.
func ReachNeedsOthers(pkg, function, differs string) Note {
	return Note{ReachNeedsOthersCode, Args{"package": pkg, "function": function, "test": differs}}
}

// ReachOnly says: only tests that execute the chosen function count.
func ReachOnly(function string, n, of int) Note {
	return Note{ReachOnlyCode, Args{"function": function, "tests": float64(n), "of_tests": float64(of)}}
}

// NotRepeatable says: a test fails when it runs more than once in one process.
func NotRepeatable(test string) Note {
	return Note{NotRepeatableCode, Args{"test": test}}
}

// Repeated says: something happened while short tests were repeated within a round.
func Repeated(what Note) Note {
	return Note{RepeatedCode, Args{"what": what}}
}

// PackageMeterFailed says: the meter failed each time a package ran, and is left out.
func PackageMeterFailed(pkg string, times int, err string) Note {
	return Note{PackageMeterFailedCode, Args{"package": pkg, "times": float64(times), "error": err}}
}

// CallsMissing says: a program had more processors or tests than its counters have room for.
func CallsMissing(pkg string) Note {
	return Note{CallsMissingCode, Args{"package": pkg}}
}

// ModeInstrumented says: mode auto measured with probes, which are cheap.
func ModeInstrumented(probes float64) Note {
	return Note{ModeInstrumentedCode, Args{"probes_share": probes}}
}

// ModeSampled says: mode auto measured by samples, as probes cost too much.
func ModeSampled(probes float64) Note {
	return Note{ModeSampledCode, Args{"probes_share": probes}}
}

// ModeOfNecessity says: mode auto measured with probes, as samples cannot be taken.
func ModeOfNecessity(why string) Note {
	return Note{ModeOfNecessityCode, Args{"why": why}}
}

// GroupsBySamples says: components are goroutines or labels, which samples tell.
func GroupsBySamples(kind string) Note {
	return Note{GroupsBySamplesCode, Args{"kind": kind}}
}

// CallsByCoverage says: calls were counted in a round of its own, by the compiler's coverage.
func CallsByCoverage() Note { return Note{CallsByCoverageCode, Args{}} }

// CallsNotCounted says: the calls of a program without probes could not be counted.
func CallsNotCounted(program, why string) Note {
	return Note{CallsNotCountedCode, Args{"program": program, "why": why}}
}

// CallsOfTestsLost says: tests that passed when they were measured failed in the round that counts calls.
func CallsOfTestsLost(n int, names []string) Note {
	return Note{CallsOfTestsLostCode, Args{"tests": float64(n), "names": names}}
}

// LibraryFull says: more functions outside of the workspace ran than there are rows for.
func LibraryFull(rows int) Note { return Note{LibraryFullCode, Args{"rows": float64(rows)}} }

// LibraryKept says: functions outside of the workspace are components of the run, as a setting says.
func LibraryKept(how string) Note { return Note{LibraryKeptCode, Args{"how": how}} }

// ProfileServed says: a process that may not be sampled was measured by the CPU profile that it serves.
func ProfileServed(program, why string) Note {
	return Note{ProfileServedCode, Args{"program": program, "why": why}}
}

// CalmnessUnknown says: nothing is known of how far measuring changed the program, as it could not
// be run unmeasured.
func CalmnessUnknown(why string) Note {
	return Note{CalmnessUnknownCode, Args{"why": why}}
}

// SourceDiffers says: a process was built from other source than that in which its functions
// were looked up.
func SourceDiffers(program, built, here string) Note {
	return Note{SourceDiffersCode, Args{"program": program, "built": built, "here": here}}
}

// OwnProfile says: programs that the kernel may not sample were measured by their own CPU profiler.
func OwnProfile(why string) Note { return Note{OwnProfileCode, Args{"why": why}} }

// ProfilerTaken says: a program that was measured by its own CPU profiler was to start it, too.
func ProfilerTaken(program string) Note { return Note{ProfilerTakenCode, Args{"program": program}} }

// SamplesMissed says: a large part of a program's CPU time was sampled nowhere.
func SamplesMissed(program string, share float64) Note {
	return Note{SamplesMissedCode, Args{"program": program, "missed_share": share}}
}

// ThreadsNotSampled says: threads of a program could not be sampled.
func ThreadsNotSampled(program string, threads int, why string) Note {
	return Note{ThreadsNotSampledCode, Args{"program": program, "threads": float64(threads), "why": why}}
}

// ProgramNotPassed says: the program of a scenario failed, crashed or ran into its time limit.
func ProgramNotPassed(scenario, outcome, status string) Note {
	return Note{ProgramNotPassedCode, Args{"scenario": scenario, "outcome": outcome, "status": status}}
}

// StopIgnored says: a program did not end when it was told to, and was killed.
func StopIgnored(scenario, signal string) Note {
	return Note{StopIgnoredCode, Args{"scenario": scenario, "signal": signal}}
}

// ProcessesLeft says: a program ended and left processes running, which were killed.
func ProcessesLeft(scenario string, names []string) Note {
	return Note{ProcessesLeftCode, Args{"scenario": scenario, "names": names}}
}

// StacksMissing says: a program had more stacks than there is room for.
func StacksMissing(pkg string) Note {
	return Note{StacksMissingCode, Args{"package": pkg}}
}

// CountsIncomplete says: a test passed but stopped the probes from writing.
func CountsIncomplete(test string) Note {
	return Note{CountsIncompleteCode, Args{"test": test}}
}

// TestDidNotEnd says: a test did not end; the tests after it did not run.
func TestDidNotEnd(test, outcome, status string) Note {
	return Note{TestDidNotEndCode, Args{"test": test, "outcome": outcome, "status": status}}
}

// BenchmarkUnwound says: a benchmark panicked or called runtime.Goexit, but its program went on.
func BenchmarkUnwound(test string) Note {
	return Note{BenchmarkUnwoundCode, Args{"test": test}}
}

// TestsWaiting says: the program ended before parallel tests could go on.
func TestsWaiting(pkg string, tests []string) Note {
	return Note{TestsWaitingCode, Args{"package": pkg, "tests": tests}}
}

// EndedInInit says: a test program ended before TestMain, and ran no test.
func EndedInInit(pkg, status, output string) Note {
	return Note{EndedInInitCode, Args{"package": pkg, "status": status, "output": output}}
}

// EndedInTestMain says: TestMain ended a test program without a call of Run: no test ran.
func EndedInTestMain(pkg, status, output string) Note {
	return Note{EndedInTestMainCode, Args{"package": pkg, "status": status, "output": output}}
}

// ProgramEndedEarly says: a test program ended before its last test; tests are the last few of those that had begun.
func ProgramEndedEarly(pkg, status string, begun int, tests []string, output string) Note {
	return Note{ProgramEndedEarlyCode, Args{"package": pkg, "status": status, "begun": float64(begun), "tests": tests, "output": output}}
}

// ProgramFailed says: every test passed but the program ended with an error.
func ProgramFailed(pkg, status, output string) Note {
	return Note{ProgramFailedCode, Args{"package": pkg, "status": status, "output": output}}
}

// ProgramFailedFirst says: the tests ended with an error before any ran.
func ProgramFailedFirst(pkg, status, output string) Note {
	return Note{ProgramFailedFirstCode, Args{"package": pkg, "status": status, "output": output}}
}

// BlocksTooShort says: counting the blocks of a function changes what they take.
func BlocksTooShort(function string) Note {
	return Note{BlocksTooShortCode, Args{"function": function}}
}

// ProfileMissing says: a program left no CPU profile.
func ProfileMissing() Note {
	return Note{ProfileMissingCode, Args{}}
}

// ChildProcesses says: child processes used much of the CPU time, or of the energy; energy_share and programs may be unknown.
func ChildProcesses(cpu, energy float64, programs []string) Note {
	return Note{ChildProcessesCode, Args{"cpu_share": cpu, "energy_share": energy, "programs": programs}}
}

// GoroutinesOutlive says: a test left goroutines running, which the go statement in file and line started; the shares are what these used in later tests, of all that the tests used; energy_share may be unknown.
func GoroutinesOutlive(test string, goroutines int, function, file string, line int, cpu, energy float64) Note {
	return Note{GoroutinesOutliveCode, Args{"test": test, "goroutines": float64(goroutines), "function": function, "file": file, "line": float64(line), "cpu_share": cpu, "energy_share": energy}}
}

// MoreOutlive says: so many go statements more started goroutines that outlived their tests; energy_share may be unknown.
func MoreOutlive(statements int, cpu, energy float64) Note {
	return Note{MoreOutliveCode, Args{"statements": float64(statements), "cpu_share": cpu, "energy_share": energy}}
}

// NoProbeCalled says: no instrumented function was called in a test.
func NoProbeCalled(functions int) Note {
	return Note{NoProbeCalledCode, Args{"functions": float64(functions)}}
}

// NoSample says: no sample fell in a function.
func NoSample(functions int) Note {
	return Note{NoSampleCode, Args{"functions": float64(functions)}}
}

// RuntimeUnknown says: the Go runtime could not be instrumented.
func RuntimeUnknown(why string) Note {
	return Note{RuntimeUnknownCode, Args{"reason": why}}
}

// ScratchShared says: other users could replace the test programs.
func ScratchShared(why string) Note {
	return Note{ScratchSharedCode, Args{"reason": why}}
}

// ReadingsLost says: readings of the meter were lost.
func ReadingsLost() Note {
	return Note{ReadingsLostCode, Args{}}
}

// ActivityLost says: what ran in each millisecond is not recorded in full.
func ActivityLost() Note {
	return Note{ActivityLostCode, Args{}}
}

// ClockDiffers says: the clock of the machine that measured is ahead of that of the one that asked, by a
// time with its unit; with a minus it is behind.
func ClockDiffers(machine, ahead string) Note {
	return Note{ClockDiffersCode, Args{"machine": machine, "ahead": ahead}}
}

// EndedEarly says: the measurement ended before its last round.
func EndedEarly(err string) Note {
	return Note{EndedEarlyCode, Args{"error": err}}
}

// TimeUp says: the setting `for` left no time for another round; the run has all that were begun.
func TimeUp(bound string, rounds int) Note {
	return Note{TimeUpCode, Args{"for": bound, "rounds": float64(rounds)}}
}

// RoundsTooLong says: one more round was not worth its length; removing any one pivotal round changes the order.
func RoundsTooLong(kept int, ms float64, pivotal int) Note {
	return Note{RoundsTooLongCode, Args{"kept": float64(kept), "round_ms": ms, "pivotal": float64(pivotal)}}
}

// BegunAgain says: the measurement was begun again with another meter.
func BegunAgain(err string) Note {
	return Note{BegunAgainCode, Args{"error": err}}
}

// TestsNotCounted says: there are no data of the tests of a package.
func TestsNotCounted(err string) Note {
	return Note{TestsNotCountedCode, Args{"error": err}}
}

// OtherMeasurement says: another measurement ran on the machine at the same time, read by these processes.
func OtherMeasurement(processes []string) Note {
	return Note{OtherMeasurementCode, Args{"processes": processes}}
}

// NoBenchmarkMatches says: benchmarks were asked for, and none has such a name; hint says which there are.
func NoBenchmarkMatches(pattern, hint string) Note {
	return Note{NoBenchmarkMatchesCode, Args{"pattern": pattern, "hint": hint}}
}

// NoSubtestMatches says: the tests that were chosen ran, but none of their subtests did.
func NoSubtestMatches(pattern string) Note {
	return Note{NoSubtestMatchesCode, Args{"pattern": pattern}}
}

// PatternUseless says: one of several patterns of packages reaches no test.
func PatternUseless(pattern string) Note {
	return Note{PatternUselessCode, Args{"pattern": pattern}}
}

// PowerCoRunning says: a thread draws less, or more, where all processors are busy; the joules of functions
// take that into account.
func PowerCoRunning(domain string, change float64) Note {
	return Note{PowerCoRunningCode, Args{"domain": domain, "power_change": change}}
}

// PowerLate says: the counter shows a share of the energy late; the joules of functions take that into account.
func PowerLate(domain string, share, ms float64) Note {
	return Note{PowerLateCode, Args{"domain": domain, "late_share": share, "late_ms": ms}}
}

// PowerFrequency says: the power of everything that runs follows the frequency of the processors; the joules of functions take that into account.
func PowerFrequency(domain string) Note { return Note{PowerFrequencyCode, Args{"domain": domain}} }

// PowerDrifts says: the power of everything that runs drifts; the joules of functions take that into account.
func PowerDrifts(domain string) Note { return Note{PowerDriftsCode, Args{"domain": domain}} }
