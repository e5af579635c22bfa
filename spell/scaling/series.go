package scaling

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/growth"
	"spell-lsp/spell/record"
)

// A series is benchmarks that passed and differ in sizes alone.
type series struct {
	name, subject string
	sizes         []string
	members       []member
}

type member struct {
	test  *record.Test
	sizes []float64
	cells map[int32]int // of the matrix, by component
}

// seriesOf are the series of a run, their benchmarks that did not pass, and the names of benchmarks without sizes.
func seriesOf(r *record.Run) (list []series, leftOut []alternatives.LeftOut, without []string) {
	var names []string
	var tests []int
	for i := range r.Tests {
		if t := &r.Tests[i]; isBenchmark(t) {
			names, tests = append(names, t.Name), append(tests, i)
		}
	}
	cells := cellsOf(r)
	inSeries := make(map[string]bool)
	for _, found := range growth.FindSeries(names) {
		s := series{name: found.Name, subject: subjectOf(found.Name), sizes: sizeNames(found.Keys)}
		for _, m := range found.Members {
			i := tests[m.Index]
			t := &r.Tests[i]
			inSeries[t.Name] = true
			if t.Outcome != record.Pass {
				leftOut = append(leftOut, alternatives.LeftOut{Test: t.Name, Outcome: t.Outcome})
				continue
			}
			s.members = append(s.members, member{t, m.Sizes, cells[int32(i)]})
		}
		if len(s.members) > 0 {
			list = append(list, s)
		}
	}
	for _, name := range names {
		if !inSeries[name] {
			without = append(without, name)
		}
	}
	return list, leftOut, without
}

// isBenchmark leaves out those of earlier versions, whose values are of all operations.
func isBenchmark(t *record.Test) bool {
	own := strings.TrimPrefix(t.Name, t.Package+".")
	return strings.HasPrefix(own, "Benchmark") && (t.PerOperation || t.Outcome != record.Pass)
}

// cellsOf are the cells of each test by component.
func cellsOf(r *record.Run) map[int32]map[int32]int {
	all := make(map[int32]map[int32]int)
	for i, c := range r.Matrix.Cells {
		if !r.Tests[c.Test].PerOperation {
			continue
		}
		if all[c.Test] == nil {
			all[c.Test] = make(map[int32]int)
		}
		all[c.Test][c.Component] = i
	}
	return all
}

// subjectOf is the name of a benchmark without what follows its function.
func subjectOf(name string) string {
	from := max(0, strings.Index(name, ".Benchmark"))
	if end := strings.Index(name[from:], "/"); end >= 0 {
		return name[:from+end]
	}
	return name
}

// sizeNames are the keys, or n and m where a size has none.
func sizeNames(keys []string) []string {
	names := slices.Clone(keys)
	for k := range names {
		names[k] = cmp.Or(names[k], []string{"n", "m"}[k])
	}
	return names
}

// benchmark is the growth of the whole benchmark.
func (s *series) benchmark(r *record.Run) Growth {
	g := Growth{Subject: s.subject, Origin: Benchmark, Series: s.name, Sizes: s.sizes, Quantity: alternatives.Energy, Cumulative: true}
	if i := slices.IndexFunc(r.Components, func(c record.Component) bool { return s.namedAfter(c.ID) }); i >= 0 {
		g.Function = r.Components[i].ID
	}
	g.WhyTime = alternatives.WhyTime(&r.Meter)
	unresolved := func(m member) bool {
		mean, _ := m.cost(r, alternatives.Energy)
		return m.test.BelowResolution || mean <= 0
	}
	if g.WhyTime == "" && slices.ContainsFunc(s.members, unresolved) {
		g.WhyTime = alternatives.BelowResolution
	}
	if g.WhyTime != "" {
		g.Quantity = alternatives.Time
	}
	var points []Point
	for _, m := range s.members {
		cost, byRound := m.cost(r, g.Quantity)
		points = append(points, Point{m.sizes, cost, record.MeanError(byRound, r.Nodes), m.operations()})
	}
	g.fit(points)
	return g
}

// cost is that of an operation, without the probes: these are a large part of it at small sizes, and a small one at
// large sizes. byRound are the rounds with them, which give the error.
func (m *member) cost(r *record.Run, q alternatives.Quantity) (mean float64, byRound []float64) {
	t, slower := m.test, m.slower(r)
	if q == alternatives.Energy {
		probes := t.Unattributed[record.Probes].EnergyJ.Total()
		for _, part := range []record.Part{record.Idle, record.Others, record.Sampler} { // what is used in all that time
			probes += slower * t.Unattributed[part].EnergyJ.Total()
		}
		return t.EnergyJ.Total() - probes, t.EnergyByRound(r.Meter.Domains)
	}
	return t.TimeMS * (1 - slower), t.RoundTimeMS
}

