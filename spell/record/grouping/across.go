package grouping

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// across returns r by goroutine or label. Each cell of the matrix is divided among the groups by the
// time that samples saw of the component in that test; where they saw none, as in all tests together;
// where there is none either, the cell is in record.NotSampled. So the groups of a test have the energy
// and time of its components. How often a group ran is not known.
func across(r *record.Run, kind spell.Kind) (*record.Run, error) {
	if r.Granularity.AcrossFunctions() {
		return nil, fmt.Errorf("the run is by %s, which does not tell its %ss: give a run by function (measure without --granularity), which can be shown by each", r.Granularity, kind)
	}
	rest := slices.IndexFunc(r.Groups, func(g record.Group) bool { return g.Kind == kind && g.ID == record.NotSampled })
	if rest < 0 {
		return nil, fmt.Errorf("the run does not tell the %ss in which its functions ran: measure with this version and probes (--mode instrument), with Go 1.25 or 1.26", kind)
	}
	g := *r
	g.Granularity, g.Analysis, g.CallTree, g.Groups = kind, nil, nil, nil
	g.Notes = append(slices.Clone(r.Notes), note.GroupsBySamples(string(kind)))
	d := division{run: r, kind: kind, rest: rest, cells: make(map[cellAt]int), whole: make(map[int32]*amount), taken: make(map[int]map[int32]*amount), matrix: record.Matrix{Domains: r.Matrix.Domains}}
	for i, cell := range r.Matrix.Cells {
		d.divide(i, cell)
	}
	g.Components = d.components()
	g.Matrix = d.sorted()
	return &g, nil
}

// addRounds adds the values by round of a group: those of its members, in the proportion in which it has
// their cells. taken is what it has of each.
func (d *division) addRounds(c *record.Component, taken map[int32]*amount) {
	members := slices.Sorted(maps.Keys(taken))
	series := func(of func(m *record.Component) []float64, amount func(a *amount) float64) []float64 {
		var list [][]float64
		for _, i := range members {
			ratio := 0.0
			if whole := amount(d.whole[i]); whole > 0 {
				ratio = amount(taken[i]) / whole
			}
			values := slices.Clone(of(&d.run.Components[i]))
			for r := range values {
				values[r] *= ratio
			}
			list = append(list, values)
		}
		return record.AddSeries(list)
	}
	c.RoundTimeMS = series(func(m *record.Component) []float64 { return m.RoundTimeMS }, func(a *amount) float64 { return a.timeMS })
	if c.RoundTimeMS == nil {
		return
	}
	c.RoundEnergyJ = make(map[spell.Domain][]float64, len(d.matrix.Domains))
	for k, domain := range d.matrix.Domains {
		c.RoundEnergyJ[domain] = series(func(m *record.Component) []float64 { return m.RoundEnergyJ[domain] }, func(a *amount) float64 { return a.energyJ[k] })
	}
}

// functions are those of which a group has the most time.
func (d *division) functions(taken map[int32]*amount) []record.FunctionTime {
	var list []record.FunctionTime
	for i, a := range taken {
		if a.timeMS > 0 {
			list = append(list, record.FunctionTime{ID: d.run.Components[i].ID, TimeMS: a.timeMS})
		}
	}
	slices.SortFunc(list, func(a, b record.FunctionTime) int {
		return cmp.Or(cmp.Compare(b.TimeMS, a.TimeMS), cmp.Compare(a.ID, b.ID))
	})
	return slices.Clip(list[:min(len(list), record.MostFunctions)])
}

// An amount is what a group has of a component, or what that has in all.
type amount struct {
	timeMS  float64
	energyJ []float64
}

// amountOf is the amount of a component in a map, which gets one.
func (d *division) amountOf(in map[int32]*amount, component int32) *amount {
	if in[component] == nil {
		in[component] = &amount{energyJ: make([]float64, len(d.matrix.Domains))}
	}
	return in[component]
}

// A division of the cells of a run among its groups of a kind.
type division struct {
	run    *record.Run
	kind   spell.Kind
	rest   int // the group of what was not sampled
	matrix record.Matrix
	cells  map[cellAt]int            // index in matrix; components are groups of the run
	whole  map[int32]*amount         // of each component
	taken  map[int]map[int32]*amount // of each component, by group
}

type cellAt struct{ test, group int32 }

// A part is the part of a cell that a group has.
type part struct {
	group int
	ratio float64
}

