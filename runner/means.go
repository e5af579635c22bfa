package runner

import (
	"cmp"
	"math"
	"slices"

	"spell-lsp/runner/attribution"
	"spell-lsp/spell/record"
)

// A mean is the mean of a test over the rounds in which it ran, for one execution.
type mean struct {
	pkg, name  string
	outcome    record.Outcome
	output     string
	exitCode   *int
	operation  bool // the values are those of one
	rounds     int
	executions float64 // or operations, of all rounds together
	timeMS     float64
	joules     []float64
	separate   []float64                 // of the rounds in which it is known; not a number without one
	known      []float64                 // how many these are
	shares     map[int]attribution.Share // by unit
	parts      map[record.Part]attribution.Amount
	allocated  attribution.Allocation
}

// repeats is the number of executions in a round; 0 stands for one.
func (m *mean) repeats() float64 {
	if m.executions <= float64(m.rounds) {
		return 0
	}
	return m.executions / float64(m.rounds)
}

// average takes the mean of each test. Tests are ordered by package, then as they first ran.
func average(rounds [][]sharedTest) []*mean {
	var list []*mean
	of := make(map[string]*mean)
	for _, tests := range rounds {
		for _, t := range tests {
			name := t.pkg + "." + t.name
			m := of[name]
			if m == nil {
				m = &mean{pkg: t.pkg, name: t.name, outcome: t.outcome, operation: t.operation, joules: make([]float64, len(t.joules)), separate: make([]float64, len(t.separate)), known: make([]float64, len(t.separate)), shares: make(map[int]attribution.Share), parts: make(map[record.Part]attribution.Amount)}
				of[name] = m
				list = append(list, m)
			}
			m.add(t)
		}
	}
	for _, m := range list {
		m.divide(float64(m.rounds))
	}
	slices.SortStableFunc(list, func(a, b *mean) int { return cmp.Compare(a.pkg, b.pkg) })
	return list
}

func (m *mean) add(t sharedTest) {
	m.rounds++
	m.executions += t.repeats()
	m.timeMS += t.timeMS
	if t.outcome.Severity() >= m.outcome.Severity() {
		m.outcome, m.output, m.exitCode = t.outcome, t.output, t.exitCode
	}
	for d, e := range t.joules {
		m.joules[d] += e
	}
	for s, e := range t.separate {
		if !math.IsNaN(e) {
			m.separate[s], m.known[s] = m.separate[s]+e, m.known[s]+1
		}
	}
	m.allocated = m.allocated.Plus(t.allocated)
	for c, s := range t.shares {
		s.Joules, s.CumJoules, s.Caused.Joules = slices.Clone(s.Joules), slices.Clone(s.CumJoules), slices.Clone(s.Caused.Joules)
		m.shares[c] = m.shares[c].Plus(s)
	}
	for name, p := range t.parts {
		p.Joules = slices.Clone(p.Joules)
		m.parts[name] = m.parts[name].Plus(p)
	}
}

func (m *mean) divide(by float64) {
	m.timeMS /= by
	m.allocated = m.allocated.Divided(by)
	for d := range m.joules {
		m.joules[d] /= by
	}
	for s := range m.separate {
		m.separate[s] /= m.known[s]
	}
	for c, s := range m.shares {
		m.shares[c] = s.Divided(by)
	}
	for name, p := range m.parts {
		m.parts[name] = p.Divided(by)
	}
}
