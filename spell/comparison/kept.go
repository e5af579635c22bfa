package comparison

import (
	"cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
)

// KeepZones gives those functions of head that did not change the zones that they have in
// before, the last run of the same code, and ranks head again by o, as it was ranked. So a
// repair turns no other function red, and noise moves none from zone to zone. What counts as no
// change: the body is the same, and the energy is neither significantly better nor worse. Where
// that is undecided, the energy must not have more than doubled or halved or, where it is too
// little to tell, the executions. A zone is never kept against what [spell.Options] says goes
// before it. Every function has the zone of the rule if the runs cannot be compared, have other
// tests, are partial or were ranked in another way, under psi, and of a run that does not rank
// functions alone.
func KeepZones(before, head *record.Run, o spell.Options, includeFailed bool) {
	if before.Partial || head.Partial || !byFunction(before) || !byFunction(head) || !ranking.SameZones(before.Analysis, head.Analysis) {
		return
	}
	c, err := Compare(before, head, Options{IncludeFailed: includeFailed})
	if err != nil || len(c.TestsOnly.Base)+len(c.TestsOnly.Head) > 0 {
		return
	}
	byRule, kept := make(map[string]spell.Zone), unchangedZones(c, before, head)
	for i := range head.Components {
		of := &head.Components[i]
		byRule[of.ID], of.KeptZone = of.Zone, kept[of.ID]
	}
	ranking.Analyze(head, o, includeFailed)
	for i := range head.Components {
		if of := &head.Components[i]; of.Zone == byRule[of.ID] {
			of.KeptZone = ""
		}
	}
	ranking.Analyze(head, o, includeFailed) // the explanations name what is kept
}

func byFunction(r *record.Run) bool {
	return r.OfProgram() && (r.Granularity == spell.KindFunction || r.Granularity == "")
}

// unchangedZones are the zones in before of the components that did not change, by ID in head.
func unchangedZones(c *Comparison, before, head *record.Run) map[string]spell.Zone {
	was, unresolved := make(map[string]*record.Component), make(map[string]bool)
	for i := range before.Components {
		was[before.Components[i].ID] = &before.Components[i]
	}
	for i := range head.Components {
		unresolved[head.Components[i].ID] = head.Components[i].BelowResolution
	}
	kept := make(map[string]spell.Zone)
	for i := range c.Components {
		of := &c.Components[i]
		old := was[cmp.Or(of.BaseID, of.ID)]
		if of.Body == SameBody && steady(c.Decisive(of), of.N, unresolved[of.ID] && old.BelowResolution) {
			kept[of.ID] = old.Zone
		}
	}
	return kept
}

// steady tells whether a component with so many executions did not change for all that is known
// of its energy or time. unresolved says that both runs cannot tell it from nothing.
func steady(q *Quantity, n Amount, unresolved bool) bool {
	switch {
	case q.Verdict == Better || q.Verdict == Worse:
		return false
	case q.Verdict == Unchanged:
		return true
	case unresolved || q.Is(note.TooSmallCode) || q.Is(note.TooShortCode):
		return similar(n)
	}
	return similar(q.Amount)
}

func similar(a Amount) bool { return a.Head <= 2*a.Base && a.Base <= 2*a.Head }
