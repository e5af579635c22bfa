package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"spell-lsp/instrument"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/fitness"
	"spell-lsp/runner/perfevent"
	"spell-lsp/runner/scenario"
	"spell-lsp/runner/scratch"
	"spell-lsp/runner/target"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

const (
	// attachParts is into how many rounds the time is divided in which a process is measured, so
	// that intervals can be told.
	attachParts = 10
	// minPart is the shortest round.
	minPart = time.Second
	// attachedPeriod is the CPU time of a thread between two samples. It is longer than samplePeriod, because
	// others may be using the process, and it cannot be run unmeasured to see what sampling changes.
	attachedPeriod = 8 * time.Millisecond
)

// Attach measures a process that runs already, for a time, by samples of its stacks. p.Dir is a
// folder of the module that it was built from. Errors are those of Measure; the process may also
// not be what is asked for.
func Attach(ctx context.Context, p Params, to *target.Process, length time.Duration) (*record.Run, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	if length < minPart {
		return nil, fmt.Errorf("%v is too short: measure for at least %v", length, minPart)
	}
	if p.Granularity.AcrossFunctions() {
		return nil, fmt.Errorf("a process that runs is sampled from outside, which does not tell its %ss: use --granularity function, or measure the program with --exec", p.Granularity)
	}
	p.Mode, p.Patterns = ModeSample, []string{to.Path}
	m, err := newMeasurement(p)
	if err != nil {
		return nil, err
	}
	defer m.end()
	if err := m.beginAttached(ctx, to); err != nil {
		return nil, err
	}
	m.fitness = fitness.Begin(m.Meters)
	err = m.attach(ctx, to, length)
	m.noteMachine()
	if len(m.kept) == 0 {
		return nil, err
	}
	if others, is := m.lookout.found(); is {
		m.note(others)
	}
	return m.record(err != nil), ctx.Err()
}

// beginAttached opens the meter and finds the functions of the process's program.
func (m *measurement) beginAttached(ctx context.Context, to *target.Process) error {
	if err := m.open(); err != nil {
		return err
	}
	if err := m.findFunctions(ctx, to); err != nil {
		return err
	}
	m.whole = true
	m.meter.Every(m.readings(samplePeriod)) // they cost the process nothing
	m.period, m.sampling.Period = attachedPeriod, attachedPeriod
	m.machine.PerByte, m.machine.CoreCPUs = nil, nil // nobody counts its bytes, or says on which processor it runs
	m.model = m.newModel(true)
	// The process runs, so that the machine is not to be seen at rest: where the meter does not know
	// its power, only ticks tell it from the program's.
	rest := attribution.Rest{IdleW: m.info.IdleW}
	if rest.IdleW == nil {
		rest.IdleW = make([]float64, len(m.machine.Domains))
	}
	m.model.SetRest(rest)
	return nil
}

// findFunctions finds the functions in the source that the program was built from.
func (m *measurement) findFunctions(ctx context.Context, to *target.Process) error {
	m.tell("finding the functions")
	temp, err := scratch.Sub(m.scratch, "overlay")
	if err != nil {
		return err
	}
	m.build, err = instrument.Prepare(ctx, instrument.Params{
		Dir: m.Dir, Patterns: m.Patterns, Programs: true, Sampled: true, Tags: m.Tags, Exclude: m.Exclude, Temp: temp, Cache: m.Cache,
		Run: execution.RunCommand, Progress: m.tell,
	})
	if err != nil {
		return fmt.Errorf("process %d (%s) was built from %s of module %s; name a folder of its source with -C: %w", to.PID, to.Name, to.Path, to.Module, err)
	}
	m.note(m.build.Notes...)
	m.build.GoVersion = to.Go
	m.workspace = workspace(ctx, m.Dir, m.build, nil)
	if to.Revision != "" && (to.Revision != m.workspace.Revision || to.Modified || m.workspace.Dirty) {
		m.note(note.SourceDiffers(to.Name, short(to.Revision), short(m.workspace.Revision)))
	}
	m.units, m.unitOf = unitsOf(m.build, m.Granularity)
	m.keepLibrary()
	m.sampled = true
	if err := m.setRows(false); err != nil {
		return err
	}
	m.sampling.Index, m.sampling.Components = m.index, len(m.build.Components)
	m.onEnd(func() { m.setUp.Names.Close() }) //nolint:errcheck // nothing of it is kept
	return nil
}

// short is a commit as git shows it.
func short(revision string) string { return revision[:min(len(revision), 12)] }

// attach measures the process. What was complete is kept, also after an error.
func (m *measurement) attach(ctx context.Context, to *target.Process, length time.Duration) error {
	parts := int(max(1, min(attachParts, length/minPart)))
	each := length / time.Duration(parts)
	tell := func(complete int) {
		if left := length - time.Duration(complete)*each; complete < parts {
			m.Progress(Step{Package: to.Path, Packages: 1, Round: complete + 1, Of: parts, Kept: complete, Each: each, Least: left, Most: left})
		}
	}
	tell(0)
	p := program{Program: execution.Program{Package: instrument.Package{Path: to.Path, Dir: filepath.Clean(m.Dir)}}, scenario: &scenario.Scenario{Name: scenario.Main}}
	list, ended, err := m.meter.Attach(ctx, p.Program, to.PID, scenario.Main, *m.sampling, each, parts, tell, m.model)
	if denied := (*perfevent.PermissionError)(nil); errors.As(err, &denied) && to.Profile != "" {
		refusal := err
		each = (each + time.Second - 1).Truncate(time.Second) // profiles take whole seconds
		parts = int(max(1, length/each))
		list, ended, err = m.meter.AttachProfile(ctx, p.Program, to.PID, to.Profile, scenario.Main, *m.sampling, each, parts, tell, m.model)
		serving, fault := (*execution.ServingError)(nil), (*MeterError)(nil)
		if len(list) == 0 && errors.As(err, &serving) && !errors.As(err, &fault) {
			err = &SamplingError{Err: fmt.Errorf("%w\nIts own CPU profile is not to be had either: %w; a program that imports net/http/pprof and serves http.DefaultServeMux on this machine has it", refusal, serving)}
		}
		if len(list) > 0 {
			m.period = execution.ProfilePeriod
			m.note(note.ProfileServed(to.Name, denied.Error()))
		}
	}
	for i, e := range list {
		r := &round{number: i + 1}
		o := observeScenario(p, e, &m.machine)
		o.outcome, o.exitCode = record.Pass, nil
		r.tests, r.programs = append(r.tests, o), e.Children
		m.kept = append(m.kept, r)
	}
	if len(list) > 0 {
		m.noteSamples(p, list[0])
	}
	m.converged = true
	if ended && err == nil {
		err = errors.New("the process ended")
	}
	if err != nil {
		m.note(note.EndedEarly(err.Error()))
	}
	return errors.Join(err, ctx.Err())
}
