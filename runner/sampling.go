package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"spell-lsp/runner/execution"
	"spell-lsp/runner/stacks"
	"spell-lsp/spell/note"
)

// samplePeriod is the CPU time of a thread between two samples, where nothing is known of the program.
const samplePeriod = 2 * time.Millisecond

// openStacks opens the sampler of a process. Tests replace it.
var openStacks = stacks.Open

// TrySampling returns why the kernel samples no process for this one; nil if it does.
func TrySampling() error {
	s, err := openStacks(os.Getpid(), stacks.Options{Period: samplePeriod})
	if err == nil {
		s.Close() //nolint:errcheck // it was only tried
	}
	return err
}

// chooseSource has programs sample themselves where the kernel may not sample them.
func (m *measurement) chooseSource() {
	if m.sampling == nil {
		return
	}
	m.unsampled = TrySampling()
	if errors.Is(m.unsampled, fs.ErrPermission) {
		m.sampling.Profiled = true
		m.note(note.OwnProfile(m.unsampled.Error()))
		m.unsampled = nil
	}
}

// checkMode refuses what the mode cannot do.
func checkMode(p Params) error {
	switch {
	case p.Mode == ModeInstrument, p.Mode == ModeAuto:
	case p.Mode != ModeSample:
		return fmt.Errorf("mode %q: must be %s, %s or %s", p.Mode, ModeAuto, ModeInstrument, ModeSample)
	case p.Block != "":
		return fmt.Errorf("mode %s: blocks of %s need probes, samples tell its lines", ModeSample, p.Block)
	case p.Bench != "":
		return fmt.Errorf("mode %s: benchmarks need probes, which count their operations", ModeSample)
	case p.Granularity.AcrossFunctions():
		return fmt.Errorf("mode %s: %ss need probes, samples alone do not tell them (--mode instrument)", ModeSample, p.Granularity)
	case p.Reach != "":
		return fmt.Errorf("mode %s: the tests that reach %s are found by probes", ModeSample, p.Reach)
	}
	return nil
}

// execute executes a test program once.
func (m *measurement) execute(ctx context.Context, p program, o execution.Options) (*execution.Execution, error) {
	var e *execution.Execution
	var err error
	if m.sampling == nil {
		e, err = m.meter.Execute(ctx, p.Program, o, m.model)
	} else if e, err = m.meter.ExecuteSampled(ctx, p.Program, o, *m.sampling, m.model); err == nil {
		m.noteSamples(p, e)
	}
	if e != nil {
		e.Output = m.asBuilt(e.Output)
	}
	return e, err
}

const (
	warnOfMissed = 0.05 // part of the CPU time of a program that no sample stands for
	minMissedNS  = 50e6
)

// noteSamples notes what samples did not see, and learns which functions outside of the workspace they
// saw.
func (m *measurement) noteSamples(p program, e *execution.Execution) {
	m.learnLibrary()
	s := e.Sampled
	sampled, missed := float64(s.NS), float64(s.MissedNS)
	if missed > minMissedNS && missed > warnOfMissed*(sampled+missed) {
		m.note(note.SamplesMissed(p.name(), missed/(sampled+missed)))
	}
	if e.ProfilerTaken {
		m.note(note.ProfilerTaken(p.name()))
	}
	if s.Refused > 0 {
		m.note(note.ThreadsNotSampled(p.name(), s.Refused, s.Refusal.Error()))
	}
}
