// Package grouping sums up a run record by package, file, type or function, and tells
// what is inside of one of these. It does not rank.
package grouping

import (
	"fmt"
	"math"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/calltree"
)

// Regroup returns r by package, file, type or function, as if it had been measured at that
// granularity, or by goroutine or label; r does not change. Energy, time and executions are the sums of the members'
// (see spell.Group). The call tree has no calls within a group. Cumulative values are not
// known of groups, and neither are the intervals of psi and rank, which need the rounds of
// each cell. The result has no ranking yet.
//
// It is an error if r was measured at a coarser granularity, or if no component says which
// group it belongs to.
func Regroup(r *record.Run, kind spell.Kind) (*record.Run, error) {
	if kind.AcrossFunctions() && kind != r.Granularity {
		return across(r, kind)
	}
	sources := r.Sources()
	groups, of := spell.Group(sources, kind)
	if kind == r.Granularity && slices.Equal(ids(groups), ids(sources)) {
		return r, nil
	}
	if err := groupable(r, groups, kind); err != nil {
		return nil, err
	}
	g := *r
	g.Granularity, g.Analysis = kind, nil
	g.Components = make([]record.Component, len(groups))
	for j := range groups {
		g.Components[j] = record.ComponentOf(groups[j])
		g.Components[j].EnergyJ, g.Components[j].CumEnergyJ = record.Zero(r.Matrix.Domains), record.Zero(r.Matrix.Domains)
	}
	members := make([][]*record.Component, len(groups))
	for i, j := range of {
		members[j] = append(members[j], &r.Components[i])
	}
	for j := range members {
		sum(&g.Components[j], members[j], r.Matrix.Domains, r.Nodes)
	}
	g.Matrix = grouped(&r.Matrix, of, len(groups), len(r.Tests), func(cell spell.Cell) bool {
		return sources[cell.Component].Kind == spell.KindBlock && groups[of[cell.Component]].Kind != spell.KindBlock
	})
	var calls calltree.Forest
	calls.Add(r.CallTree, 1, func(component int) int { return of[component] })
	g.CallTree = calls.Nodes()
	return &g, nil
}

// groupable returns an error if r cannot be grouped by kind.
func groupable(r *record.Run, groups []spell.Component, kind spell.Kind) error {
	if r.Granularity.AcrossFunctions() && r.Granularity != kind {
		return fmt.Errorf("the run is by %s, which cannot be summed up by %s: give a run by function", r.Granularity, kind)
	}
	if kind == spell.KindBlock && r.Granularity != kind {
		return fmt.Errorf("the run is by %s, it has no blocks: measure it with --block too", r.Granularity)
	}
	if kind != r.Granularity && !finer(r.Granularity, kind) {
		return fmt.Errorf("the run is by %s, which cannot be summed up by %s: give a run by function", r.Granularity, kind)
	}
	if i := slices.IndexFunc(r.Components, func(c record.Component) bool { return kind == spell.KindFile && c.Kind == spell.KindType }); i >= 0 {
		return fmt.Errorf("%s is a type, whose methods may be in several files: give a run by function", r.Components[i].ID)
	}
	if kind == spell.KindType && slices.ContainsFunc(groups, func(c spell.Component) bool { return c.Package != "" }) {
		return nil // none of the functions is a method
	}
	if len(groups) > 0 && !slices.ContainsFunc(groups, func(c spell.Component) bool { return c.Kind == kind }) {
		return fmt.Errorf("the run is by %s, and no component tells the %s that it belongs to: give components %s", r.Granularity, kind, telling(kind))
	}
	return nil
}

// telling names what a component needs, so that its group is known.
func telling(kind spell.Kind) string {
	switch kind {
	case spell.KindPackage:
		return "their package, which is package in a JSON matrix or record"
	case spell.KindFile:
		return "their file, which is a file column in CSV, and file in a JSON matrix or record"
	case spell.KindType:
		return "names like example.com/park.(*Park).Sort and their package, which is package in a JSON matrix or record"
	default: // only blocks have a function
		return "their kind, which is kind in a JSON matrix or record"
	}
}

// finer tells whether components of kind b are sums of components of kind a.
func finer(a, b spell.Kind) bool {
	if b == spell.KindFunction {
		return a == spell.KindBlock
	}
	return a == spell.KindBlock || a == spell.KindFunction || b == spell.KindPackage && a != b
}

