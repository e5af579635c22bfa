package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"spell-lsp/spell/advice"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/shortlist"
	"spell-lsp/spell/units"
)

// Unchecked are functions of which advice says nothing, by component.
type Unchecked struct {
	Edited []int    // since the run was measured
	Broken []string // what is wrong with the packages that do not compile
}

// Advice writes what to change in the functions of a run, the most that it can save first.
func Advice(w io.Writer, r *record.Run, list []advice.Advice, u Unchecked, o Options) error {
	p := newSheet(r, o)
	p.order, _ = p.sorted() // by rank: no options name anything that could be unknown
	p.summarize()
	if len(u.Edited) > 0 {
		p.paragraph("", "Not checked, because they changed since the run was measured: "+p.namesOf(u.Edited)+". Measure again.")
	}
	p.list("Not checked, because it does not compile:", u.Broken)
	if len(u.Edited)+len(u.Broken) > 0 {
		p.b.WriteByte('\n')
	}
	p.paragraph("", p.adviceHeadline(list))
	for i := range list {
		p.advised(i+1, &list[i])
	}
	p.unadvised(list, u.Edited)
	if _, err := w.Write(p.b.Bytes()); err != nil {
		return fmt.Errorf("writing the advice: %w", err)
	}
	return nil
}

// adviceHeadline is what all changes together are about. Their lines may overlap, so no sum is said.
func (p *sheet) adviceHeadline(list []advice.Advice) string {
	if len(list) == 0 {
		return fmt.Sprintf("The analysers found nothing to change in lines that use energy, of the %s%s that all functions use in a round.", mark(p.byComponent, p.est), p.amount(p.summary.Held))
	}
	return fmt.Sprintf("%s in lines that use energy, of the %s%s that all functions use in a round. Each amount is the most that the change can save.",
		units.Plural(len(list), "finding"), mark(p.byComponent, p.est), p.amount(p.summary.Held))
}

// advised writes one advice.
func (p *sheet) advised(number int, a *advice.Advice) {
	c := &p.r.Components[a.Component]
	amount, whole := units.Duration(a.TimeMS), units.Duration(c.TimeMS)
	if p.byComponent {
		amount, whole = units.Quantity(a.EnergyJ.Total(), "J"), units.Quantity(p.total[a.Component], "J")
	}
	p.b.WriteByte('\n')
	p.paragraph("", fmt.Sprintf("%d. %s:%d in %s: saves at most %s%s of its %s (%s)", number, page.Clean(a.File), a.Line, p.component(a.Component), mark(p.byComponent, p.est), amount, whole, page.Clean(a.Rule)))
	text := page.Clean(a.Message)
	if a.Help != "" {
		text += ": " + page.Clean(a.Help)
	}
	text += "."
	if a.Edits != nil {
		text += fmt.Sprintf(" A rewrite as a patch: --fix %d", number)
	}
	p.paragraph("   ", text)
}

// unadvised names the first functions of the ranking that have no finding.
func (p *sheet) unadvised(list []advice.Advice, edited []int) {
	var without []string
	for _, item := range p.summary.Items {
		has := slices.ContainsFunc(list, func(a advice.Advice) bool { return a.Component == item.Component })
		if !has && !slices.Contains(edited, item.Component) && item.Share >= worthAFinding {
			without = append(without, fmt.Sprintf("%s (%s %%)", p.component(item.Component), units.Percent(item.Share)))
		}
	}
	if len(without) > 0 {
		p.b.WriteByte('\n')
		p.paragraph("", "No finding in "+strings.Join(without, ", ")+". To see the lines of one: spell-lsp report --within NAME.")
	}
}

// worthAFinding is the share of all functions from which on it is said that a function has no finding.
const worthAFinding = 0.05

func (p *sheet) namesOf(components []int) string {
	var names []string
	for _, i := range components {
		names = append(names, p.component(i))
	}
	return strings.Join(shortlist.Of(names), ", ")
}
