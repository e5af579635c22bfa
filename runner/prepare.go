package runner

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/instrument"
	"spell-lsp/runner/attribution"
	"spell-lsp/runner/execution"
	"spell-lsp/runner/scratch"
	"spell-lsp/spell/note"
)

// prepare instruments and builds the test programs, and measures the idle machine.
func (m *measurement) prepare(ctx context.Context) error {
	m.tell("finding the functions")
	overlay, err := scratch.Sub(m.scratch, "overlay")
	if err != nil {
		return err
	}
	m.build, err = instrument.Prepare(ctx, instrument.Params{
		Dir: m.Dir, Patterns: m.Patterns, Tags: m.Tags, Exclude: m.Exclude, Buffers: m.Buffers, Temp: overlay, Cache: m.Cache, Block: m.Block, Reach: m.Reach,
		Run: execution.RunCommand, Progress: m.tell,
	})
	if err != nil {
		return err
	}
	m.units, m.unitOf = unitsOf(m.build, m.Granularity)
	m.workspace = workspace(ctx, m.Dir, m.build, m.Buffers)
	if why := m.build.Fallback; why != "" {
		m.note(note.RuntimeUnknown(why))
	}
	m.note(m.build.Notes...)
	if len(m.build.Tests) == 0 {
		return m.noTests()
	}
	m.tell(m.building())
	told := m.tellFound()
	programs, notes, err := execution.Compile(ctx, execution.Source{Build: m.build, Dir: m.Dir, Scratch: m.scratch, Tags: m.Tags, Buffers: m.Buffers})
	<-told
	if err != nil {
		return err
	}
	m.note(notes...)
	for _, p := range programs {
		m.programs = append(m.programs, program{Program: p})
	}
	m.model = attribution.NewModel(m.machine, len(m.build.Components), m.build.Fallback == "")
	m.tell("measuring the idle machine")
	rest, err := m.meter.Rest(ctx)
	if err != nil {
		return err
	}
	m.model.SetRest(rest)
	if m.model.NeedsTicks() {
		m.setUp.Ticks = m.meter.Readings()
	}
	if err := m.setRows(m.Subtests); err != nil {
		return err
	}
	m.onEnd(func() { m.setUp.Names.Close() }) //nolint:errcheck // nothing of it is kept
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
	if len(m.build.Tests) == 1 {
		what = "building the tests of " + m.build.Tests[0].Path
	}
	if m.build.StdStale {
		what = "building the instrumented standard library (once), and " + strings.TrimPrefix(what, "building ")
	}
	return what
}
