package runner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"spell-lsp/spell/note"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

const (
	// warnOfChildren is the part of the tests' energy or CPU time from which on the run warns of
	// child processes.
	warnOfChildren = 0.05
	maxPrograms    = 3 // named in the note
)

// childProcesses names the child processes and what they used; much says whether that is a
// large part of what the tests used.
func childProcesses(r *record.Run, rounds []*round) (used note.Note, much bool) {
	var own, all float64 // CPU time
	for _, c := range r.Matrix.Cells {
		all += c.TimeMS
	}
	for i := range r.Tests {
		for _, name := range slices.Sorted(maps.Keys(r.Tests[i].Unattributed)) {
			if name != record.Others && name != record.Sampler {
				all += r.Tests[i].Unattributed[name].TimeMS
			}
		}
		own += r.Tests[i].Unattributed[record.Children].TimeMS
	}
	var joules, allJoules float64
	for i := range r.Tests {
		joules += r.Tests[i].Unattributed[record.Children].EnergyJ.Total()
		allJoules += r.Tests[i].EnergyJ.Total()
	}
	if own == 0 || own < warnOfChildren*all && (allJoules == 0 || joules < warnOfChildren*allJoules) {
		return note.Note{}, false
	}
	energy := 0.0 // not known
	if allJoules > 0 {
		energy = joules / allJoules
	}
	return note.ChildProcesses(own/all, energy, programsNamed(rounds)), true
}

// programsNamed names the child programs with the most CPU time, with their percentages.
func programsNamed(rounds []*round) []string {
	of := make(map[string]float64)
	all := 0.0
	for _, r := range rounds {
		for _, p := range r.programs {
			of[p.Name] += float64(p.NS)
			all += float64(p.NS)
		}
	}
	short := of[""]
	delete(of, "")
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	list := []string{} // not nil: JSON would have null, which is no list
	add := func(name string, ns float64) {
		if ns > 0 {
			list = append(list, fmt.Sprintf("%s %s %%", name, units.Percent(ns/all)))
		}
	}
	for _, name := range names[:min(len(names), maxPrograms)] {
		add(page.Clean(name), of[name])
	}
	rest := 0.0
	for _, name := range names[min(len(names), maxPrograms):] {
		rest += of[name]
	}
	add("other programs", rest)
	if len(list) == 0 && short > 0 {
		return []string{"too short for their names to be seen"}
	}
	add("unknown", short)
	return list
}
