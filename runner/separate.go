package runner

import (
	"math"
	"slices"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// addSeparate adds the energy of counters beside the domains to the tests. A counter that never moved, while the
// domains did, is left out: many machines have a psys that nothing is connected to. Only now is that known, as others
// move once a second.
func (f *findings) addSeparate(r *record.Run, names []string) {
	r.Meter.Notes = slices.Clone(r.Meter.Notes)
	for s, name := range names {
		moved, missed := f.separate(s)
		if missed > 0 {
			r.Meter.Notes = append(r.Meter.Notes, note.SeparateMissed(name, missed, len(f.rounds)))
		}
		if !moved && missed < len(f.rounds) {
			r.Meter.Notes = append(r.Meter.Notes, note.SeparateFrozen(name))
			continue
		}
		r.Meter.Separate = append(r.Meter.Separate, name)
		for i, m := range f.tests {
			if math.IsNaN(m.separate[s]) {
				continue
			}
			if r.Tests[i].SeparateJ == nil {
				r.Tests[i].SeparateJ = make(map[string]float64)
			}
			r.Tests[i].SeparateJ[name] = m.separate[s]
		}
	}
}

// separate says of a counter whether it moved, or no domain did either, and in how many rounds its energy is missing of a test.
func (f *findings) separate(counter int) (moved bool, missed int) {
	still := true
	for _, tests := range f.rounds {
		lacks := false
		for _, t := range tests {
			joules := t.separate[counter]
			lacks = lacks || math.IsNaN(joules)
			moved = moved || joules > 0
			still = still && !slices.ContainsFunc(t.joules, func(j float64) bool { return j > 0 })
		}
		if lacks {
			missed++
		}
	}
	return moved || still, missed
}

// coresUsed says how many components have a power that counters of cores told, or why these are not used.
func (h *sharing) coresUsed() note.Note {
	switch f := h.powers.CoresFault(); {
	case f != nil && f.FrozenCPU >= 0:
		return note.CoreFrozen(f.FrozenCPU)
	case f != nil:
		return note.CoresExceed(f.CoresJ, f.PackageJ)
	}
	used := 0
	for component := range h.ranNS {
		if h.powers.ByCores(component + 1) {
			used++
		}
	}
	return note.CoresUsed(used, len(h.ranNS))
}
