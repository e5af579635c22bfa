package comparison

import (
	"cmp"
	"iter"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// KeepZones gives those functions of head that did not change the zones that they have in
// before, an earlier run, and ranks head again by o, as it was ranked. So a repair turns no other
// function red, and noise moves none from zone to zone. It returns false, and changes nothing, if
// before says nothing of head: one of them is partial or does not rank functions alone, they were
// ranked in other ways, or by psi, before has fewer than three rounds and head more, or they
// cannot be compared.
//
// A function did not change if its body is the same, and its energy, in tests that count in both
// runs, is neither significantly better nor worse, nor more than doubled or halved. Where there
// is too little energy to tell, its executions must not have more than doubled or halved. What a
// function keeps is compared with the run that gave it the zone, too: many small steps are a change.
func KeepZones(before, head *record.Run, o spell.Options, includeFailed bool) bool {
	if before.Partial || head.Partial || !byFunction(before) || !byFunction(head) || !ranking.SameZones(before.Analysis, head.Analysis) || before.Rounds < min(3, head.Rounds) {
		return false
	}
	c, err := Compare(before, head, Options{IncludeFailed: includeFailed})
	if err != nil {
		return false
	}
	was, changes := make(map[string]*record.Component, len(before.Components)), make(map[string]*Component, len(c.Components))
	for i := range before.Components {
		was[before.Components[i].ID] = &before.Components[i]
	}
	for i := range c.Components {
		changes[c.Components[i].ID] = &c.Components[i]
	}
	for i := range head.Components {
		now := &head.Components[i]
		if of := changes[now.ID]; of != nil && of.Body == SameBody && !of.Restricted {
			keepZone(now, was[cmp.Or(of.BaseID, of.ID)], c.Decisive(of))
		}
	}
	ranking.Analyze(head, o, includeFailed)
	return true
}

// KeepZonesOf is KeepZones with the first of some earlier runs that says something of head. It
// looks at five at most.
func KeepZonesOf(earlier iter.Seq[*record.Run], head *record.Run, o spell.Options, includeFailed bool) {
	seen := 0
	for before := range earlier {
		if seen++; KeepZones(before, head, o, includeFailed) || seen == 5 {
			return
		}
	}
}

func byFunction(r *record.Run) bool {
	return r.OfProgram() && (r.Granularity == spell.KindFunction || r.Granularity == "")
}

// keepZone lets a component, whose quantity is compared, keep the zone that it has in the run
// before, unless it changed since it got that.
func keepZone(now, before *record.Component, q *Quantity) {
	if before.KeptZone == "" && before.BelowResolution { // a zone that says nothing of resolved energy
		return
	}
	first := *before
	if before.KeptZone == "" {
		first.KeptZone, first.KeptEnergyJ, first.KeptTimeMS, first.KeptN = before.Zone, before.EnergyJ.Total(), before.TimeMS, before.N
	}
	if before.Zone == spell.Yellow && first.KeptZone == spell.Green { // it held a tenth
		first.KeptZone = spell.Yellow
	}
	unchanged := similar(first.KeptEnergyJ, now.EnergyJ.Total())
	if first.KeptEnergyJ == 0 {
		unchanged = similar(first.KeptTimeMS, now.TimeMS)
	}
	if q.Is(note.TooSmallCode) || q.Is(note.TooShortCode) || now.BelowResolution && before.BelowResolution {
		unchanged = similar(first.KeptN, now.N)
	}
	if unchanged && q.Verdict != Better && q.Verdict != Worse {
		now.KeptZone, now.KeptEnergyJ, now.KeptTimeMS, now.KeptN = first.KeptZone, first.KeptEnergyJ, first.KeptTimeMS, first.KeptN
	}
}

func similar(a, b float64) bool { return a <= 2*b && b <= 2*a }
