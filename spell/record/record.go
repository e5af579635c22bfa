// Package record holds the run record: everything that came out of one measurement,
// with sums over its tests and cells. It neither reads nor writes (recordjson), checks
// (validity), ranks (ranking), regroups (grouping) nor follows calls (calltree).
package record

import (
	"cmp"
	"slices"
	"time"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// Schema names the version of the JSON form that this package writes.
const Schema = "spell-lsp/run/v1"

// A Source says how the figures of a meter came to be.
type Source string

// The sources. Estimated figures are never shown as measured ones, and the
// two never meet in one ranking or comparison.
const (
	Measured  Source = "measured"  // read from a hardware counter
	Estimated Source = "estimated" // computed by a model
	NoEnergy  Source = "none"      // nothing is known about energy: calls and CPU time only
)

// An Outcome says how a test ended.
type Outcome string

// The outcomes of a test.
const (
	Pass    Outcome = "pass"
	Fail    Outcome = "fail"
	Skip    Outcome = "skip"
	Timeout Outcome = "timeout"
	Crash   Outcome = "crash" // a panic, os.Exit, a signal: the test did not end
)

// Severity orders outcomes: of a test that ended in several ways, the most severe one counts.
func (o Outcome) Severity() int { return slices.Index([]Outcome{Skip, Pass, Fail, Crash, Timeout}, o) }

// Degraded is the quality of a meter whose readings came too late too often.
const Degraded = "degraded"

// A Run is one measurement. It does not change once it was made. All numbers
// of tests, components and cells are per round: the mean of the rounds kept.
type Run struct {
	Schema     string    `json:"schema"`
	ID         string    `json:"id"`
	Started    time.Time `json:"started"`
	DurationMS float64   `json:"duration_ms"`
	Partial    bool      `json:"partial"` // interrupted: only what was measured until then

	Workspace Workspace `json:"workspace"`
	Host      Host      `json:"host"`
	Meter     Meter     `json:"meter"`

	Settings      map[string]any `json:"settings"` // what the run was asked for, by configuration key
	Mode          string         `json:"mode"`     // instrument or sample
	Granularity   spell.Kind     `json:"granularity"`
	Rounds        int            `json:"rounds"`         // rounds kept
	DroppedRounds int            `json:"dropped_rounds"` // rounds left out for a recorded cause
	Dropped       []Dropped      `json:"dropped,omitempty"`
	Converged     bool           `json:"converged"`
	Seed          uint32         `json:"seed,omitempty"` // of the order of programs and tests; 0 = not known
	// PeriodMS is the CPU time of a thread between samples, and the time between readings of the
	// meter where its own is shorter; 0 = not known.
	PeriodMS float64 `json:"period_ms,omitempty"`
	// Calmness says how far measuring changed the program; nil where it was not looked at.
	Calmness *Calmness `json:"calmness,omitempty"`
	// ReferenceMS is the CPU time of the reference workload in each round that was kept. It
	// tells a slower machine from a slower program. It has Rounds values, or none.
	ReferenceMS []float64 `json:"yardstick_ms,omitempty"`
	// Nodes are the machines that ran the rounds, in the order of the rounds, where these were spread
	// over machines like Host; else none.
	Nodes []Node `json:"nodes,omitempty"`

	// Analysis says how Analyze ranked the run; nil before.
	Analysis *Analysis `json:"analysis,omitempty"`
	// Localization says how well the tests of the analysis tell components apart; it is set
	// when the record is written.
	Localization *Localization `json:"localization,omitempty"`
	// StructureAndEnergy are the correlations of energy with the structure of functions; they are set when
	// the record is written. There are none of fewer than ten functions.
	StructureAndEnergy []spell.StructureCorrelation `json:"structure_and_energy,omitempty"`

	Tests      []Test      `json:"tests"`
	Components []Component `json:"components"` // by rank
	// Groups are the goroutines and labels that Component.GroupTime refers to. There are none of a kind
	// where that is not known, see NotSampled.
	Groups []Group `json:"groups,omitempty"`
	// CallTree says who called whom, as samples of the stack saw it; callers stand before
	// their callees. It is empty if it is not known.
	CallTree []CallNode `json:"call_tree,omitempty"`
	// IdenticalBodies are functions with the body of a component that are no components:
	// no test ran them, or they have no probe. The values of the component are not theirs.
	IdenticalBodies []IdenticalBody `json:"twins,omitempty"`
	// Notes are the facts that a reader of the measurement must know. Meter and Analysis
	// have notes of their own; AllNotes has all.
	Notes []note.Note `json:"notes"`
	// Warnings are facts without a code, as in records of older versions. In the JSON form
	// the texts of Notes stand before them.
	Warnings []string `json:"warnings"`
	Matrix   Matrix   `json:"-"` // in the JSON form a list of Cell
}

// Analysis says how a ranking was made: the basis of its psi, ranks and zones.
type Analysis struct {
	// Order is what the ranks and zones follow; "", in records of older versions, is psi.
	Order   spell.Order              `json:"order,omitempty"`
	Oracle  spell.Oracle             `json:"oracle"`
	Weights map[spell.Domain]float64 `json:"weights"` // of the meter's domains
	Zones   Zones                    `json:"zones"`
	// IncludeFailed says that tests count although they did not pass.
	IncludeFailed bool `json:"include_failed,omitempty"`
	// Inclusive says that values are cumulative: they do not add up.
	Inclusive bool `json:"inclusive,omitempty"`
	// Notes and Warnings are about the ranking; see Run.
	Notes    []note.Note `json:"notes,omitempty"`
	Warnings []string    `json:"warnings,omitempty"`
}

// RankedBy is the order of the ranks and zones. A record without an analysis is ranked by psi.
func (a *Analysis) RankedBy() spell.Order {
	if a == nil {
		return spell.ByPsi
	}
	return cmp.Or(a.Order, spell.ByPsi)
}

// Zones are the thresholds of a spell.ZoneRule, as they were used; none is -1.
type Zones struct {
	Rule   string  `json:"rule"` // Pareto: shares of all scores that the first components reach together; or Absolute
	Red    float64 `json:"red"`
	Yellow float64 `json:"yellow"`
	Floor  float64 `json:"floor,omitempty"` // pareto only
}

// Dropped is a round that was left out.
type Dropped struct {
	Round int    `json:"round"` // number of the execution, from 1; warm-up is not counted
	Cause string `json:"cause"` // in words, without a full stop; Note has it too, if it has a code
	// Note is the cause; zero in records of older versions.
	Note note.Note `json:"note,omitzero"`
}

// Why is the cause as a note.
func (d *Dropped) Why() note.Note {
	if d.Note.Code == "" {
		return note.Text(d.Cause)
	}
	return d.Note
}

// An IdenticalBody is a function that is no component; its fields are those of Component.
type IdenticalBody struct {
	ID      string `json:"id"`
	Package string `json:"package"`
	File    string `json:"file"`
	Hash    string `json:"hash"`
}

// Workspace says which source was measured.
type Workspace struct {
	Root     string `json:"root"`
	Module   string `json:"module"`
	Revision string `json:"revision"` // of the version control system, "" if unknown
	Dirty    bool   `json:"dirty"`
}

// Host is the machine that ran the measurement.
type Host struct {
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
	Virtual bool   `json:"virtual"`
	Go      string `json:"go"`
}

// A Node is one of several machines that ran the rounds of a run.
type Node struct {
	Name   string `json:"name"`
	Rounds int    `json:"rounds"` // that it ran: they follow those of the node before
	// Deviation is by how much the energy of its rounds, or their time where none is known, differs from
	// that of the other nodes, relative to theirs; 0 where that is no more than chance.
	Deviation float64 `json:"deviation,omitempty"`
}

// Meter is the source of the energy figures.
type Meter struct {
	Name    string         `json:"name"`
	Source  Source         `json:"source"`
	Domains []spell.Domain `json:"domains"`
	// Separate are the names of counters that are shown beside the domains: psys, of the whole machine as
	// far as its maker connected it, and package-N and dram-N, of one of several packages and its memory.
	// Their energy holds that of domains, or is a part of it: it is in no sum, share or comparison.
	Separate     []string    `json:"separate,omitempty"`
	ResolutionMS float64     `json:"resolution_ms"`
	IdleW        float64     `json:"idle_w"`                // all domains together
	Quality      string      `json:"quality,omitempty"`     // "" or Degraded
	GapP99MS     float64     `json:"gap_p99_ms,omitempty"`  // 99 of 100 readings came within this time of the one before
	TimingMS     float64     `json:"timing_ms,omitempty"`   // how well the moments of the readings are known: standard deviation
	SamplerCPU   float64     `json:"sampler_cpu,omitempty"` // cores that the reading of the meter kept busy
	Root         string      `json:"root,omitempty"`        // folder of the counters, where it was not the system's own
	Notes        []note.Note `json:"notes,omitempty"`       // what a reader must know of the meter
	Warnings     []string    `json:"warnings"`              // as in Run
}

// Energy is joules by domain.
type Energy map[spell.Domain]float64

// Total is the sum over all domains in joules.
func (e Energy) Total() float64 {
	var sum float64
	for _, d := range spell.Domains() { // in a fixed order: floating-point sums depend on it
		sum += e[d]
	}
	return sum
}

// A Calmness says how far measuring changed the program: what it compares are rounds of the
// program as it is with measured ones, in turns.
type Calmness struct {
	Verdict     string   `json:"verdict"` // calm, disturbed or undecided
	Rounds      int      `json:"rounds"`  // plain ones; 0 = there were too few rounds to compare
	TimeChange  Change   `json:"time_change"`
	CPUChange   Change   `json:"cpu_time_change"`
	OverTime    *float64 `json:"over_time_r,omitempty"`  // correlation of the distributions over time; nil if too few readings
	OverCores   *float64 `json:"over_cores_r,omitempty"` // and over cores
	Frequencies bool     `json:"frequencies,omitempty"`  // these are distributions of frequencies; else of the CPU time of cores
	// Others are why the period is the run's: verdicts of earlier measurements at other periods.
	Others []OtherPeriod `json:"other_periods,omitempty"`
	Text   string        `json:"text,omitempty"` // all of it in one line; set when the record is written
}

// An OtherPeriod is one at which the program was measured before.
type OtherPeriod struct {
	PeriodMS float64 `json:"period_ms"`
	Verdict  string  `json:"verdict"`
}

// A Change is relative: 0.05 is 5 % more. CI is its 95 % interval; nil where it is not known.
type Change struct {
	Relative float64     `json:"relative"`
	CI       *[2]float64 `json:"ci,omitempty"`
}

// A Test is a row of the matrix.
type Test struct {
	Name    string  `json:"name"` // import path, dot, the test's name
	Outcome Outcome `json:"outcome"`
	Rounds  int     `json:"rounds"`
	// Repeats is how often the test was executed within a round, on average: at
	// least 1, or 0, which stands for 1. Of a benchmark it is how many operations it did.
	Repeats float64 `json:"repeats,omitempty"`
	// PerOperation says that the test is a benchmark, and that all its values, also those of
	// its cells, are those of one operation (b.N of package testing). Benchmarks without it
	// are of earlier versions: their values are of all operations.
	PerOperation bool   `json:"per_operation,omitempty"`
	EnergyJ      Energy `json:"energy_j"` // the reading of the counter
	// SeparateJ is the energy of Meter.Separate while the test ran, by name; see there.
	SeparateJ     map[string]float64 `json:"separate_j,omitempty"`
	TimeMS        float64            `json:"time_ms"` // wall time
	UnattributedJ Energy             `json:"unattributed_j"`
	// Unattributed divides UnattributedJ into parts. Records of other tools may not have it.
	Unattributed map[Part]Unattributed `json:"unattributed,omitempty"`
	ProbeMS      float64               `json:"probe_ms"` // running time of the probes, which is part of TimeMS and of no component
	// BelowResolution says that all executions together are too short for the counter.
	BelowResolution bool `json:"below_resolution,omitempty"`
	// AllocBytes and AllocObjects are what all of its code allocated, as in Component: what
	// components did not was test code, a goroutine of an ended test or the runtime.
	AllocBytes   float64 `json:"alloc_bytes,omitempty"`
	AllocObjects float64 `json:"alloc_objects,omitempty"`
	// RoundEnergyJ and RoundTimeMS are EnergyJ and TimeMS by round, in the order of the
	// rounds that were kept: Run.Rounds values, or none if the test did not run in all.
	RoundEnergyJ map[spell.Domain][]float64 `json:"round_energy_j,omitempty"`
	RoundTimeMS  []float64                  `json:"round_time_ms,omitempty"`

	Package string `json:"package,omitempty"`
	Output  string `json:"output,omitempty"` // the end of what a test that did not pass printed
	// ExitCode is that of the program of a scenario, as a shell has it: 128 and the number of the
	// signal that ended it. nil for tests.
	ExitCode *int `json:"exit_code,omitempty"`

	// Budgets stood above the function of the test when it was measured. File and Hash are as in
	// Component, of that function; "" without budgets.
	Budgets []Budget `json:"budgets,omitempty"`
	File    string   `json:"file,omitempty"`
	Hash    string   `json:"hash,omitempty"`
}

// A Budget is a comment above a function that limits what it may cost, see package budget.
type Budget struct {
	Text string `json:"text"` // amounts: "25mJ/call, 2ms/call"
	Line int    `json:"line"` // of the comment, in the file of the function
}

// A Part is a use of energy outside of all components.
type Part string

// The parts.
const (
	Idle      Part = "idle machine"
	Others    Part = "other processes"
	Collector Part = "garbage collector" // with the other goroutines of the Go runtime
	Scheduler Part = "scheduler"         // with all other time outside of goroutines: system stacks, threads of C
	TestCode  Part = "test code"         // with code outside of the measured packages
	// OutsideCode is in place of TestCode where a program was run: goroutines that run no function
	// of the module, such as those of net/http.
	OutsideCode Part = "code outside the module"
	Probes      Part = "probes"
	Sampler     Part = "energy sampler" // the process that reads the meter
	// Children are all processes that descend from the program under test, less what goroutines
	// ran of those that have probes.
	Children Part = "child processes"
	// Strays are goroutines of the program that go on when the test is over that started them.
	Strays Part = "goroutines of ended tests"
	// NotByFunction is the energy above idle of domains that are known by test only, see
	// Run.TestOnly.
	NotByFunction Part = "not known by function"
	// MovedByNone is the energy above idle of bytes that no function moved: child processes, C
	// code, page faults, the kernel, and other programs on the same network.
	MovedByNone Part = "moved by no function"
	// Unsampled is, of programs without probes, CPU time that no sample stands for: of threads before
	// they were found, and after their last sample.
	Unsampled Part = "not sampled"
)

// Unattributed is the time and energy of one part.
type Unattributed struct {
	TimeMS  float64 `json:"time_ms"` // CPU time; 0 of the idle machine
	EnergyJ Energy  `json:"energy_j"`
}

// A Component is a unit that is ranked, with its measured values and the results of the
// analysis. Measured values are over all tests, also those that the analysis leaves out.
// Cumulative values of 0 beside self values above 0 are not known. Those of packages, files,
// types and blocks are the self values, which are a lower bound.
type Component struct {
	ID      string     `json:"id"`
	Kind    spell.Kind `json:"kind"`
	Package string     `json:"package"`
	File    string     `json:"file"`
	Line    int        `json:"line"`
	Column  int        `json:"column"`
	EndLine int        `json:"end_line"`
	Hash    string     `json:"hash"`
	N       float64    `json:"n"`
	TimeMS  float64    `json:"time_ms"` // self, running
	WallMS  float64    `json:"wall_ms"` // cumulative, from entry to exit, waiting included
	EnergyJ Energy     `json:"energy_j"`
	// EnergyCI is the 95 % interval of EnergyJ by domain, in joules: [lower, upper].
	EnergyCI  map[spell.Domain][2]float64 `json:"energy_ci_j,omitempty"`
	CumTimeMS float64                     `json:"cum_time_ms"`
	// CumEnergyJ includes the callees; recursion counts once.
	CumEnergyJ Energy             `json:"cum_energy_j"`
	EPIJ       float64            `json:"epi_j"`
	Phi        map[string]float64 `json:"phi"` // by domain, and "n" and "time"
	Psi        float64            `json:"psi"`
	PsiCI      [2]float64         `json:"psi_ci"`           // 95 % interval of Psi; [0, 0] where it is not known
	Rank       int                `json:"rank"`             // from 1
	RankCI     [2]int             `json:"rank_ci,omitzero"` // 95 % interval of Rank; [0, 0] where it is not known
	Zone       spell.Zone         `json:"zone"`
	// ZoneByRule is the zone that the rule gives; "" where that is Zone.
	ZoneByRule spell.Zone `json:"zone_by_rule,omitempty"`
	// KeptZone is the zone that it keeps from an earlier run, because neither its code nor its
	// energy has changed, "" = none. Zone may be another, see spell.Options.Kept. KeptEnergyJ (all
	// domains), KeptTimeMS and KeptN are its values in that run.
	KeptZone        spell.Zone `json:"kept_zone,omitempty"`
	KeptEnergyJ     float64    `json:"kept_energy_j,omitempty"`
	KeptTimeMS      float64    `json:"kept_time_ms,omitempty"`
	KeptN           float64    `json:"kept_n,omitempty"`
	Tied            bool       `json:"tied,omitempty"` // its rank_ci, or in the order psi its psi_ci, overlaps that of a neighbour in the ranking
	BelowResolution bool       `json:"below_resolution"`
	// Callees are the functions without a probe in which it spent most of its self time, the
	// most first. There are none where that is not known.
	Callees []Callee `json:"unmeasured_callees,omitempty"`
	// Lines are the lines of its source in which it spent most of its self time, the most first.
	// There are none where they are not known, nor of a package, file or type.
	Lines []Line `json:"lines,omitempty"`
	// LinesHash is that of its text, see TextHash, with which Lines are right; "" without Lines.
	LinesHash string `json:"lines_hash,omitempty"`
	// GroupTime divides its own time among Run.Groups, by samples; what lacks of that has none.
	GroupTime []GroupTime `json:"group_time,omitempty"`
	// Functions are those in which goroutines, or those of a label, spent most of their time, the most
	// first. Components that are no such groups have none.
	Functions []FunctionTime `json:"functions,omitempty"`
	// SizedCalls are its timed calls by the sizes of their arguments, at most two. There are none of what is no function, nor
	// of one whose calls are short, or that has no sizes.
	SizedCalls []SizedCalls `json:"sized_calls,omitempty"`
	// Budgets stood above the function when it was measured.
	Budgets     []Budget `json:"budgets,omitempty"`
	Explanation string   `json:"explanation,omitempty"`
	// RoundEnergyJ and RoundTimeMS are self energy and self time by round, in the order of
	// the rounds that were kept: Run.Rounds values, or none. Comparisons pair them.
	RoundEnergyJ map[spell.Domain][]float64 `json:"round_energy_j,omitempty"`
	RoundTimeMS  []float64                  `json:"round_time_ms,omitempty"`
	// AllocBytes and AllocObjects are what it allocated on the heap, by samples: bytes of the
	// slots, and objects, of which small ones without pointers may share a slot and count as one.
	// Callees that are components are left out. 0 where the runtime could not be edited.
	AllocBytes   float64 `json:"alloc_bytes,omitempty"`
	AllocObjects float64 `json:"alloc_objects,omitempty"`
	// CausedJ and CausedMS are the part of what the garbage collector used in the tests, assists
	// included, that goes by the component's share of the bytes in each test. They are the
	// collector's, and in no other value of the component.
	CausedJ  Energy  `json:"caused_j,omitempty"`
	CausedMS float64 `json:"caused_ms,omitempty"`
	Bytes
	// Structure is that of the function in its source, where it was measured by this program.
	spell.Structure
}

// Bytes are those that a component moved itself, without its callees: of files, also where they
// were in memory, and on sockets of the internet families, loopback included. They are 0 where
// bytes were not counted.
type Bytes struct {
	ReadBytes     float64 `json:"read_bytes,omitempty"`
	WrittenBytes  float64 `json:"written_bytes,omitempty"`
	ReceivedBytes float64 `json:"received_bytes,omitempty"`
	SentBytes     float64 `json:"sent_bytes,omitempty"`
}

// Add adds c to b.
func (b *Bytes) Add(c Bytes) {
	b.ReadBytes, b.WrittenBytes = b.ReadBytes+c.ReadBytes, b.WrittenBytes+c.WrittenBytes
	b.ReceivedBytes, b.SentBytes = b.ReceivedBytes+c.ReceivedBytes, b.SentBytes+c.SentBytes
}

// The rules of Zones.
const (
	Pareto   = "pareto"
	Absolute = "absolute"
)

// MaxNumber is the largest number that a valid record has: far above anything real,
// and small enough for all sums to be finite.
const MaxNumber = 1e300
