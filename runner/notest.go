package runner

import (
	"errors"
	"fmt"
	"strings"

	"spell-lsp/spell/shortlist"
	"spell-lsp/spell/wording"
)

// ErrNoTest says that no test could be run.
var ErrNoTest = errors.New("no test ran")

// ErrUnreached says that no test executes the function that [Params.Reach] names.
var ErrUnreached = errors.New("no test reaches the function")

// noTests is the error where no package has a test program.
func (m *measurement) noTests() error {
	where := "here"
	if len(m.Patterns) > 0 {
		where = "of " + strings.Join(m.Patterns, " ")
	}
	switch {
	case m.build.Module == "" && len(m.Patterns) == 0:
		return fmt.Errorf("%w: no Go files were found here: name the folder of a Go package, with -C or as an argument", ErrNoTest)
	case m.build.Module == "":
		return fmt.Errorf("%w: %s is not a package of the measured module; only packages of that module can be measured", ErrNoTest, strings.Join(m.Patterns, " "))
	case m.build.Reach != "":
		return m.unreachable()
	case len(m.build.LeftOut) > 0:
		return fmt.Errorf("%w: %s", ErrNoTest, strings.Join(shortlist.Of(m.build.LeftOut), "\n"))
	}
	return fmt.Errorf("%w: no package %s has a _test.go file", ErrNoTest, where)
}

// nothingRan is the error where no test ran in a round.
func (m *measurement) nothingRan(r *round) error {
	switch {
	case len(r.notes) > 0:
		return fmt.Errorf("%w: %s", ErrNoTest, strings.Join(shortlist.Of(wording.Texts(r.notes)), "\n"))
	case m.Run == NoTests && m.Bench != "":
		return fmt.Errorf("%w: no benchmark's name matches --bench %q; %s", ErrNoTest, m.Bench, m.declared(m.Bench, isBenchmark))
	case m.Run != "" && m.Bench != "":
		return fmt.Errorf("%w: no name matches --run %q --bench %q; %s", ErrNoTest, m.Run, m.Bench, m.declared(m.Run, isTest))
	case m.Run != "":
		return fmt.Errorf("%w: no test's name matches --run %q; %s", ErrNoTest, m.Run, m.declared(m.Run, isTest))
	case m.Bench != "":
		return fmt.Errorf("%w: there is no test, and no benchmark's name matches --bench %q; %s", ErrNoTest, m.Bench, m.declared(m.Bench, isBenchmark))
	}
	return fmt.Errorf("%w: the _test.go files have no Test, Example or Fuzz function", ErrNoTest)
}

// unreachable is the error where no test program contains the function.
func (m *measurement) unreachable() error {
	return fmt.Errorf("%w %s: no package that is measured has it in its tests. Write a test that calls it, or name the packages whose tests do", ErrUnreached, m.build.Reach)
}
