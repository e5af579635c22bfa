package wording

import (
	"fmt"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
	"spell-lsp/spell/units"
)

// Explanation says in one to three sentences what makes the rank of a component, or its cost so
// high, what usually helps, and which callee without a probe takes its time.
func Explanation(e explanation.Explanation) string {
	text := standsOut(e)
	if e.Inclusive {
		text = "Counted with what it calls. " + text
	}
	if e.Callee.Share > 0 {
		text += " " + spentIn(e.Callee)
	}
	text += still(e)
	switch {
	case e.Waiting.WallMS > 0:
		return text + fmt.Sprintf(" It mostly waits: it ran for %s of %s, and only that costs it energy; to end sooner, look at what it waits for (locks, channels, input and output, or processors that others kept busy).",
			units.Duration(e.Waiting.RanMS), units.Duration(e.Waiting.WallMS))
	case e.Dear.Domain != "":
		return text + " " + dear(e.Dear)
	}
	return text
}

// ofFunctions lists the functions that take most of a group's time.
func ofFunctions(list []explanation.Function) string {
	if len(list) == 0 {
		return "in functions that are not known"
	}
	var named []string
	for _, f := range list {
		named = append(named, f.Name[strings.LastIndexByte(f.Name, '/')+1:]+" "+percent(f.Share))
	}
	return "mostly in " + strings.Join(named, ", ")
}

// still says that a component keeps its zone, "" of one that does not.
func still(e explanation.Explanation) string {
	if e.Kept == "" {
		return ""
	}
	return fmt.Sprintf(" It is still %s: its code is the same, and its energy has not changed measurably.", e.Kept)
}

// What usually helps.
const (
	runLessHelp = "batch the calls, cache the result, exit loops early"
	betterHelp  = "a better algorithm or data structure usually helps"
	bothHelp    = "run it less often and do less each time"
)

// standsOut is the first sentence. Where executions do not count in the rank, it begins with
// the cost, which does.
func standsOut(e explanation.Explanation) string {
	c, n := e.Cost, percent(e.Cost.NShare)
	switch e.Reason {
	case explanation.NotRun:
		return "It was not seen to run, so nothing is known about its energy."
	case explanation.ExecutionsUnknown:
		return fmt.Sprintf("It takes %s, and how often it ran is not known; do less work in it, or run it less.", costs(c))
	case explanation.OfFunctions:
		return fmt.Sprintf("It takes %s, %s.", costs(c), ofFunctions(e.Functions))
	case explanation.LittleToGain:
		return fmt.Sprintf("There is little to gain here: %s in %s of the executions.", costs(c), n)
	case explanation.RunsOften:
		const help = "running it less often usually helps: " + runLessHelp + "."
		if !e.NCounts() {
			return fmt.Sprintf("It runs very often, which adds up: %s in %s of the executions, %s; %s", costs(c), n, each(c), help)
		}
		return fmt.Sprintf("It runs very often: %s of all executions, but %s, %s; %s", n, costs(c), each(c), help)
	case explanation.CostlyEach:
		return fmt.Sprintf("Each execution is costly: %s in %s of the executions, %s; "+betterHelp+".",
			costs(c), n, each(c))
	default:
		begin := "No category stands out:"
		if !e.NCounts() {
			begin = "It takes"
		}
		return fmt.Sprintf("%s %s in %s of the executions, %s; "+bothHelp+".", begin, costs(c), n, each(c))
	}
}

// costs writes the shares of energy and running time.
func costs(c explanation.Cost) string {
	time := percent(c.TimeShare) + " of the running time"
	if c.Domain == "" {
		return time
	}
	return percent(c.EnergyShare) + " of the " + string(c.Domain) + " energy and " + time
}

// each writes the cost of one execution among others.
func each(c explanation.Cost) string { return once(c) + " each" }

// once writes the cost of one execution.
func once(c explanation.Cost) string {
	switch {
	case c.Domain != "" && c.Estimated:
		return units.Quantity(c.EachJ, "J") + " estimated"
	case c.Domain != "":
		return units.Quantity(c.EachJ, "J")
	}
	return units.Duration(c.EachMS)
}

// dearHelp says what keeps a domain out of a more expensive power state.
var dearHelp = map[spell.Domain]string{
	spell.CPU:  "steadier work on fewer cores may cost less",
	spell.DRAM: "smaller data, or reading it in the order in which it is stored, usually helps",
	spell.GPU:  "fewer and fuller transfers usually help",
	spell.Disk: "fewer and larger reads and writes usually help",
	spell.Net:  "fewer and larger messages usually help",
}

func dear(s explanation.DearState) string {
	text := fmt.Sprintf("While it runs, it draws %.1f times the program's mean power (%s): it drives the machine into a higher power state", s.Ratio, s.Domain)
	if s.Domain.OfBytes() {
		text = fmt.Sprintf("Its share of the %s energy is %.1f times that of the running time: it moves the bytes", s.Domain, s.Ratio)
	}
	if help, ok := dearHelp[s.Domain]; ok {
		text += "; " + help
	}
	return text + "."
}

// percent writes a share as tables do.
func percent(share float64) string { return units.Percent(share) + " %" }
