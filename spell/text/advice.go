package text

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"spell-lsp/spell/advice"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

// Advice writes what to change in the functions of a run, the most at stake first. edited is how many
// of the functions whose lines are known were edited since: nothing is said of these.
func Advice(w io.Writer, r *record.Run, list []advice.Advice, edited int, o Options) error {
	p := newSheet(r, o)
	p.order, _ = p.sorted() // by rank: no options name anything that could be unknown
	p.summarize()
	p.paragraph("", p.adviceHeadline(list))
	for i := range list {
		p.advised(i+1, &list[i])
	}
	if edited > 0 {
		p.b.WriteByte('\n')
		p.paragraph("", units.Plural(edited, "function")+" changed since the run was measured, so that nothing is known of their lines: measure again.")
	}
	if _, err := w.Write(p.b.Bytes()); err != nil {
		return fmt.Errorf("writing the advice: %w", err)
	}
	return nil
}

// adviceHeadline is what all changes together are about. Their lines may overlap, so no sum is said.
func (p *sheet) adviceHeadline(list []advice.Advice) string {
	if len(list) == 0 {
		return "The analysers found nothing to change in lines that hold energy. What the costliest functions spend their time in: " + p.commandOr("spell-lsp report")
	}
	return fmt.Sprintf("%s in lines that hold energy, of the %s%s that all functions use in a round. Each amount is what the lines hold, so it is the most that the change can save.",
		units.Plural(len(list), "finding"), mark(p.byComponent, p.est), p.amount(p.summary.Held))
}

func (p *sheet) commandOr(usual string) string {
	if p.o.Command != "" {
		return p.o.Command
	}
	return usual
}

// advised writes one advice.
func (p *sheet) advised(number int, a *advice.Advice) {
	c := &p.r.Components[a.Component]
	amount, whole := units.Duration(a.TimeMS), units.Duration(c.TimeMS)
	if p.byComponent {
		amount, whole = units.Quantity(a.EnergyJ.Total(), "J"), units.Quantity(p.total[a.Component], "J")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d  up to %s%s of %s: %s in %s, %s:%d", number, p.est, amount, whole, page.Clean(a.Rule), p.component(a.Component), page.Clean(a.File), a.Line) //nolint:errcheck // a buffer
	p.b.WriteByte('\n')
	p.paragraph("", b.String())
	text := page.Clean(a.Message)
	if a.Help != "" {
		text += ": " + page.Clean(a.Help)
	}
	text += "."
	if a.Edits != nil {
		text += " A rewrite: --fix " + strconv.Itoa(number)
	}
	p.paragraph("   ", text)
}

// Unchanged tells whether the source of a function is what was measured.
func (s Source) Unchanged(c *record.Component) bool { return s.lines(c) != nil }
