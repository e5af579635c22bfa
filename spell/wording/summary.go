package wording

import (
	"fmt"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
	"spell-lsp/spell/summary"
	"spell-lsp/spell/units"
)

// Headline says in a sentence or two what a run is about: what holds most of the energy,
// and whether that was measured. Where most of it is in no component, or the tests mostly
// wait, that comes first.
func Headline(s *summary.Summary, component Names) string {
	var list []string
	if s.Partial {
		list = append(list, "PARTIAL: the measurement was interrupted, only what was measured until then is here.")
	}
	if s.Waiting.WallMS > 0 {
		list = append(list, fmt.Sprintf("The %s, or others kept the processors busy: %s, and the program runs for %s of it.",
			waits(s.Row), takes(s.Row)+" "+units.Duration(s.Waiting.WallMS), units.Duration(s.Waiting.RanMS)))
	}
	part, mostly := s.Mostly()
	switch {
	case s.Leading.Count == 0 && mostly:
		list = append(list, nothing(s), mostlyIn(s, part)+".")
	case s.Leading.Count == 0:
		list = append(list, nothing(s))
	case mostly:
		list = append(list, fmt.Sprintf("%s; %s hold %s.", mostlyIn(s, part), plural(s.Kind), percent(s.Held/s.Program())),
			holders(s, component, fmt.Sprintf("of their %s", amount(s.Of, s.Held)), ""))
	default:
		list = append(list, holders(s, component, ofAll(s), origin(s)))
	}
	return strings.Join(list, " ")
}

// mostlyIn says, without the full stop, in which place most is that the program used.
func mostlyIn(s *summary.Summary, part summary.Part) string {
	return fmt.Sprintf("%s of the %s that %s %ss in a round%s %s",
		percent(part.Amount/s.Program()), amount(s.Of, s.Program()), underTest(s.Row), spends(s.Of), origin(s), whereIs[part.Place])
}

// ofAll says what shares are of. Values that overlap add up to nothing that was used: no amount
// is said of these.
func ofAll(s *summary.Summary) string {
	if s.Inclusive {
		return fmt.Sprintf("of the sum of all %s' %s with what they call, which overlap", plural(s.Kind), amounts[s.Of])
	}
	of := fmt.Sprintf("of the %s that all %s %s", amount(s.Of, s.Held), plural(s.Kind), spends(s.Of))
	if !s.File {
		of += " in a round"
	}
	return of
}

// amounts name what several components hold.
var amounts = map[spell.Criterion]string{
	spell.EnergyCriterion: "energies", spell.TimeCriterion: "running times", spell.ExecutionsCriterion: "executions",
}

// holders is the sentence about the components to look at first.
func holders(s *summary.Summary, component Names, of, origin string) string {
	l := s.Leading
	holds := fmt.Sprintf("%s %s%s", percent(l.Share), of, origin)
	if l.MostShare > 0 {
		holds += fmt.Sprintf("; %s holds most, %s", component(l.Most), percent(l.MostShare))
	}
	inclusive := ""
	if s.Inclusive {
		inclusive = ", with what it calls,"
	}
	switch {
	case !l.Red:
		return fmt.Sprintf("No %s is red: %s, the first, holds %s.", noun(s.Kind), component(l.First), holds)
	case l.Count == 1 && s.By == spell.PsiCriterion:
		return fmt.Sprintf("%s comes first by psi; it holds%s %s.", component(l.First), inclusive, holds)
	case l.Count == 1:
		return fmt.Sprintf("%s%s holds %s.", component(l.First), inclusive, holds)
	}
	if s.Inclusive {
		inclusive = ", with what they call,"
	}
	if s.By == spell.PsiCriterion {
		return fmt.Sprintf("%s %s come first by psi; they hold%s %s.", units.Count(l.Count), plural(s.Kind), inclusive, holds)
	}
	return fmt.Sprintf("%s red %s%s hold %s.", units.Count(l.Count), plural(s.Kind), inclusive, holds)
}

func nothing(s *summary.Summary) string {
	switch {
	case s.Tests == 0:
		return "Nothing to rank: no " + row(s.Row) + " counts."
	case s.Components == 0 && s.Excluded:
		return "Nothing to rank: all functions were excluded from this run (exclude *, as choose does)."
	case s.Components == 0:
		return fmt.Sprintf("Nothing to rank: no %s ran in %s.", noun(s.Kind), TheseRows(s.Row))
	}
	return fmt.Sprintf("Nothing to rank: no %s used anything in %s.", noun(s.Kind), TheseRows(s.Row))
}

// Totals says what the tests took in all, and how much of it is in components; "" if all of
// it is, or that is not known.
func Totals(s *summary.Summary) string {
	parts, rest := s.Notable()
	if len(s.Outside) == 0 {
		return ""
	}
	list := []string{plural(s.Kind) + " " + amount(s.Of, s.Held)}
	for _, p := range parts {
		list = append(list, outside[p.Place]+" "+amount(s.Of, p.Amount))
	}
	if rest > 0 {
		list = append(list, "all else "+amount(s.Of, rest))
	}
	estimated := ""
	if s.Of == spell.EnergyCriterion && (s.Basis == summary.Estimated || s.Basis == summary.EstimatedByTime) {
		estimated = "an estimated "
	}
	return fmt.Sprintf("A round of %s takes %s%s: %s.", units.Plural(s.Tests, row(s.Row)), estimated, amount(s.Of, s.Whole), strings.Join(list, ", "))
}

