package runner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"spell-lsp/runner/attribution"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// A choice is the tests of a program that executed the function of Params.Reach. A program is
// told which top-level tests to run; all of their subtests run, as leaving some out could
// change the others.
type choice struct {
	rows map[string]bool // tests and subtests that count
	tops map[string]bool // their top-level tests
	// args are the flags that select them. There are none where all tests are chosen, or where
	// those chosen need the others: then all are executed, and only those chosen count.
	args []string
}

// newChoice chooses the tests that reach a component; it is nil if none does.
func (m *measurement) newChoice(tests []*observation, component int) *choice {
	c := &choice{rows: make(map[string]bool), tops: make(map[string]bool)}
	all := make(map[string]bool)
	for _, o := range tests {
		all[topLevel(o.name)] = true
		if o.executed(component) {
			c.rows[o.name], c.tops[topLevel(o.name)] = true, true
		}
	}
	if len(c.rows) == 0 {
		return nil
	}
	if len(c.tops) < len(all) {
		c.args = chosenArgs(sortedKeys(c.tops), m.Run, m.Bench)
	}
	return c
}

// executed says whether code of a component, or of its literals, ran in the test.
func (o *observation) executed(component int) bool {
	return slices.ContainsFunc(o.intervals, func(v *attribution.Interval) bool {
		c := v.Counts[component+1]
		return c.N > 0 || c.Literals > 0 || c.Samples > 0
	}) || slices.ContainsFunc(o.subs, func(sub *observation) bool { return sub.executed(component) })
}

// longestArg is the longest pattern that fits into an argument of a program: the kernel's limit
// (MAX_ARG_STRLEN, execve(2)) less the name of the flag.
const longestArg = 128<<10 - 100

// chosenArgs are flags that select top-level tests, and of these what the user's patterns
// select; nil where flags cannot express that.
func chosenArgs(tops []string, run, bench string) []string {
	if hasAlternatives(run) || hasAlternatives(bench) {
		return nil
	}
	var tests, benchmarks []string
	for _, name := range tops {
		if strings.HasPrefix(name, "Benchmark") {
			benchmarks = append(benchmarks, name)
		} else {
			tests = append(tests, name)
		}
	}
	args := []string{"-test.run=^$", "-test.bench="}
	if len(tests) > 0 {
		args[0] = "-test.run=" + choose(tests, run)
	}
	if len(benchmarks) > 0 {
		args[1] = "-test.bench=" + choose(benchmarks, bench)
	}
	if slices.ContainsFunc(args, func(arg string) bool { return len(arg) > longestArg }) {
		return nil
	}
	return args
}

// flags select the tests; a nil choice is all tests.
func (c *choice) flags() []string {
	if c == nil {
		return nil
	}
	return c.args
}

// keep removes the tests whose top-level test was not chosen.
func (c *choice) keep(r *round) {
	if c != nil {
		r.tests = slices.DeleteFunc(r.tests, func(o *observation) bool { return !c.tops[topLevel(o.name)] })
	}
}

// keepRows removes all tests that do not count.
func (c *choice) keepRows(r *round) {
	if c != nil {
		r.tests = slices.DeleteFunc(r.tests, func(o *observation) bool { return !c.rows[o.name] })
	}
}

// keep forgets the tests that were not chosen.
func (h *firstOutcomes) keep(c *choice) {
	maps.DeleteFunc(h.outcomes, func(name string, _ record.Outcome) bool { return !c.tops[topLevel(name)] })
	h.once = slices.DeleteFunc(h.once, func(name string) bool { return !c.tops[name] })
}

// chooseReaching restricts the measurement to the tests that reached the function in a round.
func (m *measurement) chooseReaching(r *round) error {
	component := m.reached()
	byPackage := make(map[string][]*observation)
	for _, o := range r.tests {
		byPackage[o.pkg] = append(byPackage[o.pkg], o)
	}
	var programs []program
	for _, p := range m.programs {
		if p.chosen = m.newChoice(byPackage[p.Path], component); p.chosen != nil {
			m.first[p.Path].keep(p.chosen)
			programs = append(programs, p)
		}
	}
	m.note(r.notes...) // because of a test that did not end others may not have run
	if len(programs) == 0 {
		return fmt.Errorf("%w %s: none of those that were run (%d) executes it. Write one that does, or choose more of them, with --run, --bench and packages", ErrUnreached, m.build.Reach, len(r.tests))
	}
	m.programs = programs
	m.noteChoice(r)
	return nil
}

// noteChoice notes that the ranking does not cover all tests.
func (m *measurement) noteChoice(r *round) {
	n := 0
	for _, p := range m.programs {
		n += len(p.chosen.rows)
	}
	m.note(note.ReachOnly(m.build.Reach, n, len(r.tests)))
}

// reached is the number of the component that Params.Reach names.
func (m *measurement) reached() int {
	return slices.IndexFunc(m.build.Components, func(c spell.Component) bool { return c.ID == m.build.Reach })
}
