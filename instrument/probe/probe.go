// Package probe is the code that runs inside the program under test, and the
// file in which that program leaves what it counted.
//
// The file is mapped into the program's memory: a panic, os.Exit or a kill loses
// nothing of what was counted. layout.go tells what stands where. A part of it is a
// log, see parse.go.
package probe

import (
	"embed"
	"fmt"
)

// Sources holds the files that an instrumented build adds to GOROOT/src, under
// the directories of their packages with an underscore before.
//
//go:embed _runtime/*.go _runtime/*.s _runtime_plain/*.go _calibration/*.go _syscall/*.go _testing/*.go _spell_lsp_probe/*.go
var Sources embed.FS

// Variable is the name of the environment variable that tells the program
// which of the files that it inherits is its own.
const Variable = "SPELL_LSP_PROBE"

// A Count is what one row did: a component, or what is none.
type Count struct {
	N      uint64 // calls
	SelfNS uint64 // running time while it was on top, without timed callees
	CumNS  uint64 // running time of timed calls, with callees; recursion counts once
	WallNS uint64 // as CumNS, with the time it waited
	Calls  uint64 // of timed callees, literals included
	Timed  uint64 // those of N that were timed
	// Literals is how often a literal of the function began and was timed; these
	// are no calls.
	Literals uint64
	// Switches is how often it came on top in the place of another block of its
	// function, or that in its place.
	Switches uint64

	// What samples say, in ns of CPU time: in its own code and in that of others
	// while it was on top, in its own code while another was on top, and anywhere
	// below what ran.
	KeptNS, LostNS, GainedNS, BelowNS uint64
	Samples                           uint64 // in its own code

	// What it allocated on the heap, by samples: bytes of the slots and objects, without what
	// callees with rows allocated. 0 where the runtime is not edited.
	AllocBytes, AllocObjects uint64
	Moved                    Moved
}

// largest is the largest of the numbers.
func (c Count) largest() uint64 {
	return max(c.N, c.SelfNS, c.CumNS, c.WallNS, c.Calls, c.Timed, c.Literals, c.Switches, c.KeptNS, c.LostNS, c.GainedNS, c.BelowNS, c.Samples, c.AllocBytes, c.AllocObjects, c.Moved.Largest())
}

// Plus adds up what two intervals, or two programs, counted.
func (c Count) Plus(o Count) Count {
	return Count{
		c.N + o.N, c.SelfNS + o.SelfNS, c.CumNS + o.CumNS, c.WallNS + o.WallNS, c.Calls + o.Calls, c.Timed + o.Timed, c.Literals + o.Literals, c.Switches + o.Switches,
		c.KeptNS + o.KeptNS, c.LostNS + o.LostNS, c.GainedNS + o.GainedNS, c.BelowNS + o.BelowNS, c.Samples + o.Samples,
		c.AllocBytes + o.AllocBytes, c.AllocObjects + o.AllocObjects,
		c.Moved.plus(o.Moved),
	}
}

// A Window is a time in which one test was running, and no other.
type Window struct {
	Test       string
	Start, End int64 // CLOCK_MONOTONIC, ns
	// CPUNS is the CPU time of the program in the window; 0 if it is not known.
	CPUNS  int64
	Counts map[int]Count // by row: 0 is outside of all components, i+1 is component i, see RuntimeRow
	// ChildrenNS is how long goroutines of child processes ran, of those that have probes. It is
	// in Counts, too.
	ChildrenNS float64
	// SchedulerNS is what samples saw of the scheduler; 0 with probes, where it is the rest of
	// the program's CPU time.
	SchedulerNS uint64
	// StraysNS is how long goroutines ran that had outlived their tests, by their go
	// statement in Log.Strays, with those that they had started; nil if none did.
	StraysNS map[int]float64
}

// An End says how a test ended: pass, fail or skip.
type End struct{ Test, Outcome string }

