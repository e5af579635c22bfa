package spell

import (
	"fmt"
	"strings"
)

// Advise says in two sentences which test would separate the members, with the
// given names of components and tests.
func (g AmbiguityGroup) Advise(component, test func(int) string) string {
	return g.ranBy(test) + " " + g.remedy(component)
}

func (g AmbiguityGroup) ranBy(test func(int) string) string {
	switch {
	case g.Test >= 0:
		return fmt.Sprintf("Only %s runs %s: it can be split.", test(g.Test), g.both())
	case g.Everywhere:
		return fmt.Sprintf("Every test runs %s, as it runs set-up or core code.", g.both())
	}
	return fmt.Sprintf("The same %d tests run %s.", g.Tests, g.both())
}

func (g AmbiguityGroup) both() string {
	if len(g.Components) == 2 {
		return "both"
	}
	return fmt.Sprintf("these %d", len(g.Components))
}

// remedy proposes a test. A benchmark of something that everybody calls is easier
// to write than a test that does without it.
func (g AmbiguityGroup) remedy(component func(int) string) string {
	a, b := component(g.Example[0]), component(g.Example[1])
	kind := "test"
	if g.Everywhere {
		kind = "unit test or benchmark"
	}
	switch g.Likeness {
	case Neighbours:
		return fmt.Sprintf("Add a %s that stays within one of their packages, %s or %s.", kind, g.Packages[0], g.Packages[1])
	case Unlike:
		break
	case CalledAs:
		return fmt.Sprintf("They ran equally often each time, as if one called the other: add a %s that calls the callee directly, %s or %s.", kind, a, b)
	}
	return fmt.Sprintf("Add a %s that runs %s without %s.", kind, a, b)
}

// Words describes a test suite: a line for the whole, then a line for each of the first
// ambiguity groups (all if most is negative), and the number of the others. component and test
// give names by index.
func (d Diagnosability) Words(component, test func(int) string, top int) []string {
	list := []string{d.suite()}
	shown := len(d.Groups)
	if top >= 0 {
		shown = min(shown, top)
	}
	for _, g := range d.Groups[:shown] {
		list = append(list, g.members(component)+": "+g.Advise(component, test))
	}
	if more := len(d.Groups) - shown; more > 0 {
		list = append(list, counted(more, "more group")+" of components that always run together.")
	}
	return list
}

func (d Diagnosability) suite() string {
	if d.Tests == 0 {
		return "Test suite: no test ran any component, so it cannot tell them apart."
	}
	text := fmt.Sprintf("Test suite: it tells components apart %s: DDU %.2f of 1, by density %.2f (normalised %.2f), diversity %.2f and uniqueness %.2f.",
		d.grade(), d.DDU, d.Density, d.NormalizedDensity, d.Diversity, d.Uniqueness)
	if d.NotRun > 0 {
		text += fmt.Sprintf(" No test runs %d of the %s.", d.NotRun, counted(d.Components, "component"))
	}
	if weakest := d.weakest(); weakest != "" {
		text += " " + weakest
	}
	return text
}

// The grades are of this package: the paper compares suites, and names no limits.
func (d Diagnosability) grade() string {
	switch {
	case d.DDU >= 0.5:
		return "well"
	case d.DDU >= 0.2:
		return "in part"
	}
	return "badly"
}

// weakest says what lowers DDU most; "" if it is high.
func (d Diagnosability) weakest() string {
	least := min(d.NormalizedDensity, d.Diversity, d.Uniqueness)
	switch {
	case d.DDU >= 0.5:
		return ""
	case d.Tests == 1:
		return "Only one test ran any of them: add others that run a part of what it runs."
	case least == d.Diversity:
		return "Weakest is diversity: many tests run exactly the same components."
	case least == d.Uniqueness:
		return "Weakest is uniqueness: many components always run together."
	case d.Density > 0.5:
		return "Weakest is density: most tests run most components, smaller tests would help."
	}
	return "Weakest is density: most tests run few of the components, tests that combine several would help."
}

// members lists some of the names.
func (g AmbiguityGroup) members(component func(int) string) string {
	const most = 3
	names := []string{component(g.Example[0]), component(g.Example[1])}
	for _, j := range g.Components {
		if len(names) < most && j != g.Example[0] && j != g.Example[1] {
			names = append(names, component(j))
		}
	}
	if more := len(g.Components) - len(names); more > 0 {
		return strings.Join(names, ", ") + fmt.Sprintf(" and %d more", more)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (m *Matrix) componentID(j int) string { return m.Components[j].ID }
func (m *Matrix) testName(t int) string    { return m.Tests[t] }
