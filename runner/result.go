package runner

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"spell-lsp/runner/attribution"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// run is the record of the rounds kept so far.
func (m *measurement) run(partial bool) *record.Run {
	info := m.info
	w := m.model.Powers()
	r := &record.Run{
		Schema: record.Schema, ID: record.NewID(m.started), Started: m.started.UTC(),
		DurationMS: float64(time.Since(m.started)) / 1e6, Partial: partial,
		Workspace: m.workspace, Host: host(m.build.GoVersion),
		Meter: record.Meter{
			Name: info.Name, Source: info.Source, Domains: info.Domains,
			ResolutionMS: resolutionMS(info), IdleW: w.IdleW(), Root: info.Root, Warnings: info.Warnings,
		},
		Settings: m.settings(), Mode: "instrument", Granularity: m.Granularity,
		Rounds: len(m.kept), DroppedRounds: len(m.dropped), Dropped: m.dropped, Converged: m.converged, Seed: m.Seed,
		Warnings: m.allWarnings(),
		Analysis: ranking.AnalysisOf(m.Analysis, m.IncludeFailed, newColumns(info.Domains).shared), // the analysis that the intervals belong to
	}
	if info.Counter {
		describe(&r.Meter, m.meter.Quality())
	}
	p := m.attribute(w)
	index := fill(r, m.kept, m.units, info.Domains, m.resolved(p))
	r.Twins = twins(r, m.build)
	if len(r.Components) == 0 && len(m.build.Components) > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("none of the %d functions with a probe was called in a test: the tests call none of them, or run them in another process; otherwise the probes did not reach the tests, which is a fault of spell-lsp", len(m.build.Components)))
	}
	if info.Counter {
		markShortTests(r, m.kept, m.meter.Quality().UncertainMS)
	}
	m.intervals(r, index, w)
	addReference(r, m.kept)
	if warning := m.childrenWarning(r); warning != "" {
		r.Warnings = append(r.Warnings, warning)
	}
	ranking.Analyze(r, m.Analysis, m.IncludeFailed)
	return r
}

// settings are what was asked for, with the function that was found for its name.
func (m *measurement) settings() map[string]any {
	if m.build.Reach == "" {
		return m.Settings
	}
	all := maps.Clone(m.Settings)
	if all == nil {
		all = make(map[string]any)
	}
	all["reach"] = m.build.Reach
	return all
}

// attribute shares the energy of the rounds kept, with what all rounds tell of
// the time of calls that were only counted.
func (m *measurement) attribute(w *attribution.Powers) *attribution.Pool {
	p := attribution.NewPool(len(m.build.Components), m.setUp.Hot)
	for _, r := range slices.Concat(m.warm, m.kept) {
		r.addTo(p)
	}
	m.ranNS = make(map[int]float64)
	for _, r := range m.kept {
		r.attribute(p, w, m.unit)
	}
	return p
}

// unit says to which unit the share of a component is added. Cumulative values do
// not add up, as one may have called another: what a unit of several used itself
// is the least that it can be.
func (m *measurement) unit(component int, s attribution.Share) (int, attribution.Share) {
	u := m.of[component]
	m.ranNS[component] += s.SelfNS
	if m.units[u].ID != m.build.Components[component].ID {
		s.CumNS, s.WallNS, s.CumJoules = s.SelfNS, s.SelfNS, slices.Clone(s.Joules)
	}
	return u, s
}

// resolved says of a unit whether its time rests on enough samples.
func (m *measurement) resolved(p *attribution.Pool) func(unit int) bool {
	members := make([][]int, len(m.units))
	for component, u := range m.of {
		if u >= 0 {
			members[u] = append(members[u], component)
		}
	}
	return func(unit int) bool { return p.Resolved(members[unit]...) }
}

// allWarnings are those of the measurement and of all rounds, each once.
func (m *measurement) allWarnings() []string {
	seen := make(map[string]bool)
	var all []string
	add := func(warnings []string) {
		for _, w := range warnings {
			if !seen[w] {
				seen[w] = true
				all = append(all, w)
			}
		}
	}
	add(m.warnings)
	for _, r := range m.kept {
		add(r.warnings)
	}
	return all
}

