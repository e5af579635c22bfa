package runner

import (
	"slices"
	"strings"

	"spell-lsp/instrument"
	"spell-lsp/instrument/probe"
	"spell-lsp/spell"
	"spell-lsp/spell/gosource"
	"spell-lsp/spell/record"
)

// A subject is what is measured: an instrumented build, and what is ranked of it.
type subject struct {
	build     *instrument.Build
	units     []spell.Component // what is ranked
	unitOf    []int             // by component of the build, its unit; -1 for none
	workspace record.Workspace
	setUp     probe.Setup
	index     probe.Index
	sampled   bool // programs have no probes
	// calls are how often tests called units, by package and name, where programs have no probes and
	// a round of its own counted. A test without an outcome is not known.
	calls map[string]countedTest
}

// unitsOf groups the components of a build: of[i] is the unit of component i, -1 if it has none.
// The hash of a package, file or type covers all of its functions, including those without a
// probe.
func unitsOf(b *instrument.Build, granularity spell.Kind) (units []spell.Component, of []int) {
	units, of = spell.Group(slices.Concat(b.Components, b.Bare), granularity)
	of = of[:len(b.Components)]
	n := 0
	for _, u := range of {
		n = max(n, u+1)
	}
	return units[:n], of // the rest has no component with a probe
}

// setRows makes the tables that programs need to count.
func (s *subject) setRows(subtests bool) (err error) {
	rows := probe.NamedRows{Unprobed: s.build.Unprobed, Packages: s.build.Packages, Commands: s.build.Commands}
	for _, c := range s.build.Components {
		name := "" // of blocks and unused rows
		if c.Kind == spell.KindFunction {
			name = gosource.RuntimeName(c.Package, c.ID)
		}
		rows.Components = append(rows.Components, name)
	}
	n := len(s.build.Components)
	s.index = probe.NewIndex(rows)
	s.setUp = probe.Setup{
		Ticks: s.setUp.Ticks, OnCPU: s.setUp.OnCPU, Storage: s.setUp.Storage, Go: s.setUp.Go, Components: n, Subtests: subtests, Hot: make([]probe.Hot, n), Defers: s.build.Defers,
		Owner: s.build.Owner, FirstBlock: s.build.FirstBlock, LastBlock: s.build.LastBlock,
	}
	if s.build.LastBlock > 0 {
		for _, c := range s.build.Components[s.build.FirstBlock : s.build.LastBlock+1] {
			s.setUp.BlockLines = append(s.setUp.BlockLines, blockLines(c))
		}
	}
	s.setUp.Names, err = probe.NewNames(s.index)
	return err
}

// blockLines is the first and last line of a block. The condition is on its first line: it
// belongs to the block of a loop only, where it runs with each turn.
func blockLines(c spell.Component) [2]int {
	name := c.ID[strings.LastIndexAny(c.ID, ".#")+1:]
	if strings.HasPrefix(name, "for") || c.EndLine == c.Line {
		return [2]int{c.Line, c.EndLine}
	}
	return [2]int{c.Line + 1, c.EndLine}
}

// componentOf maps rows to components of r, or to -1. A block counts as its function.
func (s *subject) componentOf(r *record.Run) func(row int) int {
	at := make(map[string]int, len(r.Components))
	for i := range r.Components {
		at[r.Components[i].ID] = i
	}
	place := make([]int, len(s.unitOf))
	for component := range place {
		place[component] = -1
		unit := s.unitOf[s.functionOf(component)]
		if unit < 0 {
			continue
		}
		if i, ran := at[s.units[unit].ID]; ran {
			place[component] = i
		}
	}
	return func(row int) int { return place[row-1] }
}

// functionOf is the function of a block, or the component itself.
func (s *subject) functionOf(component int) int {
	if b := s.build; b.LastBlock > 0 && component >= b.FirstBlock && component <= b.LastBlock {
		return b.Owner
	}
	return component
}
