package wording

import (
	"fmt"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/explanation"
)

// calleeKinds say why a callee is not measured.
var calleeKinds = map[spell.CalleeKind]string{
	spell.AssemblyCallee: "assembly",
	spell.RuntimeCallee:  "Go runtime",
	spell.StandardCallee: "standard library",
	spell.ModuleCallee:   "another module",
	spell.BareCallee:     "no probe",
}

// runtimeWorks say what the runtime does.
var runtimeWorks = map[explanation.Work]string{
	explanation.Allocating: "allocation",
	explanation.Growing:    "growing slices",
	explanation.Strings:    "building and converting strings",
	explanation.Boxing:     "conversion to interfaces",
	explanation.Asserting:  "type assertions",
	explanation.Maps:       "map access",
	explanation.Hashing:    "hashing keys",
	explanation.Comparing:  "comparing values",
	explanation.Copying:    "copying memory",
	explanation.Clearing:   "clearing memory",
	explanation.Channels:   "channel operations",
	explanation.Goroutines: "starting goroutines",
	explanation.Barriers:   "write barriers of the garbage collector",
	explanation.Stacks:     "growing the stack",
	explanation.Panics:     "deferred calls and panics",
	explanation.Other:      "the Go runtime",
}

// Callee names a function without a probe: "simd.Search (assembly)", "growing slices
// (runtime.growslice)".
func Callee(name string, kind spell.CalleeKind) string {
	c := explanation.Callee{Name: name, Kind: kind}
	if kind == spell.RuntimeCallee {
		c.Work = explanation.WorkOf(name)
	}
	return calleeName(c)
}

// Callees lists functions without a probe with their shares: "strings.Map (standard library) 71 %".
func Callees(list []explanation.Callee) string {
	var named []string
	for _, c := range list {
		named = append(named, Callee(c.Name, c.Kind)+" "+percent(c.Share))
	}
	return strings.Join(named, ", ")
}

func calleeName(c explanation.Callee) string {
	name := c.Name[strings.LastIndexByte(c.Name, '/')+1:]
	if c.Work == "" {
		return name + " (" + calleeKinds[c.Kind] + ")"
	}
	if c.Others {
		name += " and others"
	}
	return runtimeWorks[c.Work] + " (" + name + ")"
}

// ownTime is the sentence about the line and the callee that take much of a component's self time;
// "" if neither does.
func ownTime(e explanation.Explanation) string {
	switch {
	case e.Line.Share == 0 && e.Callee.Share == 0:
		return ""
	case e.Line.Share == 0:
		return spentIn(e.Callee)
	}
	callee := ""
	if e.Callee.Share > 0 {
		callee = "; " + calleeName(e.Callee) + " takes " + percent(e.Callee.Share)
	}
	return fmt.Sprintf("Line %d takes %s of the self time%s.", e.Line.Number, percent(e.Line.Share), callee)
}

// spentIn is the sentence about a callee that takes much of a component's self time.
func spentIn(c explanation.Callee) string {
	return percent(c.Share) + " of the self time is in " + calleeName(c) + "."
}
