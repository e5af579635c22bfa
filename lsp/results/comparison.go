package results

import (
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/record"
)

// The words for a run in a sentence: the run that the user chose, and the run that was shown
// before.
const (
	TheBaseline  = "the baseline"
	TheRunBefore = "the run before"
)

// A Baseline is the run that a result is compared with, and the comparison.
type Baseline struct {
	Name       string // TheBaseline or TheRunBefore
	Run        *record.Run
	Comparison *comparison.Comparison
	Changes    map[string]*comparison.Component // by ID in the result
}

// An Incomparable says why a result is not compared with a run.
type Incomparable struct {
	Name string // of the run, see Baseline
	Why  error
}

// CompareWith compares a result with an earlier run, ranked in the same way, or returns the
// reason why they cannot be compared. Both are nil if the user expects no comparison: without
// another run, and for runs of blocks.
func (r *Result) CompareWith(name string, base *record.Run) (*Baseline, *Incomparable) {
	if base == nil || base.ID == r.Run.ID || r.Run.Granularity == spell.KindBlock && base.Granularity != spell.KindBlock {
		return nil, nil
	}
	c, err := comparison.Compare(Ranked(base, r.Settings), r.Run, comparison.Options{IncludeFailed: r.Settings.IncludeFailed})
	if err != nil {
		return nil, &Incomparable{name, err}
	}
	b := &Baseline{Name: name, Run: base, Comparison: c, Changes: make(map[string]*comparison.Component, len(c.Components))}
	for i := range c.Components {
		b.Changes[c.Components[i].ID] = &c.Components[i]
	}
	return b, nil
}

// Of returns the quantity of a component that is compared: its energy or, if that is unknown,
// its time; nil if the baseline does not have the component.
func (b *Baseline) Of(component *record.Component) (what string, q *comparison.Quantity) {
	c := b.Changes[component.ID]
	switch {
	case c == nil:
		return "", nil
	case !b.Comparison.KnowsComponents():
		return "time", &c.TimeMS
	}
	return "energy", &c.EnergyJ
}
