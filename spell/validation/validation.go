// Package validation proves, or disproves, the joules of a machine: it compares what workloads drew
// while they ran alone, by the counter, with what attribution gave them while they ran mixed. It is
// given run records, and measures nothing: package runner/validate does.
//
// A workload alone is the reference. Its power is the gain of the counter, less that of an equal time of
// waiting and less the small parts of the program around it, for a second of its CPU time. A counter
// whose values are all wrong by one factor agrees with itself; only a second source shows that, see
// Source.
package validation

import (
	"io"

	"spell-lsp/spell"
	"spell-lsp/spell/jsonform"
	"spell-lsp/spell/record"
)

// Schema names the version of the JSON form.
const Schema = "spell-lsp/validation/v1"

// Module is the module of the workloads. Its package has a function for each of them.
const Module = "spell-lsp.invalid/workloads"

// Waiting is the workload that waits. It draws next to nothing, so it has no relative error.
const Waiting = "Wait"

// Workloads are the names of the functions, and what they do.
var Workloads = []struct{ Name, About string }{
	{"Integer", "integer arithmetic"},
	{"Float", "floating point"},
	{"Memory", "memory beyond the caches"},
	{"Branch", "unpredictable branches"},
	{"System", "system calls"},
	{Waiting, "idle waits"},
}

// AloneTest is the test that runs one workload.
func AloneTest(workload string) string { return "TestAlone" + workload }

// The tests that run all workloads: one after the other, and on two goroutines.
const (
	MixedTest      = "TestMixed"
	ConcurrentTest = "TestConcurrent"
)

// A Verdict is what a validation has found.
type Verdict string

// The verdicts. Results of the last group have no figures.
const (
	Validated Verdict = "validated"
	Beyond    Verdict = "beyond the bars" // attribution is wrong by more than the bars
	Undecided Verdict = "undecided"       // the rounds differ, or the intervals are too wide

	Contradictory Verdict = "contradictory counter" // the counter contradicts itself, or a second source
	Changed       Verdict = "changed machine"       // the machine became slower or faster meanwhile

	Busy      Verdict = "busy machine"
	NoCounter Verdict = "no counter"
	Shared    Verdict = "shared counter" // a share of the host's energy, which the host computes from CPU time
	Frozen    Verdict = "failed counter" // stood still, or could not be read
	Blind     Verdict = "blind counter"  // advances, but not with the load
	Ended     Verdict = "ended early"    // the workload or the link to the machine failed, not the counter
	Slow      Verdict = "slow counter"   // changes too seldom to see single workloads
)

// Figures says whether results with the verdict have figures.
func (v Verdict) Figures() bool {
	return v == Validated || v == Beyond || v == Undecided || v == Contradictory || v == Changed
}

// A Result is what people send in. It has no names of hosts, users or folders.
type Result struct {
	Schema  string  `json:"schema"`
	Version string  `json:"version"` // of spell-lsp
	Date    string  `json:"date"`    // 2026-01-31
	Seconds float64 `json:"seconds"` // that it took
	Seed    uint32  `json:"seed"`    // of the random order
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why"` // in sentences
	// Detail is what the system said, and what helps, in lines. It may have names, and is in the text only.
	Detail  string  `json:"-"`
	Machine Machine `json:"machine"`
	Meter   Meter   `json:"meter"`
	// OtherWorkloads says that the workloads were not the built-in ones.
	OtherWorkloads bool `json:"other_workloads,omitempty"`
	// Others is the share of the processors' time that other processes used during the references.
	Others float64 `json:"others"`
	// Dropped is how many rounds were measured again, for steal time or faults of the counter.
	Dropped    int        `json:"dropped_rounds"`
	IdleW      float64    `json:"idle_w"` // while the workload waited
	Workloads  []Workload `json:"workloads,omitempty"`
	Mixed      *Phase     `json:"mixed,omitempty"`
	Concurrent *Phase     `json:"concurrent,omitempty"` // nil on a machine with one processor
	Sources    []Source   `json:"second_sources,omitempty"`
	// Unsought says that second sources were not looked for: those of this machine say nothing of another
	// one, or of counters in a folder that was named. Only psys, which is read with the counter, may be there.
	Unsought bool `json:"second_sources_not_looked_for,omitempty"`
}

// A Machine is what is known of the machine. Texts are empty where it is not known.
type Machine struct {
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	CPU        string `json:"cpu"`
	Cores      int    `json:"cores"`
	Virtual    bool   `json:"virtual"`
	Hypervisor string `json:"hypervisor"`
	Kernel     string `json:"kernel"` // digits and dots: what follows may name a machine
	Governor   string `json:"governor"`
	Go         string `json:"go"`
}

// A Meter is the counter and what reading it costs.
type Meter struct {
	Name       string         `json:"name"`
	Domains    []spell.Domain `json:"domains,omitempty"`
	UpdateMS   float64        `json:"update_ms"`   // interval at which the counter changes
	GapP99MS   float64        `json:"gap_p99_ms"`  // see record.Meter
	TimingMS   float64        `json:"timing_ms"`   // see record.Meter
	SamplerCPU float64        `json:"sampler_cpu"` // processors that reading it kept busy
	// Simulated says that the counters were in a folder that the user named, so not the system's own.
	Simulated bool `json:"simulated"`
}