// divide divides cell i. The last part is what the others leave, so that nothing is lost by rounding.
func (d *division) divide(i int, cell spell.Cell) {
	width := len(d.matrix.Domains)
	energy := slices.Clone(d.run.Matrix.EnergyJ[i*width:][:width])
	timeMS := cell.TimeMS
	parts := d.parts(cell)
	for k, p := range parts {
		at := d.at(cellAt{cell.Test, int32(p.group)})
		if d.taken[p.group] == nil {
			d.taken[p.group] = make(map[int32]*amount)
		}
		part, whole := d.amountOf(d.taken[p.group], cell.Component), d.amountOf(d.whole, cell.Component)
		last := k == len(parts)-1
		take := func(left *float64, whole float64) float64 {
			v := *left
			if !last {
				v = min(*left, whole*p.ratio)
			}
			*left -= v
			return v
		}
		ms := take(&timeMS, cell.TimeMS)
		d.matrix.Cells[at].TimeMS += ms
		part.timeMS, whole.timeMS = part.timeMS+ms, whole.timeMS+ms
		for domain := range width {
			joules := take(&energy[domain], d.run.Matrix.EnergyJ[i*width+domain])
			d.matrix.EnergyJ[at*width+domain] += joules
			part.energyJ[domain], whole.energyJ[domain] = part.energyJ[domain]+joules, whole.energyJ[domain]+joules
		}
	}
}

// parts are those of a cell, in the order of the groups.
func (d *division) parts(cell spell.Cell) []part {
	c := &d.run.Components[cell.Component]
	list := d.seen(c, func(t record.GroupTime) bool { return t.Test == int(cell.Test) })
	if len(list) == 0 {
		list = d.seen(c, func(record.GroupTime) bool { return true })
	}
	if len(list) == 0 {
		return []part{{d.rest, 1}}
	}
	return list
}

// seen are the groups in which a component was seen in some tests.
func (d *division) seen(c *record.Component, in func(record.GroupTime) bool) []part {
	var list []part
	var whole float64
	for _, t := range c.GroupTime {
		if d.run.Groups[t.Group].Kind != d.kind || t.TimeMS == 0 || !in(t) {
			continue
		}
		whole += t.TimeMS
		if i := slices.IndexFunc(list, func(p part) bool { return p.group == t.Group }); i >= 0 {
			list[i].ratio += t.TimeMS
			continue
		}
		list = append(list, part{t.Group, t.TimeMS})
	}
	for i := range list {
		list[i].ratio /= whole
	}
	slices.SortFunc(list, func(a, b part) int { return cmp.Compare(a.group, b.group) })
	return list
}

// at is the cell of a group in a test.
func (d *division) at(where cellAt) int {
	i, ok := d.cells[where]
	if !ok {
		i = len(d.matrix.Cells)
		d.cells[where] = i
		d.matrix.Cells = append(d.matrix.Cells, spell.Cell{Test: where.test, Component: where.group})
		d.matrix.EnergyJ = append(d.matrix.EnergyJ, make([]float64, len(d.matrix.Domains))...)
	}
	return i
}

// components are the groups that have cells, in their order; cells refer to them from then on.
func (d *division) components() []record.Component {
	place := make([]int32, len(d.run.Groups))
	list := []record.Component{}
	used := make([]bool, len(d.run.Groups))
	for _, cell := range d.matrix.Cells {
		used[cell.Component] = true
	}
	for i, g := range d.run.Groups {
		if !used[i] {
			continue
		}
		place[i] = int32(len(list))
		c := record.ComponentOf(spell.Component{ID: g.ID, Kind: g.Kind, Package: g.Package, File: g.File, Line: g.Line, EndLine: g.Line})
		c.EnergyJ, c.CumEnergyJ = record.Zero(d.matrix.Domains), record.Zero(d.matrix.Domains)
		d.addRounds(&c, d.taken[i])
		c.Functions = d.functions(d.taken[i])
		list = append(list, c)
	}
	width := len(d.matrix.Domains)
	for i := range d.matrix.Cells {
		cell := &d.matrix.Cells[i]
		cell.Component = place[cell.Component]
		c := &list[cell.Component]
		c.TimeMS += cell.TimeMS
		for k, domain := range d.matrix.Domains {
			c.EnergyJ[domain] += d.matrix.EnergyJ[i*width+k]
			c.CumEnergyJ[domain] = c.EnergyJ[domain]
		}
		c.WallMS, c.CumTimeMS = c.TimeMS, c.TimeMS
	}
	return list
}

// sorted is the matrix by test and component.
func (d *division) sorted() record.Matrix {
	order := make([]int, len(d.matrix.Cells))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := d.matrix.Cells[i], d.matrix.Cells[j]
		return cmp.Or(cmp.Compare(a.Test, b.Test), cmp.Compare(a.Component, b.Component))
	})
	m, width := record.Matrix{Domains: d.matrix.Domains}, len(d.matrix.Domains)
	for _, i := range order {
		m.Cells = append(m.Cells, d.matrix.Cells[i])
		m.EnergyJ = append(m.EnergyJ, d.matrix.EnergyJ[i*width:][:width]...)
	}
	return m
}

// groupTimes adds up the times of members by test and group.
func groupTimes(members []*record.Component) []record.GroupTime {
	var list []record.GroupTime
	for _, m := range members {
		list = append(list, m.GroupTime...)
	}
	return record.SumGroupTime(list)
}