func ids(components []spell.Component) []string {
	list := make([]string, len(components))
	for i := range list {
		list[i] = components[i].ID
	}
	return list
}

// sum sets the values of c to the sums of its members.
func sum(c *record.Component, members []*record.Component, domains []spell.Domain, nodes []record.Node) {
	if len(members) == 1 && members[0].ID == c.ID {
		*c = *members[0]
		c.PsiCI, c.RankCI = [2]float64{}, [2]int{}
		return
	}
	var resolved float64
	for _, m := range members {
		if m.Kind != spell.KindBlock || c.Kind == spell.KindBlock {
			c.N += m.N
		}
		c.TimeMS += m.TimeMS
		c.Add(m.Bytes)
		c.AddAllocations(m)
		for _, d := range domains {
			c.EnergyJ[d] += m.EnergyJ[d]
			c.CumEnergyJ[d] += m.EnergyJ[d] // a lower bound: members may call each other
		}
		if !m.BelowResolution {
			resolved += share(m)
		}
	}
	c.WallMS, c.CumTimeMS = c.TimeMS, c.TimeMS
	c.BelowResolution = resolved < share(c)/2
	sumRounds(c, members, domains, nodes)
	c.AddCallees(members)
	c.GroupTime = groupTimes(members)
}

// share is the weight of a component in a sum: its energy or, where none is known, its time.
func share(c *record.Component) float64 {
	if e := c.EnergyJ.Total(); e > 0 {
		return e
	}
	return c.TimeMS
}

// sumRounds adds up the values by round, if all members have them, and derives the
// intervals of the energy from them.
func sumRounds(c *record.Component, members []*record.Component, domains []spell.Domain, nodes []record.Node) {
	c.RoundTimeMS = added(members, func(m *record.Component) []float64 { return m.RoundTimeMS })
	if c.RoundTimeMS == nil {
		return
	}
	c.RoundEnergyJ = make(map[spell.Domain][]float64, len(domains))
	intervals := make(map[spell.Domain][2]float64, len(domains))
	for _, d := range domains {
		c.RoundEnergyJ[d] = added(members, func(m *record.Component) []float64 { return m.RoundEnergyJ[d] })
		var squares float64
		for _, m := range members {
			ci, known := m.EnergyCI[d]
			if !known {
				intervals = nil
				break
			}
			power := record.PowerError(m.EnergyJ[d], ci, m.RoundEnergyJ[d], nodes)
			squares += power * power
		}
		if intervals != nil {
			intervals[d] = record.EnergyInterval(c.EnergyJ[d], math.Sqrt(squares), c.RoundEnergyJ[d], nodes)
			c.BelowResolution = c.BelowResolution || record.TooWide(c.EnergyJ[d], intervals[d])
		}
	}
	c.EnergyCI = intervals
}

func added(members []*record.Component, series func(*record.Component) []float64) []float64 {
	var list [][]float64
	for _, m := range members {
		list = append(list, series(m))
	}
	return record.AddSeries(list)
}

// grouped adds up the cells of each group. of gives the group of a component; executions of
// uncounted cells are left out.
func grouped(m *record.Matrix, of []int, groups, tests int, uncounted func(spell.Cell) bool) record.Matrix {
	g := record.Matrix{Domains: m.Domains}
	width := len(m.Domains)
	at := make([]int, groups) // 1 + the cell of the group in the current test
	for _, cells := range byTest(m, tests) {
		for _, i := range cells {
			c := m.Cells[i]
			j := of[c.Component]
			k := at[j] - 1
			if k < 0 || g.Cells[k].Test != c.Test {
				k = len(g.Cells)
				at[j] = k + 1
				g.Cells = append(g.Cells, spell.Cell{Test: c.Test, Component: int32(j)})
				g.EnergyJ = append(g.EnergyJ, make([]float64, width)...)
			}
			if !uncounted(c) {
				g.Cells[k].N += c.N
			}
			g.Cells[k].TimeMS += c.TimeMS
			for d := range width {
				g.EnergyJ[k*width+d] += m.EnergyJ[int(i)*width+d]
			}
		}
	}
	return g
}

func byTest(m *record.Matrix, tests int) [][]int32 {
	list := make([][]int32, tests)
	for i, c := range m.Cells {
		list[c.Test] = append(list[c.Test], int32(i))
	}
	return list
}
