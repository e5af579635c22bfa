package render

import (
	"errors"

	"spell-lsp/lsp/results"
	"spell-lsp/lsp/view"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// WhyIncomparable says why a result is not compared with a run.
func WhyIncomparable(i *results.Incomparable) string {
	return "there is no comparison with " + i.Name + ": " + inEditor(i.Name, i.Why).Error()
}

// inEditor returns the text of a refusal to compare, as editors show it.
func inEditor(base string, err error) error {
	var refusal *comparison.Refusal
	if errors.As(err, &refusal) {
		return errors.New(refusal.Say(wording.Editor(base)))
	}
	return err
}

// Headline says how the whole program changed.
func Headline(b *results.Baseline) string {
	return rendering.Headline(b.Comparison, wording.Editor(b.Name))
}

// explainedChange says in full sentences how a component changed since the baseline.
func explainedChange(m *view.Mark) string {
	b := m.Result.Baseline
	if b == nil {
		return ""
	}
	c := b.Changes[m.Component().ID]
	if c == nil {
		return wording.Editor(b.Name).Sentence(note.ComponentNew())
	}
	return rendering.About(b.Comparison, c, wording.Editor(b.Name))
}

// ChangeOf says in a few words how a component changed since the baseline; "" if that is unknown.
func ChangeOf(r *results.Result, of *record.Component) string {
	if r.Baseline == nil {
		return ""
	}
	what, q := r.Baseline.Of(of)
	if q == nil {
		return wording.Editor(r.Baseline.Name).Text(note.ComponentNew())
	}
	switch q.Verdict {
	case comparison.Better, comparison.Worse:
		return wording.Brief.Than(q.Base, q.Head, what) + ", significant"
	case comparison.Unchanged:
		return "no significant change"
	case comparison.Undecided:
	}
	return ""
}
