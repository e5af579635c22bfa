// Package runner measures the tests of a Go module: it builds them instrumented, runs rounds
// of them under an energy meter, and returns a run record. It decides what is executed, in which
// order and how often, and when another round is not worth its length. How a program is executed
// is in package execution, how energy is divided in package attribution.
//
// The energy of disks and of the network depends on the bytes that a program moves: it belongs
// to the functions that moved them, or to record.MovedByNone. Where the runtime is not edited,
// bytes are counted for the program as a whole only: it is record.NotByFunction.
//
// Child processes that have probes count as the program itself does. The energy of others belongs
// to no function, but to record.Children. Package children says how they are followed. For a counter their power is a row of the model; for a
// meter that computes from CPU time their energy is added (meter.Info.PerCPUSecond).
package runner

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"spell-lsp/runner/execution"
	"spell-lsp/runner/fitness"
	"spell-lsp/runner/meters"
	"spell-lsp/runner/scratch"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// Errors of a measurement that a caller may want to tell apart.
type (
	// A BuildError says that no package's tests could be built.
	BuildError = execution.BuildError
	// A MeterError says that the meter could not be read.
	MeterError = execution.MeterError
	// A SamplingError says that the stacks of a program could not be sampled.
	SamplingError = execution.SamplingError
)

// ErrNoTime says that a process ended before a part of its measurement was complete.
var ErrNoTime = execution.ErrNoTime

// Measure carries out a measurement. If nothing was measured it returns an error: an
// *gocmd.LoadError, a *BuildError, a *MeterError, one that wraps ErrNoTest or
// ErrUnreached, or that of ctx. A measurement that ends early, but after a complete round,
// returns a run that is marked partial, with the error of ctx if that was the cause; any other
// cause is in the notes of the run.
func Measure(ctx context.Context, p Params) (*record.Run, error) {
	if err := supported(); err != nil && p.Site == nil {
		return nil, err
	}
	run, err := measureIn(ctx, p)
	fault := (*MeterError)(nil)
	if auto := p.Meter == "" || p.Meter == meters.Auto; auto && run == nil && errors.As(err, &fault) {
		// When meters are probed again, the one that failed is refused, and the next one taken.
		return measureIn(ctx, p, note.BegunAgain(err.Error()))
	}
	return run, err
}

// measureIn measures in the mode that was asked for. The notes go into the record.
func measureIn(ctx context.Context, p Params, notes ...note.Note) (*record.Run, error) {
	if p.Mode == ModeAuto {
		return measureAuto(ctx, p, notes)
	}
	return measureOnce(ctx, p, notes...)
}

// measureOnce measures with one meter. The notes go into the record.
func measureOnce(ctx context.Context, p Params, notes ...note.Note) (*record.Run, error) {
	m, err := newMeasurement(p)
	if err != nil {
		return nil, err
	}
	m.note(notes...)
	defer m.end()
	if m.Site != nil {
		return m.measureThere(ctx)
	}
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	return m.measure(ctx)
}

// begin opens the meter and builds the programs. end must be called, also after an error.
func (m *measurement) begin(ctx context.Context) error {
	if err := m.open(); err != nil {
		return err
	}
	m.chooseSource()
	return m.prepare(ctx)
}

// open opens the meter, and makes the folder for temporary files.
func (m *measurement) open() error {
	if err := m.openMeter(); err != nil {
		return err
	}
	m.onEnd(m.meter.Close)
	m.lookout = newLookout(m.Others)
	m.onEnd(m.lookout.end)
	m.tellOthers()
	return m.makeScratch()
}

// makeScratch makes the folder for temporary files.
func (m *measurement) makeScratch() error {
	folder, err := scratch.New()
	if err != nil {
		return err
	}
	m.onEnd(folder.Remove)
	if err := folder.Unsafe(); err != nil {
		m.note(note.ScratchShared(err.Error()))
	}
	m.scratch = folder.Dir
	return nil
}

// measure runs the rounds and makes the record.
func (m *measurement) measure(ctx context.Context) (*record.Run, error) {
	err := m.countCalls(ctx)
	m.fitness = fitness.Begin(m.Meters)
	if err == nil {
		err = m.rounds(ctx, m.round)
	}
	if err != nil && len(m.kept) == 0 {
		return nil, err
	}
	if err != nil && ctx.Err() == nil {
		m.note(note.EndedEarly(err.Error()))
	}
	m.conclude()
	return m.record(err != nil), ctx.Err()
}

// conclude drops rounds, and notes what all of them together tell.
func (m *measurement) conclude() {
	m.noteFilters()
	m.noteUncounted()
	m.noteMachine()
	if others, is := m.lookout.found(); is {
		m.note(others)
	}
	m.dropCostliest(m.Drop)
	if trend, is := m.drift(); is {
		m.note(trend)
	}
}

func (m *measurement) openMeter() error {
	opened, err := execution.OpenMeter(m.Meter, m.Meters)
	if err != nil {
		return err
	}
	m.meter, m.info, m.machine = opened, opened.Info(), opened.Machine()
	for _, r := range opened.Reasons() {
		m.note(r.Note())
	}
	return nil
}

// supported returns an error where this machine cannot measure.
func supported() error {
	if known := runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"; runtime.GOOS != "linux" || !known {
		return fmt.Errorf("measuring works on Linux on amd64 and arm64 only, this is %s/%s: measure on such a machine, and load the run record here", runtime.GOOS, runtime.GOARCH)
	}
	return nil
}