// slower is the part of the benchmark's time that probes made it longer, which is less than their time where
// goroutines run at once.
func (m *member) slower(r *record.Run) float64 {
	t := m.test
	running := t.ProbeMS + t.Unattributed[record.TestCode].TimeMS
	for _, i := range m.cells {
		running += r.Matrix.Cells[i].TimeMS
	}
	if longest := max(t.TimeMS, running); longest > 0 {
		return t.ProbeMS / longest
	}
	return 0
}

// operations are those of all rounds.
func (m *member) operations() float64 { return max(1, m.test.Repeats) * max(1, float64(m.test.Rounds)) }

// components are the growths of those that have a share of the cost at the largest size.
func (s *series) components(r *record.Run, share float64) []Growth {
	largest := &s.members[0]
	for i := range s.members {
		if m := &s.members[i]; product(m.sizes) > product(largest.sizes) {
			largest = m
		}
	}
	var list []Growth
	for c := range r.Components {
		if _, ran := largest.cells[int32(c)]; !ran {
			continue
		}
		g := s.component(r, int32(c))
		whole, _ := largest.cost(r, g.Quantity)
		if whole <= 0 {
			continue
		}
		if g.Share = largest.component(r, largest.cells[int32(c)], g.Quantity) / whole; g.Share >= share || s.namedAfter(g.Subject) {
			g.PerCall = s.calledOnce(r, int32(c))
			g.fit(s.pointsOf(r, int32(c), g.Quantity))
			list = append(list, g)
		}
	}
	return list
}

// namedAfter tells whether the benchmark has the name of a function: m.BenchmarkGrow_List_Sort that of m.(*List).Sort.
func (s *series) namedAfter(id string) bool {
	pkg, name, ok := strings.Cut(s.subject, ".BenchmarkGrow_")
	if !ok {
		return false
	}
	own, inPackage := strings.CutPrefix(id, pkg+".")
	return inPackage && name == strings.NewReplacer("(*", "", ")", "", ".", "_").Replace(own)
}

func product(sizes []float64) float64 {
	all := 1.0
	for _, n := range sizes {
		all *= n
	}
	return all
}

// calledOnce says whether each operation called a component once.
func (s *series) calledOnce(r *record.Run, c int32) bool {
	for i := range s.members {
		if cell, ran := s.members[i].cells[c]; ran && math.Abs(r.Matrix.Cells[cell].N-1) > 0.01 {
			return false
		}
	}
	return true
}

// component is the growth of a component, without points.
func (s *series) component(r *record.Run, c int32) Growth {
	g := Growth{
		Subject: r.Components[c].ID, Component: true, Origin: Benchmark, Series: s.name, Sizes: s.sizes,
		Quantity: alternatives.Energy, Cumulative: r.Matrix.CumTimeMS != nil, WhyTime: alternatives.WhyTime(&r.Meter),
	}
	switch {
	case g.WhyTime != "":
	case len(r.Matrix.Domains) == 0:
		g.WhyTime = alternatives.NoCounter
	case r.Components[c].BelowResolution || slices.ContainsFunc(s.members, func(m member) bool { return m.test.BelowResolution }):
		g.WhyTime = alternatives.BelowResolution
	}
	if g.WhyTime != "" {
		g.Quantity = alternatives.Time
	}
	return g
}

// component is the cost of a cell, with callees where that is known. Those have the time of probes in them, which
// is taken to be spread evenly over the benchmark; its own has not.
func (m *member) component(r *record.Run, cell int, q alternatives.Quantity) float64 {
	x := &r.Matrix
	self, all := x.Cells[cell].TimeMS, 0.
	if x.CumTimeMS != nil {
		all = x.CumTimeMS[cell]
	}
	if q == alternatives.Energy {
		self, all = x.TotalJ(cell), 0
		if x.CumTimeMS != nil {
			all = x.CumTotalJ(cell)
		}
	}
	return max(self, all*(1-m.slower(r)))
}

// pointsOf are those of a component. Benchmarks in which it was not seen to use anything have none: samples may
// have missed it.
func (s *series) pointsOf(r *record.Run, c int32, q alternatives.Quantity) []Point {
	points := []Point{}
	for i := range s.members {
		m := &s.members[i]
		cell, ran := m.cells[c]
		if !ran {
			continue
		}
		cost := m.component(r, cell, q)
		whole, byRound := m.cost(r, q)
		if cost <= 0 || whole <= 0 {
			continue
		}
		points = append(points, Point{m.sizes, cost, record.MeanError(byRound, r.Nodes) / whole * cost, m.operations()})
	}
	return points
}

// failedOf are those of some benchmarks that did not pass.
func failedOf(r *record.Run, names []string) (failed []alternatives.LeftOut) {
	for i := range r.Tests {
		if t := &r.Tests[i]; t.Outcome != record.Pass && slices.Contains(names, t.Name) {
			failed = append(failed, alternatives.LeftOut{Test: t.Name, Outcome: t.Outcome})
		}
	}
	return failed
}