// A Wait is what was known of a program's children at a moment.
type Wait struct {
	At   int64 // CLOCK_MONOTONIC, ns
	NS   int64 // CPU time of those that it had waited for, and of theirs
	None bool  // it had no other child
}

// A Stage is how far a test program came.
type Stage int

// The stages, in their order.
const (
	Initializing Stage = iota // package variables and init functions
	InMain                    // TestMain, or the main function that stands for it
	Running                   // testing.M.Run
	Ran                       // it returned
)

// A Log is what one process left behind.
type Log struct {
	Reached          Stage   // at its end
	InnerNS, OuterNS float64 // a timed probe's cost a call: within its function's time, and within its caller's
	FrameNS          float64 // what the probe of a hot function adds a call to that function's own code, as samples see it
	SwitchNS         float64 // the cost of putting a block on top, half of it in the time of each of the two
	// Stops is how often a goroutine stopped running. The probe reads the clock then, and again when
	// one goes on, which takes about as long as a timed call.
	Stops     uint64
	Hot       []Hot // by component: what is so frequent that it is counted only
	Uncounted bool  // the program had more processors, or tests, than the file has room for
	Windows   []Window
	Ends      []End
	Waits     []Wait // in the order of time, where tests stopped; none where it is not known
	// Open says that the last window was still open when the process ended. Its
	// End is its Start, and its counts are what the file holds beyond the log.
	Open bool
	// Calls are who called whom, by test; nil where it is not known. LostNS is the
	// CPU time of samples for whose stacks there was no room.
	Calls  map[string][]Call
	LostNS uint64
	// Strays are the go statements of goroutines that outlived their tests, and ran then;
	// the first is for those for which there was no room. nil if there were none.
	Strays []Stray
	// Operations are how many the runs of benchmarks had together that came to their end, by
	// benchmark.
	Operations map[string]float64
	// Interrupted are benchmarks of which a run did not end, after others that did.
	Interrupted map[string]bool
	// Parts are those of the own time of components, by test; nil where they are not known.
	Parts map[string][]Part
	// Groups are the goroutines and labels of components' own time, by test; nil where they are
	// not known.
	Groups map[string][]Grouped
	// Sizes are the calls of some components by their sizes, by test; nil where none were noted.
	Sizes map[string][]Sized
}

// Read reads what a program left after its end, however it ended. An error says
// that it is not what a probe writes: the program has the file mapped, and may
// write anything there, by accident or not. What it wrote that a probe could have
// written too cannot be told from that.
func (f *File) Read() (*Log, error) {
	if f.damage != nil {
		return nil, f.damage
	}
	log, err := f.read()
	if err != nil {
		return nil, fmt.Errorf("reading the probe's %w", err)
	}
	return log, nil
}

func (f *File) read() (*Log, error) {
	t, err := f.table()
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	p := newParser(t.rows-calibration, t.scale())
	if err := p.parse(t.log()); err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	if p.open {
		totals, err := t.totals()
		if err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		if err := p.finish(totals); err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		moved, err := t.moves()
		if err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		if err := p.finishMoved(moved); err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		origins, err := t.words(t.origins(), straySlots*strayWords)
		if err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		if err := p.finishStrays(origins); err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		family, err := t.family()
		if err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		if err := p.grewBy(&p.log.Windows[len(p.log.Windows)-1].ChildrenNS, family-p.family); err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
	}
	if err := t.describe(&p.log); err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	stacks, err := t.words(t.stacks(), callSlots*callWords)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	if p.log.Calls, p.log.Parts, err = t.calls(stacks, testsOf(p.log.Windows)); err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	groups, err := t.grouped()
	if err == nil {
		p.log.Groups, err = groups.of(testsOf(p.log.Windows))
	}
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	sizes, err := t.sizeTable(f.setup.Sized)
	if err == nil {
		p.log.Sizes, err = sizes.of(testsOf(p.log.Windows))
	}
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	p.log.Interrupted = p.interrupted()
	return &p.log, nil
}
