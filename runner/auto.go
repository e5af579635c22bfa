package runner

import (
	"context"
	"errors"
	"fmt"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/execution"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// autoBound is the part of a program's CPU time that probes may take under ModeAuto. What they
// cost beyond their own time, where the compiler makes other code, is about as much again.
const autoBound = 0.02

// A dearError says that probes take more than autoBound.
type dearError struct{ share float64 }

func (e *dearError) Error() string {
	return fmt.Sprintf("probes would take %.1f %% of the CPU time", 100*e.share)
}

// measureAuto measures with probes where they cost little, which the warm-up shows, and else by
// samples.
func measureAuto(ctx context.Context, p Params, notes []note.Note) (*record.Run, error) {
	if why := unsampled(p); why != "" {
		p.Mode = ModeInstrument
		return measureOnce(ctx, p, append(notes, note.ModeOfNecessity(why))...)
	}
	run, err := measureOnce(ctx, p, notes...)
	if dear := (*dearError)(nil); errors.As(err, &dear) {
		p.Mode = ModeSample
		return measureOnce(ctx, p, append(notes, note.ModeSampled(dear.share))...)
	}
	return run, err
}

// unsampled says why a measurement cannot be one by samples; "" if it can.
func unsampled(p Params) string {
	p.Mode = ModeSample
	if err := checkMode(p); err != nil {
		return err.Error()
	}
	if err := trySamplingOf(p); err != nil {
		return err.Error()
	}
	return ""
}

// A probeLoad is what probes cost in the warm-up, as far as it goes on: functions that were found
// hot meanwhile are only counted from then on.
type probeLoad struct{ probesNS, programNS float64 }

// countedNS is the cost of a call that is only counted: a load and an increment.
const countedNS = 1.5

// add adds an execution. hot is what is known after it, and programNS the CPU time in its windows.
// Between two windows the program writes down what was counted in the first one; before those of
// benchmarks package testing also collects garbage, which probes do not cause.
func (l *probeLoad) add(log *probe.Log, hot []probe.Hot, programNS float64) {
	for i := 1; i < len(log.Windows); i++ {
		if isBenchmark(log.Windows[i].Test) {
			continue
		}
		between := float64(max(0, log.Windows[i].Start-log.Windows[i-1].End))
		l.probesNS, programNS = l.probesNS+between, programNS+between
	}
	l.programNS += programNS
	l.probesNS += float64(log.Stops) * (log.InnerNS + log.OuterNS)
	for _, w := range log.Windows {
		for row, c := range w.Counts {
			if row == 0 || row > len(hot) {
				continue
			}
			timed := float64(c.Timed)
			if hot[row-1]&probe.HotCalls != 0 {
				timed = 0
				l.probesNS += float64(c.N) * log.FrameNS
			}
			if hot[row-1]&probe.HotLiterals == 0 {
				timed += float64(c.Literals)
			}
			l.probesNS += timed*(log.InnerNS+log.OuterNS) + float64(c.N)*countedNS
		}
	}
}

// choose ends a measurement of ModeAuto after its warm-up if probes are too dear.
func (m *measurement) choose() error {
	if m.Mode != ModeAuto || m.load.programNS == 0 {
		return nil
	}
	share := m.load.probesNS / m.load.programNS
	if share > autoBound {
		return &dearError{share}
	}
	m.Mode = ModeInstrument
	m.note(note.ModeInstrumented(share))
	return nil
}

// learnLoad notes what the probes of an execution in the warm-up cost.
func (m *measurement) learnLoad(e *execution.Execution) {
	if !m.warming() || m.Mode != ModeAuto {
		return
	}
	var used float64 // in the windows, in which the probes were counted
	for _, w := range e.Log.Windows {
		v := e.Line.Interval(&m.machine, w, attribution.ProbeCost{})
		used += v.ProgramNS + w.ChildrenNS
	}
	m.load.add(e.Log, m.setUp.Hot, used)
}
