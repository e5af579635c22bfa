package wording

import (
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

// spentIn is the sentence about a callee that takes much of a component's self time.
func spentIn(c explanation.Callee) string {
	return "Of its own time " + percent(c.Share) + " is in " + calleeName(c) + "."
}
