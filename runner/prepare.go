package runner

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/instrument"
	"spell-lsp/runner/childbuild"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/scratch"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
)

// prepare instruments and builds the programs, and measures the idle machine.
func (m *measurement) prepare(ctx context.Context) error {
	if err := m.find(ctx); err != nil {
		return err
	}
	if err := m.adopt(); err != nil {
		return err
	}
	built, err := m.compile(ctx)
	if err != nil {
		return err
	}
	return m.ready(ctx, built)
}

// find finds the functions that are measured, and makes the overlay that has their probes.
func (m *measurement) find(ctx context.Context) error {
	m.tell("finding the functions")
	overlay, err := scratch.Sub(m.scratch, "overlay")
	if err != nil {
		return err
	}
	patterns := m.Patterns
	if len(m.Scenarios) > 0 {
		patterns = packagesOf(m.Scenarios)
	}
	m.build, err = instrument.Prepare(ctx, instrument.Params{
		Dir: m.Dir, Patterns: patterns, Programs: len(m.Scenarios) > 0, Sampled: m.sampling != nil, Tags: m.Tags, Exclude: m.Exclude, Buffers: m.Buffers, Temp: overlay, Cache: m.Cache, Block: m.Block, Reach: m.Reach,
		Run: execution.RunCommand, Progress: m.tell, Platform: platformOf(m.Site),
	})
	if err != nil {
		return err
	}
	m.workspace = workspace(ctx, m.Dir, m.build, m.Buffers)
	m.supply = compiler{execution.Source{
		Build: m.build, Main: len(m.Scenarios) > 0, Dir: m.Dir, Scratch: m.scratch, Tags: m.Tags, Buffers: m.Buffers,
		Profiled: m.sampling != nil && m.sampling.Profiled && len(m.Scenarios) > 0,
	}}
	return nil
}

// adopt takes over what was found: what is ranked of it, and what the user must know.
func (m *measurement) adopt() error {
	m.units, m.unitOf = unitsOf(m.build, m.Granularity)
	m.keepLibrary()
	if why := m.build.Fallback; why != "" && len(m.Scenarios) > 0 {
		return fmt.Errorf("%w: with probes, programs need edits of package runtime, and %s: use --mode sample", ErrScenario, why)
	} else if why != "" {
		m.note(note.RuntimeUnknown(why))
	}
	if why := m.build.Fallback; why != "" && m.view != "" {
		return fmt.Errorf("a run by %s needs edits of package runtime, and %s: use --granularity function, or Go 1.25 or 1.26", m.view, why)
	}
	m.note(m.build.Notes...)
	if len(m.build.Tests) == 0 {
		return m.noTests()
	}
	return nil
}

// compile builds the programs that are measured.
func (m *measurement) compile(ctx context.Context) ([]execution.Program, error) {
	if m.builtIn == "" { // of a task they are built already
		m.tell(m.building())
	}
	told := m.tellFound()
	built, notes, err := m.supply.Compile(ctx)
	<-told
	m.note(notes...)
	return built, err
}

// ready makes all that the rounds need but their programs, and measures the idle machine.
func (m *measurement) ready(ctx context.Context, built []execution.Program) (err error) {
	if m.programs, err = m.programsOf(built); err != nil {
		return err
	}
	m.setPeriod()
	if err := m.prepareCalm(ctx); err != nil {
		return err
	}
	if m.build.Fallback != "" || m.sampling != nil {
		m.machine.PerByte, m.machine.CoreCPUs = nil, nil // bytes are counted, and processors told, by the edited runtime
	}
	m.setUp.Storage = slices.Contains(m.info.Domains, spell.Disk)
	if err := m.prepareChildren(); err != nil {
		return err
	}
	ticks := m.build.Fallback == "" && (m.sampling == nil || !m.sampling.Profiled)
	m.model = m.newModel(ticks)
	if m.model.NeedsCPUs() {
		m.meter.ReadCores()
	}
	m.tell("measuring the idle machine")
	rest, notes, err := m.meter.Rest(ctx)
	if err != nil {
		return err
	}
	m.note(notes...)
	m.model.SetRest(rest)
	if m.model.NeedsTicks() {
		m.setUp.Ticks, m.setUp.OnCPU = m.meter.Readings(), m.model.NeedsCPUs()
	}
	if err := m.setRows(m.Subtests); err != nil {
		return err
	}
	if m.sampling != nil {
		m.sampled = true
		m.sampling.Index, m.sampling.Components = m.index, len(m.build.Components)
	}
	m.onEnd(func() { m.setUp.Names.Close() }) //nolint:errcheck // nothing of it is kept
	return nil
}

// prepareChildren has programs that tests build built with probes, where there are any. Probes that
// are no part of the runtime count in one process only, and a machine may have no Go.
func (m *measurement) prepareChildren() error {
	if m.build.Fallback != "" || m.sampling != nil || m.build.GOROOT == "" {
		return nil
	}
	dir, err := scratch.Sub(m.scratch, "children")
	if err != nil {
		return err
	}
	m.setUp.Go, err = childbuild.Build{
		Go: filepath.Join(m.build.GOROOT, "bin", "go"), Overlay: m.build.Overlay, Modules: m.build.Modules,
		Env: m.build.Toolchain.Env(), GOFLAGS: os.Getenv("GOFLAGS"), GOBIN: os.Getenv("GOBIN"),
	}.Install(dir)
	if err != nil {
		return fmt.Errorf("preparing the build of child processes: %w", err)
	}
	return nil
}

// tellFound calls Params.Found in a goroutine; the channel is closed when it has returned.
func (m *measurement) tellFound() (told chan struct{}) {
	told = make(chan struct{})
	go func() {
		defer close(told)
		if m.Found == nil {
			return
		}
		root, files := realPath(m.build.Root), map[string]bool{}
		for _, c := range m.build.Components {
			if c.File != "" {
				files[filepath.Join(root, filepath.FromSlash(c.File))] = true
			}
		}
		m.Found(slices.Sorted(maps.Keys(files)))
	}()
	return told
}

func (m *measurement) building() string {
	what := fmt.Sprintf("building the tests of %d packages", len(m.build.Tests))
	switch {
	case len(m.Scenarios) > 0:
		what = "building " + strings.Join(packagesOf(m.Scenarios), ", ")
	case len(m.build.Tests) == 1:
		what = "building the tests of " + m.build.Tests[0].Path
	}
	if m.build.StdStale {
		what = "building the instrumented standard library (once), and " + strings.TrimPrefix(what, "building ")
	}
	return what
}
