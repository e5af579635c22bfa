// Package fitness says whether a machine is fit to measure: what of its frequency, turbo, threads,
// load, temperature, limits, hypervisor and clock changes figures that the program itself does not
// change, how much, and how to mend that. It reads sysfs and procfs, and changes nothing: package
// steady does.
//
// Each fact names the document of the Linux kernel that it is from. Where the kernel does not tell,
// the fact is unknown, which is said only where it matters.
package fitness

import (
	"cmp"
	"slices"
)

// Effect is how much something changes figures.
type Effect int

// The effects, the largest first.
const (
	Large  Effect = iota // figures of two runs can differ more by it than by a change of the program
	Medium               // small changes of the program cannot be told from it
	Small                // it concerns few programs, or one way to measure
)

// A Finding is something that changes figures.
type Finding struct {
	Effect Effect
	Seen   string   // in a sentence
	Why    string   // it changes figures, in sentences
	Remedy string   // how to mend it, in a sentence; "" where nothing helps
	Run    []string // commands that mend it
	Steady bool     // doctor --fix=steady mends it, and doctor --undo undoes that
	Undo   []string // commands that undo it; none where a restart does, or nothing was changed
}

// An Assessment is what was looked at.
type Assessment struct {
	Findings []Finding // the largest effect first
	Fine     []string  // what was looked at and is as it should be
	Unknown  []string  // what the kernel does not tell, although it matters
}

// A state is what a check found out.
type state int

const (
	unknown state = iota
	fine
	found
)

// A check looks at one thing.
type check struct {
	name string
	look func(Machine) (Finding, state)
}

// checks are in order of their effect, where findings have the same.
var checks = []check{
	{"no hypervisor", hypervisor},
	{"CPU quota", cpuQuota},
	{"load", others},
	{"governor", governor},
	{"turbo", turboOn},
	{"thermal throttling", tooHot},
	{"frequency limits", limits},
	{"SMT", threads},
	{"clock source", clock},
	{"allowed CPUs", allowedCPUs},
	{"isolated CPUs", isolatedCPUs},
	{"perf_event_paranoid", paranoid},
}

// Assess looks at the facts.
func Assess(m Machine) Assessment {
	var a Assessment
	for _, c := range checks {
		switch f, is := c.look(m); is {
		case found:
			a.Findings = append(a.Findings, f)
		case fine:
			a.Fine = append(a.Fine, c.name)
		case unknown:
			if m.matters(c.name) {
				a.Unknown = append(a.Unknown, c.name)
			}
		}
	}
	if m.silent() {
		a.Fine = nil
	}
	slices.SortStableFunc(a.Findings, func(a, b Finding) int { return cmp.Compare(a.Effect, b.Effect) })
	return a
}

// silent says whether the kernel tells nothing, as where there is neither sysfs nor procfs. Nothing is
// fine then that would be if a file is missing.
func (m Machine) silent() bool {
	return !m.Virtual && len(m.Policies) == 0 && m.Turbo == nil && m.Load == nil && m.Waiting == nil && m.Clock == "" && m.Paranoid == nil
}

// matters says whether it matters that something is unknown. In a virtual machine the host decides
// on frequency, heat and cores, which is said of the hypervisor; a missing list is an empty one; and
// only Intel's processors count how often they were too hot.
func (m Machine) matters(name string) bool {
	switch name {
	case "governor", "turbo":
		return !m.Virtual
	case "load", "clock source", "perf_event_paranoid":
		return true
	}
	return false
}
