package runner

import (
	"slices"
	"time"

	"spell-lsp/runner/attribution"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/fitness"
	"spell-lsp/runner/meter"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A measurement is one call of Measure under way.
type measurement struct {
	Params
	view      spell.Kind // by what the run of functions is shown in the end; "" = as it is
	started   time.Time  // by the clock of whoever asked
	began     time.Time  // by the clock of this machine
	scratch   string     // folder for temporary files
	meter     *execution.Meter
	info      meter.Info // of meter
	machine   attribution.Machine
	reference execution.Reference
	model     *attribution.Model
	sampling  *execution.Sampling // nil where programs have probes
	unsampled error               // with sampling: why no program can be sampled; nil if it can
	outsiders int                 // functions outside of the workspace that are components
	load      probeLoad           // of ModeAuto
	whole     bool                // programs are measured as wholes, and not by test
	period    time.Duration       // of samples, and of readings of the meter
	calmness  calmness
	subject
	supply     Supply
	builtIn    string            // of a Task: Task.Built
	builtTexts []string          // of a Task: Task.Texts
	base       string            // of a Task: its tree here
	library    map[string]bool   // of a Task: the packages of the standard library
	complete   func(*record.Run) // if not nil, is called with a run of the rounds so far after each
	programs   []program
	series
	pace    pace
	verdict verdict                   // about the rounds kept so far; of --rounds auto
	first   map[string]*firstOutcomes // by package
	faults  map[string]int            // consecutive faults of the meter, by package that was executed
	notes   []note.Note               // may repeat themselves
	fitness *fitness.Watch            // of the machine, since the first round
	lookout *lookout                  // nil looks for no other measurement
	closing []func()
}

func (m *measurement) note(notes ...note.Note) { m.notes = append(m.notes, notes...) }

// onEnd registers what end calls, the last first.
func (m *measurement) onEnd(closes func()) { m.closing = append(m.closing, closes) }

func (m *measurement) end() {
	for _, closes := range slices.Backward(m.closing) {
		closes()
	}
}