// Reason says in short why a component costs what it costs, what usually helps, who calls it so
// often, and which line and which callee without a probe take its time.
func Reason(item *summary.Item, component Names) string {
	e := item.Why
	text := why(e)
	if c := item.Caller; c.Share > 0 {
		text += fmt.Sprintf(" Calls from %s cause %s of its cost.", component(c.Component), percent(c.Share))
	}
	if own := ownTime(e); own != "" {
		text += " " + own
	}
	text += still(e)
	if e.Waiting.WallMS > 0 {
		text += fmt.Sprintf(" It mostly waits, or others kept the processors busy: it ran for %s of %s.", units.Duration(e.Waiting.RanMS), units.Duration(e.Waiting.WallMS))
	}
	return text
}

func why(e explanation.Explanation) string {
	if e.Cost.EachJ == 0 && e.Cost.EachMS == 0 && e.Reason == explanation.RunsOften {
		return "It runs very often: " + runLessHelp + "."
	}
	switch e.Reason {
	case explanation.NotRun:
		return "It was not seen to run."
	case explanation.ExecutionsUnknown:
		return "How often it ran is not known: do less work in it, or run it less."
	case explanation.OfFunctions:
		return Upper(ofFunctions(e.Functions)) + "."
	case explanation.LittleToGain:
		return "There is little to gain here."
	case explanation.RunsOften:
		return "It runs very often, " + each(e.Cost) + ": " + runLessHelp + "."
	case explanation.CostlyEach:
		return "Each execution is costly, " + once(e.Cost) + ": " + betterHelp + "."
	default:
		return Upper(each(e.Cost)) + ": " + bothHelp + "."
	}
}

// plural names components, of which there are several or all.
func plural(k spell.Kind) string {
	switch k {
	case spell.KindBlock: // ranked beside the functions
		return "functions and blocks"
	case spell.KindType: // functions of no type are ranked beside them
		return "types and functions"
	default:
		return noun(k) + "s"
	}
}

func noun(k spell.Kind) string {
	switch k {
	case spell.KindPackage, spell.KindFile, spell.KindFunction, spell.KindGoroutine, spell.KindLabel:
		return string(k)
	case spell.KindType:
		return "type or function"
	case spell.KindBlock:
		return "function or block"
	}
	return "component"
}

func amount(of spell.Criterion, v float64) string {
	switch of {
	case spell.EnergyCriterion:
		return units.Quantity(v, "J")
	case spell.TimeCriterion:
		return units.Duration(v)
	default:
		return units.Plural(v, "execution")
	}
}

// spends is the verb for an amount.
func spends(of spell.Criterion) string {
	switch of {
	case spell.EnergyCriterion:
		return "use"
	case spell.TimeCriterion:
		return "run"
	default:
		return "make"
	}
}

// origin says in brackets whether the energy was measured.
func origin(s *summary.Summary) string {
	switch {
	case s.File && (s.Basis == summary.Measured || s.Basis == summary.Estimated):
		return " (" + string(s.Basis) + ", as the file says)"
	case s.Basis == summary.Measured:
		return " (measured by " + s.Meter + CounterRoot(s.Root) + ")"
	case s.Basis == summary.EstimatedByTime:
		return " (estimated from CPU time, not measured)"
	case s.Basis == summary.Estimated:
		return " (estimated, not measured)"
	case s.Basis == summary.HostsShare:
		return " (energy is the host's share, which no " + string(s.Kind) + " has)"
	case s.Basis == summary.Unstated:
		return " (the file does not say whether it was measured or estimated)"
	}
	return " (no energy is known)"
}

// whereIs is the predicate of what a place uses, and outside its name in a list.
var (
	whereIs = map[summary.Place]string{
		summary.TestCode:       "is in test code",
		summary.OutsideCode:    "is in code outside the module",
		summary.Collector:      "goes to the garbage collector",
		summary.Scheduler:      "goes to the Go scheduler",
		summary.ChildProcesses: "goes to child processes",
		summary.EndedTests:     "goes to goroutines of ended tests",
		summary.NotByComponent: "is known by test only",
		summary.MovedByNone:    "goes to bytes that no function moved",
		summary.Unsampled:      "is in no sample of its stacks",
	}
	outside = map[summary.Place]string{
		summary.TestCode:       "test code",
		summary.OutsideCode:    "code outside the module",
		summary.Collector:      "garbage collector",
		summary.Scheduler:      "Go scheduler",
		summary.ChildProcesses: "child processes",
		summary.EndedTests:     "goroutines of ended tests",
		summary.NotByComponent: "known by test only",
		summary.MovedByNone:    "bytes that no function moved",
		summary.IdleMachine:    "idle machine",
		summary.OtherProcesses: "other processes",
		summary.Probes:         "measuring probes",
		summary.Sampler:        "energy sampler",
		summary.Unsampled:      "not sampled",
		summary.Elsewhere:      "not attributed",
	}
)
