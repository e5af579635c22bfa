package wording

import (
	"fmt"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/units"
)

// Names gives the name of a component or a test by its index.
type Names func(index int) string

// TestSuite says how well tests tell components apart, or the rows that word names: a line for
// the whole, then a line for each of the first groups (all if most is negative), and the number
// of the others.
func TestSuite(word string, d spell.Diagnosability, component, test Names, most int) []string {
	word = row(word)
	list := []string{suite(word, d)}
	shown := len(d.Groups)
	if most >= 0 {
		shown = min(shown, most)
	}
	for _, g := range d.Groups[:shown] {
		list = append(list, members(g, component)+": "+Advice(word, g, component, test))
	}
	if more := len(d.Groups) - shown; more > 0 {
		list = append(list, units.Plural(more, "more group")+" of components that always run together.")
	}
	return list
}

// Advice says in two sentences which test, or other row, would separate the members of a group.
func Advice(word string, g spell.AmbiguityGroup, component, test Names) string {
	word = row(word)
	return ranBy(word, g, test) + " " + separatingTest(word, g, component)
}

func ranBy(word string, g spell.AmbiguityGroup, test Names) string {
	switch {
	case g.Test >= 0 && word != testRow:
		return fmt.Sprintf("Only %s runs %s.", test(g.Test), both(g))
	case g.Test >= 0:
		return fmt.Sprintf("Only %s runs %s: split that test.", test(g.Test), both(g))
	case g.Everywhere:
		return fmt.Sprintf("Every %s runs %s: probably set-up or core code.", word, both(g))
	}
	return fmt.Sprintf("The same %s %ss run %s.", units.Count(g.Tests), word, both(g))
}

func both(g spell.AmbiguityGroup) string {
	if len(g.Components) == 2 {
		return "both"
	}
	return "these " + units.Count(len(g.Components))
}

// separatingTest proposes a test. A benchmark of something that everybody calls is easier
// to write than a test that does without it.
func separatingTest(word string, g spell.AmbiguityGroup, component Names) string {
	a, b := component(g.Example[0]), component(g.Example[1])
	kind := word
	if g.Everywhere && word == testRow {
		kind = "unit test or benchmark"
	}
	switch g.Likeness {
	case spell.Neighbours:
		return fmt.Sprintf("Add a %s that stays within one of their packages, %s or %s.", kind, g.Packages[0], g.Packages[1])
	case spell.Unlike:
		break
	case spell.CalledAs:
		return fmt.Sprintf("They ran equally often each time, as if one called the other: add a %s that calls the callee directly, %s or %s.", kind, a, b)
	}
	return fmt.Sprintf("Add a %s that runs %s without %s.", kind, a, b)
}

func suite(word string, d spell.Diagnosability) string {
	who := "Test suite: it separates"
	if word != testRow {
		who = "The " + Rows(word) + " separate"
	}
	if d.Tests == 0 {
		return "No " + word + " ran any component, so nothing tells them apart."
	}
	text := fmt.Sprintf("%s components %s: DDU %.2f of 1, by density %.2f (normalised %.2f), diversity %.2f and uniqueness %.2f.",
		who, grade(d), d.DDU, d.Density, d.NormalizedDensity, d.Diversity, d.Uniqueness)
	if d.NotRun > 0 {
		are := "are"
		if d.NotRun == 1 {
			are = "is"
		}
		text += fmt.Sprintf(" %s of the %s %s run by no %s.", units.Count(d.NotRun), units.Plural(d.Components, "component"), are, word)
	}
	if weakest := weakest(word, d); weakest != "" {
		text += " " + weakest
	}
	return text
}

// grade has limits of our own: the paper compares suites, and names none.
func grade(d spell.Diagnosability) string {
	switch {
	case d.DDU >= 0.5:
		return "well"
	case d.DDU >= 0.2:
		return "partly"
	}
	return "poorly"
}

// weakest says what lowers DDU most; "" if it is high.
func weakest(word string, d spell.Diagnosability) string {
	least := min(d.NormalizedDensity, d.Diversity, d.Uniqueness)
	switch {
	case d.DDU >= 0.5:
		return ""
	case d.Tests == 1:
		return "Only one " + word + " ran any of them: add others that run a part of what it runs."
	case least == d.Diversity:
		return "Weakest is diversity: many " + word + "s run exactly the same components."
	case least == d.Uniqueness:
		return "Weakest is uniqueness: many components always run together."
	case d.Density > 0.5:
		return "Weakest is density: most " + word + "s run most components, smaller ones would help."
	}
	return "Weakest is density: most " + word + "s run few of the components, some that combine several would help."
}

// members lists some of the names.
func members(g spell.AmbiguityGroup, component Names) string {
	const most = 3
	names := []string{component(g.Example[0]), component(g.Example[1])}
	for _, j := range g.Components {
		if len(names) < most && j != g.Example[0] && j != g.Example[1] {
			names = append(names, component(j))
		}
	}
	if more := len(g.Components) - len(names); more > 0 {
		return strings.Join(names, ", ") + " and " + units.Count(more) + " more"
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
