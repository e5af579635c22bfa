// Package pprof writes a run as a profile that go tool pprof, speedscope and the
// other viewers of pprof's format draw as flame graphs in joules.
//
// The sample types are calls, time (nanoseconds), the energy of each domain
// (energy_cpu, energy_dram, ...) and energy, all domains together, which viewers
// show first. The format knows no unit of energy: the values are microjoules, so that
// a page shows 1110000uJ for 1.11 J. All values are per round.
//
// The self values of a component are divided among its nodes of the call tree in
// proportion to their time, and add up to the component's values within one unit of each
// type. Those of a component whose lines are known are at these lines, as far as they are, so that
// a listing of the source shows them. A component that is in no sampled stack is placed below the tests that ran it.
// Unattributed energy is below "unattributed".
package pprof

import (
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/google/pprof/profile"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// Options say how a profile is written. The zero value writes the default profile.
type Options struct {
	Dir string // absolute path of the workspace, with which viewers find the files; "" = relative paths
}

// The names of frames that are not components.
const (
	unattributed = "unattributed"
	cut          = "callers not known" // above a stack that is too deep or incomplete
)

// The unit of energies in a profile, and how many units are a joule.
const (
	unit     = "uJ"
	perJoule = 1e6
	perMS    = 1e6 // nanoseconds
)

// Write writes the run as a gzipped profile of the tests that the analysis counts.
func Write(w io.Writer, r *record.Run, o Options) error {
	p := newBuilder(ranking.Counted(r), o).build()
	if err := p.CheckValid(); err != nil {
		return fmt.Errorf("making the profile: %w", err)
	}
	if err := p.Write(w); err != nil {
		return fmt.Errorf("writing the profile: %w", err)
	}
	return nil
}

// A builder turns a run into a profile.
type builder struct {
	r       *record.Run
	dir     string
	domains []spell.Domain // whose energy is known
	p       *profile.Profile
	frames  map[string]*profile.Location // of frames that are not components, by name
	of      []*profile.Location          // by component, made on first use
	lines   map[lineOf]*profile.Location
	carry   []float64 // by sample type, the remainder of rounding

	withLines bool // self values are divided among lines
}

// lineOf is a line of a component.
type lineOf struct{ component, line int }

func newBuilder(r *record.Run, o Options) *builder {
	b := &builder{r: r, dir: o.Dir, frames: make(map[string]*profile.Location), lines: make(map[lineOf]*profile.Location), of: make([]*profile.Location, len(r.Components))}
	if r.Meter.Source != record.NoEnergy {
		b.domains = r.Meter.Domains
	}
	b.carry = make([]float64, len(b.types()))
	return b
}

func (b *builder) build() *profile.Profile {
	types := b.types()
	b.p = &profile.Profile{
		SampleType: types, DefaultSampleType: types[len(types)-1].Type,
		DurationNanos: int64(b.r.DurationMS * perMS), Comments: b.comments(),
		// Tells viewers that the names are known, so that they look for no program.
		Mapping: []*profile.Mapping{{ID: 1, File: page.Clean(b.r.Workspace.Module), HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true}},
	}
	if !b.r.Started.IsZero() {
		b.p.TimeNanos = b.r.Started.UnixNano()
	}
	b.components()
	b.unattributed()
	return b.p
}

// types are the sample types in the order of their values; the last is shown first.
func (b *builder) types() []*profile.ValueType {
	types := []*profile.ValueType{{Type: "calls", Unit: "count"}, {Type: "time", Unit: "nanoseconds"}}
	for _, d := range b.domains {
		types = append(types, &profile.ValueType{Type: "energy_" + string(d), Unit: unit})
	}
	if len(b.domains) > 0 {
		types = append(types, &profile.ValueType{Type: "energy", Unit: unit})
	}
	return types
}

// values are the values of a sample before rounding.
func (b *builder) values(n, timeMS float64, energy record.Energy) []float64 {
	v := []float64{n, timeMS * perMS}
	var all float64
	for _, d := range b.domains {
		v = append(v, energy[d]*perJoule)
		all += energy[d]
	}
	if len(b.domains) > 0 {
		v = append(v, all*perJoule)
	}
	return v
}

// comments explain the values; viewers show them.
func (b *builder) comments() []string {
	m := &b.r.Meter
	list := []string{fmt.Sprintf("spell-lsp run %s of %s: values are per round, the mean of %s", b.r.ID, b.r.Workspace.Module, units.Plural(b.r.Rounds, "round"))}
	switch origin := m.Origin(); {
	case len(b.domains) == 0:
		list = append(list, "meter "+m.Name+": no energy is known")
	case origin == "":
		list = append(list, "energy in microjoules, as a file gives it: whether measured or estimated is not known")
	case origin == record.Estimated:
		list = append(list, "energy in microjoules, ESTIMATED by "+m.Name+", not measured")
	default:
		list = append(list, "energy in microjoules, measured by "+m.Name+wording.CounterRoot(m.Root))
	}
	if slices.ContainsFunc(b.r.Components, func(c record.Component) bool { return len(c.Lines) > 0 }) {
		list = append(list, "line numbers are those of the source when it was measured: a listing of source that was edited since is wrong")
	}
	if b.r.Partial {
		list = append(list, "PARTIAL: the measurement was interrupted")
	}
	list = append(list, wording.Texts(b.r.AllNotes())...)
	for i := range list {
		list[i] = page.Clean(list[i])
	}
	return list
}

// frame returns the location of a frame that is not a component.
func (b *builder) frame(name string) *profile.Location {
	l := b.frames[name]
	if l == nil {
		l = b.location(name, "", 0)
		b.frames[name] = l
	}
	return l
}

func (b *builder) component(i int) *profile.Location {
	if b.of[i] == nil {
		c := &b.r.Components[i]
		b.of[i] = b.location(c.ID, b.file(c.File), int64(c.Line))
	}
	return b.of[i]
}

// line returns the location of a line of a component.
func (b *builder) line(i, line int) *profile.Location {
	key := lineOf{i, line}
	if b.lines[key] == nil {
		b.lines[key] = b.at(b.component(i).Line[0].Function, int64(line))
	}
	return b.lines[key]
}

func (b *builder) location(name, file string, line int64) *profile.Location {
	name = page.Clean(name)
	f := &profile.Function{ID: uint64(len(b.p.Function) + 1), Name: name, SystemName: name, Filename: page.Clean(file), StartLine: line}
	b.p.Function = append(b.p.Function, f)
	return b.at(f, line)
}

func (b *builder) at(f *profile.Function, line int64) *profile.Location {
	l := &profile.Location{ID: uint64(len(b.p.Location) + 1), Mapping: b.p.Mapping[0], Line: []profile.Line{{Function: f, Line: line}}}
	b.p.Location = append(b.p.Location, l)
	return l
}

func (b *builder) file(name string) string {
	if name == "" || b.dir == "" || path.IsAbs(name) {
		return name
	}
	return path.Join(b.dir, name)
}
