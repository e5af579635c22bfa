package runner

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoTest says that the packages have no test that could be run.
var ErrNoTest = errors.New("no test ran")

// noTests says why no package has a test program.
func (m *measurement) noTests() error {
	switch {
	case m.build.Module == "":
		return fmt.Errorf("%w: %s is no package of the module that is measured; only its own packages are", ErrNoTest, strings.Join(m.Patterns, " "))
	case m.build.Reach != "":
		return m.unreachable()
	case len(m.build.LeftOut) > 0:
		return fmt.Errorf("%w: %s", ErrNoTest, strings.Join(m.build.LeftOut, "\n"))
	}
	return fmt.Errorf("%w: no package here has a _test.go file", ErrNoTest)
}

// foundNone is what the testing package says where it had nothing to run.
const foundNone = "testing: warning: no tests to run"

// noteEnd notes a program that did not come to its tests.
func (m *measurement) noteEnd(p program, e *execution) {
	if !strings.Contains(e.output, foundNone) {
		m.cutShort = append(m.cutShort, p.Path)
	}
}

// nothingRan says why a round has no test.
func (m *measurement) nothingRan(r *round) error {
	choice := fmt.Sprintf("no test's name matches --run %q --bench %q", m.Run, m.Bench)
	switch {
	case len(r.warnings) > 0:
		return fmt.Errorf("%w: %s", ErrNoTest, r.warnings[0])
	case len(m.cutShort) > 0 && m.Bench == "": // with a choice of benchmarks the testing package says nothing
		return fmt.Errorf("%w: the test programs of %s ended without an error before any test: a TestMain or an init function there ends them", ErrNoTest, strings.Join(m.cutShort, ", "))
	case len(m.cutShort) > 0:
		return fmt.Errorf("%w: %s, or a TestMain ends the program before its tests", ErrNoTest, choice)
	case m.Run != "":
		return fmt.Errorf("%w: %s", ErrNoTest, choice)
	}
	return fmt.Errorf("%w: the _test.go files have no Test, Example or Fuzz function", ErrNoTest)
}
