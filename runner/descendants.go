package runner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spell-lsp/instrument/probe"
	"spell-lsp/runner/children"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

// descendants are what all descendants of a program had used at the moments at which
// they were looked at; between two of them that grows evenly.
type descendants struct {
	times    []int64   // monotonic, ns
	ns       []float64 // CPU time of all of them
	apart    []float64 // CPU time of those that the program never waits for
	programs []children.Program
}

// add appends what was seen at a moment. Moments at which nothing was added are left
// out, but for the last one before something is.
func (s *descendants) add(t, allNS, apartNS int64) {
	all, apart := float64(allNS), float64(apartNS)
	if n := len(s.times); n >= 2 && s.ns[n-1] == all && s.ns[n-2] == all && s.apart[n-1] == apart {
		s.times[n-1] = t
		return
	}
	s.append(t, all, apart)
}

func (s *descendants) append(t int64, all, apart float64) {
	s.times, s.ns, s.apart = append(s.times, t), append(s.ns, all), append(s.apart, apart)
}

// maxRoundingNS bounds how far a sample may fall short of the true CPU time: the kernel
// shows what the program waited for as two sums in hundredths of a second.
const maxRoundingNS = 20_000_000

// learn refines the samples with the probe's own getrusage readings from where tests
// begin and end. The CPU time of children that the program has waited for is exact there;
// that of others is known to be 0 if there were none, else it lies between two samples.
func (s *descendants) learn(waits []probe.Wait) {
	n := len(s.times)
	if n == 0 || s.ns[n-1] == 0 {
		return
	}
	var all descendants
	least := 0.0
	add := func(t int64, ns, apart float64) {
		least = max(least, ns)
		all.append(t, least, apart)
	}
	for i, t := range s.times {
		for len(waits) > 0 && waits[0].At < t {
			if w := waits[0]; i > 0 && w.At > s.times[i-1] {
				_, part := place(s.times, w.At)
				apart := between(s.apart[i-1], s.apart[i], part)
				ns := min(float64(w.NS)+apart, s.ns[i]+maxRoundingNS)
				if !w.None {
					ns = max(ns, between(s.ns[i-1], s.ns[i], part))
				}
				add(w.At, ns, apart)
			}
			waits = waits[1:]
		}
		add(t, s.ns[i], s.apart[i])
	}
	s.times, s.ns, s.apart = all.times, all.ns, all.apart
}

// at is what had been used at an instant, in ns.
func (s *descendants) at(t int64) float64 {
	i, part := place(s.times, t)
	if i < 0 {
		return 0
	}
	return between(s.ns[i], s.ns[min(i+1, len(s.ns)-1)], part)
}

const (
	// warnOfChildren is the share of the tests' energy or CPU time from which on a run
	// warns of what child processes used.
	warnOfChildren = 0.05
	mostPrograms   = 3 // that it names
)

// childrenWarning says what child processes used, where it is much of what the tests
// used, and names them; "" where it is not.
func (m *measurement) childrenWarning(r *record.Run) string {
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
	much := own >= warnOfChildren*all || allJoules > 0 && joules >= warnOfChildren*allJoules
	if own == 0 || !much {
		return ""
	}
	text := fmt.Sprintf("child processes used %s %% of the CPU time of the tests", units.Percent(own/all))
	if allJoules > 0 {
		text += fmt.Sprintf(" and %s %% of their energy", units.Percent(joules/allJoules))
	}
	if named := m.programsNamed(); named != "" {
		text += " (" + named + ")"
	}
	return text + fmt.Sprintf(": it belongs to no function, but is unattributed, as %q", record.Children)
}

// programsNamed names the programs that used most of the CPU time of all child
// processes, each with its share.
func (m *measurement) programsNamed() string {
	of := make(map[string]float64)
	all := 0.0
	for _, r := range m.kept {
		for _, p := range r.programs {
			of[p.Name] += float64(p.NS)
			all += float64(p.NS)
		}
	}
	short := of[""]
	delete(of, "")
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	var list []string
	add := func(name string, ns float64) {
		if ns > 0 {
			list = append(list, fmt.Sprintf("%s %s %%", name, units.Percent(ns/all)))
		}
	}
	for _, name := range names[:min(len(names), mostPrograms)] {
		add(page.Clean(name), of[name])
	}
	rest := 0.0
	for _, name := range names[min(len(names), mostPrograms):] {
		rest += of[name]
	}
	add("other programs", rest)
	if len(list) == 0 && short > 0 {
		return "too short for their names to be seen"
	}
	add("unknown", short)
	return strings.Join(list, ", ")
}