func sum(values []float64) float64 {
	var s float64
	for _, v := range values {
		s += v
	}
	return s
}

// fill puts the mean of the rounds into r: its tests, those components that
// ran, and the matrix. It returns where each component stands in r.
func fill(r *record.Run, rounds []*round, components []spell.Component, domains []spell.Domain, resolved func(component int) bool) (index map[int]int) {
	means, tests := average(rounds)
	columns := newColumns(domains)
	r.Matrix.Domains = columns.shared
	sums := make(map[int]attribution.Share)
	for _, name := range tests {
		for c, s := range means[name].shares {
			sum := sums[c]
			sum.SelfNS, sum.ProbesNS, sum.FramesNS = sum.SelfNS+s.SelfNS, sum.ProbesNS+s.ProbesNS, sum.FramesNS+s.FramesNS
			sums[c] = sum
		}
	}
	index = make(map[int]int, len(sums))
	for i, c := range slices.Sorted(maps.Keys(sums)) {
		index[c] = i
		r.Components = append(r.Components, component(components[c], columns))
		r.Components[i].BelowResolution = !sums[c].Resolved() || !resolved(c)
	}
	for t, name := range tests {
		addTest(r, t, means[name], index, columns)
	}
	return index
}

// addTest appends test t and its cells, and adds these up by component.
func addTest(r *record.Run, t int, m *mean, index map[int]int, columns columns) {
	unattributed := make([]float64, len(m.joules))
	for _, c := range slices.Sorted(maps.Keys(m.shares)) {
		s := m.shares[c]
		r.Matrix.Cells = append(r.Matrix.Cells, spell.Cell{Test: int32(t), Component: int32(index[c]), N: s.N, TimeMS: s.SelfNS / 1e6})
		r.Matrix.EnergyJ = append(r.Matrix.EnergyJ, columns.values(s.Joules)...)
		r.Matrix.CumTimeMS = append(r.Matrix.CumTimeMS, s.CumNS/1e6)
		r.Matrix.CumEnergyJ = append(r.Matrix.CumEnergyJ, columns.values(s.CumJoules)...)
		add(&r.Components[index[c]], s, columns)
	}
	parts := make(map[record.Part]record.Unattributed, len(m.parts))
	for _, name := range slices.Sorted(maps.Keys(m.parts)) { // floating-point sums depend on the order
		p := m.parts[name]
		for d, e := range p.Joules {
			unattributed[d] += e
		}
		parts[name] = record.Unattributed{TimeMS: p.NS / 1e6, EnergyJ: columns.ofPart(name, p.Joules)}
	}
	r.Tests = append(r.Tests, record.Test{
		Name: m.pkg + "." + m.name, Package: m.pkg, Outcome: m.outcome, Output: m.output, Rounds: m.rounds, Repeats: m.repeats(),
		EnergyJ: energy(m.joules, columns.all), TimeMS: m.timeMS, UnattributedJ: energy(unattributed, columns.all),
		Unattributed: parts, ProbeMS: m.parts[record.Probes].NS / 1e6,
	})
}

func component(c spell.Component, columns columns) record.Component {
	zero := make([]float64, len(columns.shared))
	return record.Component{
		ID: c.ID, Kind: c.Kind, Package: c.Package, File: c.File, Line: c.Line, Column: c.Column, EndLine: c.EndLine, Hash: c.Hash,
		EnergyJ: energy(zero, columns.shared), CumEnergyJ: energy(zero, columns.shared),
	}
}

func add(c *record.Component, s attribution.Share, columns columns) {
	c.N += s.N
	c.TimeMS += s.SelfNS / 1e6
	c.CumTimeMS += s.CumNS / 1e6
	c.WallMS += s.WallNS / 1e6
	for i, domain := range columns.shared {
		c.EnergyJ[domain] += s.Joules[columns.at[i]]
		c.CumEnergyJ[domain] += s.CumJoules[columns.at[i]]
	}
}

// columns are the domains of a meter, and those of them that components have a share of.
type columns struct {
	all, shared []spell.Domain
	at          []int // where those shared stand among all
}

