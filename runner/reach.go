package runner

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spell-lsp/runner/attribution"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// ErrUnreached says that no test executes the function that [Params.Reach] names.
var ErrUnreached = errors.New("no test reaches the function")

// A choice is of the tests of a program: those that executed the function which
// Params.Reach names. What can be told to a program are top-level tests. Their
// subtests run as before: to leave out some of them could change the others.
type choice struct {
	rows map[string]bool // tests and subtests as the record has them
	tops map[string]bool // the top-level tests that these are, or are in
	// args are the flags that choose them. None where all of the program are
	// chosen, or where they cannot be executed without the others: then all are
	// executed, and only those chosen count.
	args []string
}

// newChoice is of those tests that reach a component, or nil if none does.
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

// topLevel is the test that a subtest is in, or the test itself.
func topLevel(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}

// executed says whether code of a component, or of its literals, ran in the test.
func (o *observation) executed(component int) bool {
	return slices.ContainsFunc(o.intervals, func(v *attribution.Interval) bool {
		c := v.Counts[component+1]
		return c.N > 0 || c.Literals > 0 || c.Samples > 0
	})
}

// longestArg is how long an argument of a program may be: the kernel's limit
// (MAX_ARG_STRLEN, execve(2)) less what stands before the pattern.
const longestArg = 128<<10 - 100

// chosenArgs are flags that choose top-level tests, and of those what the user's
// patterns choose. There are none where that cannot be said.
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

// flags choose the tests that are executed; a nil choice is of all.
func (c *choice) flags() []string {
	if c == nil {
		return nil
	}
	return c.args
}

// keep leaves those of the program's tests whose top-level test was chosen.
func (c *choice) keep(r *round) {
	if c != nil {
		r.tests = slices.DeleteFunc(r.tests, func(o *observation) bool { return !c.tops[topLevel(o.name)] })
	}
}

// keepRows leaves those that were chosen themselves.
func (c *choice) keepRows(r *round) {
	if c != nil {
		r.tests = slices.DeleteFunc(r.tests, func(o *observation) bool { return !c.rows[o.name] })
	}
}

// keep leaves what is known of the tests that were chosen.
func (h *firstOutcomes) keep(c *choice) {
	maps.DeleteFunc(h.outcomes, func(name string, _ record.Outcome) bool { return !c.tops[topLevel(name)] })
	h.once = slices.DeleteFunc(h.once, func(name string) bool { return !c.tops[name] })
}

// chooseReaching makes the tests that reached the function in the first round those
// that are measured from then on.
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
	for _, w := range r.warnings { // a test that did not end can have kept others from running
		m.warn(w)
	}
	if len(programs) == 0 {
		return fmt.Errorf("%w %s: none of those that were run (%d) executes it. Write one that does, or choose more of them, with --run, --bench and packages", ErrUnreached, m.build.Reach, len(r.tests))
	}
	m.programs = programs
	m.noteChoice(r)
	return nil
}

// noteChoice says that the ranking is not of all tests.
func (m *measurement) noteChoice(r *round) {
	n := 0
	for _, p := range m.programs {
		n += len(p.chosen.rows)
	}
	m.warn(fmt.Sprintf("Only tests that execute %s count here: %d of the %d that were run to find them.", m.build.Reach, n, len(r.tests)))
}

// reached is the component that Params.Reach names; the build has it.
func (m *measurement) reached() int {
	return slices.IndexFunc(m.build.Components, func(c spell.Component) bool { return c.ID == m.build.Reach })
}

// unreachable says why no program can execute the function.
func (m *measurement) unreachable() error {
	return fmt.Errorf("%w %s: no package that is measured has it in its tests. Write a test that calls it, or name the packages whose tests do", ErrUnreached, m.build.Reach)
}
