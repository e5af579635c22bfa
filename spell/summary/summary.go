// Package summary describes what a reader must know of a run before anything else, as facts
// that package wording writes: who holds how much, what belongs to no component, and what
// makes the figures doubtful. It knows nothing of runs; package ranking fills it in.
package summary

import (
	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
	"spell-lsp/spell/note"
)

// A Summary is what must be known first. Amounts are per round, in the unit of Of: joules,
// milliseconds or executions. Shares are from 0 to 1. Components are indexes of the run.
type Summary struct {
	Kind  spell.Kind
	By    spell.Criterion // what ranks and zones follow
	Of    spell.Criterion // what is added up: energy, else time, else executions; never psi
	Basis Basis           // where the energy comes from
	Meter string
	Root  string // of the meter's counters, if it is not the system's
	File  bool   // a file that another tool wrote: nothing is known of rounds

	Tests      int     // that count
	Row        string  // what a test is called; see record.Run.RowWord
	Components int     // all of them
	Excluded   bool    // no function was a component, as the measurement asked: --exclude '*', also of choose
	Held       float64 // by all components together
	Whole      float64 // Held and Outside
	Leading    Leading
	Items      []Item // components in the order that was asked for
	Outside    []Part // what belongs to no component, the largest first; nil where it is not known
	Waiting    Waiting

	Partial   bool // the measurement was interrupted
	Inclusive bool // values include those of callees, so that they do not add up
	// Doubts make the figures doubtful. Notes are the others, which change nothing about
	// the reading of the figures.
	Doubts, Notes []note.Note
}

// A Basis says where energy comes from.
type Basis string

// The bases.
const (
	Measured        Basis = "measured"
	Estimated       Basis = "estimated"
	EstimatedByTime Basis = "estimated-by-time" // a fixed number of watts x CPU time
	HostsShare      Basis = "hosts-share"       // estimated, of programs as a whole
	Unstated        Basis = "unstated"          // a file gives it, and does not say
	NoEnergy        Basis = "none"
)

// Leading are the components to look at first: the red ones or, where none is red, the first.
type Leading struct {
	Red   bool
	Count int // 0 if no component holds anything
	First int // the component with the best rank
	Share float64
	// Most is a component that alone holds more than these together, as there may be where
	// the ranks follow something else.
	Most      int
	MostShare float64 // 0 if there is none
}

// An Item is one component.
type Item struct {
	Component int
	Amount    float64
	Share     float64 // of Held
	Why       explanation.Explanation
	Caller    Caller
}

// A Caller is the component that calls another so that most of the cost of that one is for it.
// The zero value stands for none.
type Caller struct {
	Component int
	Share     float64 // of the cost of the one that is called, its callees included; 0 for no caller
}

// A Place is where something is used that belongs to no component.
type Place string

// The places.
const (
	TestCode       Place = "test code"
	OutsideCode    Place = "code outside the module"
	Collector      Place = "garbage collector"
	Scheduler      Place = "scheduler"
	ChildProcesses Place = "child processes"
	EndedTests     Place = "goroutines of ended tests"
	NotByComponent Place = "not by component"      // domains that are known by test only
	MovedByNone    Place = "moved by no component" // bytes that no component moved
	IdleMachine    Place = "idle machine"
	OtherProcesses Place = "other processes"
	Probes         Place = "probes"
	Sampler        Place = "energy sampler"
	Unsampled      Place = "not sampled"
	Elsewhere      Place = "elsewhere" // all that has no name
)

// ofProgram tells whether the program under test causes what the place uses: otherwise it
// says nothing about the program.
func (p Place) ofProgram() bool {
	switch p {
	case TestCode, OutsideCode, Collector, Scheduler, ChildProcesses, EndedTests, NotByComponent, MovedByNone, Unsampled:
		return true
	default:
		return false
	}
}

// A Part is what a place used.
type Part struct {
	Place  Place
	Amount float64
}

// A Waiting is of tests that mostly wait. The zero value is of others.
type Waiting struct {
	WallMS float64
	RanMS  float64 // CPU time of components, test code and all else that the tests ran
}

// worthSaying is the share of the whole from which on a part is named.
const worthSaying = 0.05

// Notable are the parts of Outside that are worth a word; rest is the sum of the others.
func (s *Summary) Notable() (parts []Part, rest float64) {
	for _, p := range s.Outside {
		if p.Amount >= worthSaying*s.Whole {
			parts = append(parts, p)
		} else {
			rest += p.Amount
		}
	}
	return parts, rest
}

// Program is what the program under test used: the components and what else it caused.
func (s *Summary) Program() float64 {
	sum := s.Held
	for _, p := range s.Outside {
		if p.Place.ofProgram() {
			sum += p.Amount
		}
	}
	return sum
}

// Mostly is what used most of what the program used, if components hold less than half of it:
// that must be said before any of them is named. ok is false where they hold more.
func (s *Summary) Mostly() (part Part, ok bool) {
	if s.Held >= s.Program()/2 {
		return Part{}, false
	}
	for _, p := range s.Outside {
		if p.Place.ofProgram() {
			return p, true
		}
	}
	return Part{}, false
}