func newColumns(domains []spell.Domain) columns {
	c := columns{all: domains, shared: []spell.Domain{}}
	for d, domain := range domains {
		if !domain.OfBytes() { // which are counted by test only
			c.shared, c.at = append(c.shared, domain), append(c.at, d)
		}
	}
	return c
}

// values selects the values of the shared domains.
func (c columns) values(all []float64) []float64 {
	list := make([]float64, len(c.at))
	for i, d := range c.at {
		list[i] = all[d]
	}
	return list
}

// ofPart is the energy of an unattributed part, limited to the domains that it can have.
func (c columns) ofPart(name record.Part, all []float64) record.Energy {
	e := energy(all, c.all)
	if name == record.Idle {
		return e
	}
	for _, d := range c.all {
		if slices.Contains(c.shared, d) == (name == record.NotByFunction) {
			delete(e, d)
		}
	}
	return e
}

func energy(joules []float64, domains []spell.Domain) record.Energy {
	e := make(record.Energy, len(domains))
	for d, domain := range domains {
		e[domain] = joules[d]
	}
	return e
}

// A mean is what a test used in one round on average.
type mean struct {
	observation // executions are of all rounds together
	rounds      int
}

// repeats is how often the test was executed in a round; 0 stands for once.
func (m *mean) repeats() float64 {
	if m.executions <= float64(m.rounds) {
		return 0
	}
	return m.executions / float64(m.rounds)
}

// markShortTests marks the tests whose windows are too short for a meter whose
// moments are known within so many ms: errors of the edges of n windows add up to
// the root of n of one's.
func markShortTests(r *record.Run, rounds []*round, uncertainMS float64) {
	lengths, windows := make(map[string]float64), make(map[string]float64)
	for _, round := range rounds {
		for _, o := range round.tests {
			name := o.pkg + "." + o.name
			lengths[name] += o.timeMS * o.executions
			windows[name] += o.executions
		}
	}
	needed := resolvedMS * min(1, 2*uncertainMS)
	for i := range r.Tests {
		name := r.Tests[i].Name
		r.Tests[i].BelowResolution = lengths[name] < needed*math.Sqrt(windows[name])
	}
}

// severity orders outcomes: a test that failed in one round has failed.
var severity = []record.Outcome{record.Skip, record.Pass, record.Fail, record.Crash, record.Timeout}

// average takes the mean of each test over the rounds in which it ran, and
// lists the tests by package, and in it in the order in which they ran.
func average(rounds []*round) (map[string]*mean, []string) {
	means := make(map[string]*mean)
	var names []string
	for _, r := range rounds {
		for _, o := range r.tests {
			name := o.pkg + "." + o.name
			m := means[name]
			if m == nil {
				m = &mean{observation: observation{pkg: o.pkg, name: o.name, outcome: o.outcome, joules: make([]float64, len(o.joules)), shares: make(map[int]attribution.Share), parts: make(map[record.Part]attribution.Amount)}}
				means[name] = m
				names = append(names, name)
			}
			m.add(o)
		}
	}
	for _, m := range means {
		m.divide(float64(m.rounds))
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(means[a].pkg, means[b].pkg) })
	return means, names
}

func (m *mean) add(o *observation) {
	m.rounds++
	m.executions += o.executions
	m.timeMS += o.timeMS
	if slices.Index(severity, o.outcome) >= slices.Index(severity, m.outcome) {
		m.outcome, m.output = o.outcome, o.output
	}
	for d, e := range o.joules {
		m.joules[d] += e
	}
	for c, s := range o.shares {
		s.Joules, s.CumJoules = slices.Clone(s.Joules), slices.Clone(s.CumJoules)
		m.shares[c] = m.shares[c].Plus(s)
	}
	for name, p := range o.parts {
		p.Joules = slices.Clone(p.Joules)
		m.parts[name] = m.parts[name].Plus(p)
	}
}

func (m *mean) divide(by float64) {
	m.timeMS /= by
	for d := range m.joules {
		m.joules[d] /= by
	}
	for c, s := range m.shares {
		m.shares[c] = s.Divided(by)
	}
	for name, p := range m.parts {
		m.parts[name] = p.Divided(by)
	}
}
