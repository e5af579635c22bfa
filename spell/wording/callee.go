package wording

import (
	"strings"

	"spell-lsp/spell/explanation"
	"spell-lsp/spell/record"
)

// calleeKinds say why a callee is not measured.
var calleeKinds = map[record.CalleeKind]string{
	record.AssemblyCallee: "assembly",
	record.RuntimeCallee:  "Go runtime",
	record.StandardCallee: "standard library",
	record.ModuleCallee:   "another module",
	record.BareCallee:     "no probe",
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
func Callee(c record.Callee) string {
	one := explanation.Callee{Name: c.Name, Kind: c.Kind}
	if c.Kind == record.RuntimeCallee {
		one.Work = explanation.WorkOf(c.Name)
	}
	return calleeName(one)
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