// A Figure is a value and the half of its 95 % interval.
type Figure struct {
	Value float64 `json:"value"`
	Half  float64 `json:"half"`
}

// A Workload is one row of the table.
type Workload struct {
	Name string `json:"name"`
	// AloneW is the power of its CPU time while it ran alone, above that of a waiting machine. StartW and
	// EndW are those before and after the mixed phases. All are 0 for Waiting.
	AloneW Figure `json:"alone_w"`
	StartW Figure `json:"start_w"`
	EndW   Figure `json:"end_w"`
	// Range is between the largest and the smallest round before the mixed phases, or after them,
	// relative to their mean.
	Range float64 `json:"range"`
	// Slower is by how much more CPU time a call took at the end than at the start: 0.05 is 5 %.
	Slower     float64     `json:"slower"`
	Mixed      *Difference `json:"mixed,omitempty"`
	Concurrent *Difference `json:"concurrent,omitempty"`
}

// A Difference is what attribution gave to a workload, beside what it draws alone; for a round.
type Difference struct {
	Calls       float64 `json:"calls"`
	ReferenceJ  float64 `json:"reference_j"`
	AttributedJ float64 `json:"attributed_j"`
	Error       Figure  `json:"error"` // relative; of Waiting its share of all energy of workloads
	// Unknown says that the interval of the error is not known; the half is 0 or too small then.
	Unknown bool    `json:"interval_unknown,omitempty"`
	Spread  float64 `json:"spread"` // between the largest and the smallest error of the measurements
}

// A Phase is all measurements of one kind, which know nothing of each other or of the references.
type Phase struct {
	Measurements int     `json:"measurements"`
	CounterJ     float64 `json:"counter_j"`    // for a round
	IdleJ        float64 `json:"idle_j"`       // the power of waiting for that long
	RestJ        float64 `json:"rest_j"`       // attributed to the Go runtime, test code and other processes
	ReferencesJ  float64 `json:"references_j"` // the workloads' powers alone for their CPU time
	// Additivity is by how much the counter, less idle and rest, differs from the references.
	Additivity Figure `json:"additivity"`
	// Slower is by how much more CPU time the calls took than alone.
	Slower      float64 `json:"slower"`
	MedianError float64 `json:"median_error"`
	MedianHalf  float64 `json:"median_half"` // of the intervals of the errors
	WorstHalf   float64 `json:"worst_half"`  // the widest of them
	// Unknown is how many of these intervals are not known.
	Unknown     int     `json:"intervals_unknown,omitempty"`
	WorstError  float64 `json:"worst_error"`
	WaitingPart float64 `json:"waiting_share"` // of the workloads' energy that Waiting got
}

// A Source is another source of energy beside the counter, over the same time.
type Source struct {
	Name string `json:"name"`
	// Whole says that it covers the whole machine and not only what the counter covers.
	Whole    bool    `json:"whole_machine"`
	SourceJ  float64 `json:"source_j"`
	CounterJ float64 `json:"counter_j"`
	// Failed is why it could not be compared, "" if it was: both energies are 0 then.
	Failed string `json:"failed,omitempty"`
}

// Bars are the limits of a validation, as shares.
type Bars struct {
	Median, Worst float64 // errors of workloads
	Waiting       float64 // share of the energy that Waiting may get
	// Additivity is by how much the counter may differ from the sum of the references, and the power of a
	// workload alone between start and end.
	Additivity float64
	Interval   float64 // half of an interval
	Unsteady   float64 // spread of the rounds of a workload alone
	Others     float64 // share of the processors that other processes may use; 1 = any
	OthersCPUs float64 // and how many processors at most
	Slower     float64 // change of the CPU time of calls from which on the machine changed, not the counter
	Twin       float64 // difference from another reader of the same counter
}

// OthersLimit is the share of so many processors that other processes may use.
func (b Bars) OthersLimit(cores int) float64 {
	if b.Others >= 1 {
		return b.Others
	}
	return min(b.Others, b.OthersCPUs/float64(max(1, cores))) // a workload alone keeps one busy, however many there are
}

// DefaultBars are those of the command.
var DefaultBars = Bars{Median: 0.05, Worst: 0.15, Waiting: 0.01, Additivity: 0.05, Interval: 0.10, Unsteady: 0.10, Others: 0.05, OthersCPUs: 0.5, Slower: 0.03, Twin: 0.02}

// Measurements are the records of a validation, in the order in which they were made.
type Measurements struct {
	Start, End        *record.Run // tests that run one workload each
	Mixed, Concurrent []*record.Run
	Sources           []Source
}

// WriteJSON writes the JSON form.
func (r *Result) WriteJSON(w io.Writer) error {
	return jsonform.Write(w, "the validation", r)
}
