package rendering

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"spell-lsp/spell/comparison"
	"spell-lsp/spell/page"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

const (
	mostRows     = 3 // components of the first screen
	mostWarnings = 3
	barWidth     = 20
)

// beforeAndAfter names both runs, with what they use as bars of one scale.
func (c *view) beforeAndAfter(b *bytes.Buffer, o Options) {
	q := c.DecisiveTotal()
	most := max(q.Base, q.Head)
	amount := units.Duration
	if c.HasEnergy() {
		amount = func(v float64) string { return units.Quantity(v, "J") }
	}
	for _, run := range []struct {
		name string
		used float64
		side *comparison.Side
	}{{"BASE", q.Base, &c.Comparison.Base}, {"HEAD", q.Head, &c.Comparison.Head}} {
		first := run.name + "  "
		if !c.Empty() && most > 0 {
			first += page.Gauge(run.used/most, barWidth, o.ASCII) + "  " + fmt.Sprintf("%-7s", amount(run.used)) + "  "
		}
		page.ParagraphOf(b, o.width(), first, describe(run.side))
	}
}

// first writes what is below the headline of the first screen: what changed most, what makes
// that doubtful, and how to see the rest.
func (c *view) first(b *bytes.Buffer, o Options) {
	names := c.names()
	rows, cut := c.changedMost(o)
	if len(rows) > 0 && c.showTables() {
		b.WriteByte('\n')
		heads := c.changes(b, names, rows, o)
		page.ParagraphOf(b, o.width(), "", c.notShown(cut))
		page.ParagraphOf(b, o.width(), "", c.marksOf(rows, heads))
	}
	warnings := c.warnings()
	if more := len(warnings) - mostWarnings; more > 0 {
		warnings = append(warnings[:mostWarnings], "and "+units.Plural(more, "other"))
	}
	o.list(b, list{"Warnings:", warnings})
	if more := c.more(names, o); more != "" {
		b.WriteByte('\n')
		page.ParagraphOf(b, o.width(), "", more)
		b.WriteString("  " + page.Clean(o.Command) + "\n")
	}
}

// marksOf explains the marks in some rows of a table with these heads.
func (c *view) marksOf(rows []int, heads string) string {
	shown := func(has func(k *comparison.Component) bool) bool {
		return slices.ContainsFunc(rows, func(i int) bool { return has(&c.Components[i]) })
	}
	text := "Significant are better and WORSE; n.s. is not, ? is not decided."
	if slices.Contains(strings.Fields(heads), "time") && shown(func(k *comparison.Component) bool { return star(&k.TimeMS) != "" }) {
		text += " * is a significant change of time."
	}
	if shown(func(k *comparison.Component) bool { return k.BaseZone != k.HeadZone }) {
		text += " G>R was green in BASE and is red in HEAD."
	}
	return text
}

// changedMost are the components of the first screen: those that got better or worse or, if
// none did, the first. cut are the others of these.
func (c *view) changedMost(o Options) (shown, cut []int) {
	var decided, others []int
	for i := range c.Components {
		switch c.Decisive(&c.Components[i]).Verdict {
		case comparison.Better, comparison.Worse:
			decided = append(decided, i)
		default:
			others = append(others, i)
		}
	}
	if len(decided) == 0 {
		decided = others
	}
	most := mostRows
	if o.First != 0 {
		most = page.Shown(o.First, len(decided))
	}
	most = min(most, len(decided))
	return decided[:most], decided[most:]
}

// changes writes the rows, and below each what is known of its code; it returns the heads of the
// columns.
func (c *view) changes(b *bytes.Buffer, n names, rows []int, o Options) string {
	all := c.componentGrid(n, len(c.Components))
	g := grid{columns: all.columns}
	for _, i := range rows {
		g.rows = append(g.rows, all.rows[i])
	}
	g = g.withoutEmpty()
	for _, head := range []string{"psi", "p", "interval"} {
		g.remove(head)
	}
	var table bytes.Buffer
	g.fit(o.width(), "time", "N").Write(&table, o.Color)
	lines := slices.Collect(strings.Lines(table.String()))
	heads := len(lines) - len(rows)
	b.WriteString(strings.Join(lines[:heads], ""))
	for k, i := range rows {
		b.WriteString(lines[heads+k])
		if about := c.code(&c.Components[i], n); about != "" {
			page.ParagraphOf(b, o.width(), "        ", wording.Upper(about)+".")
		}
	}
	return strings.Join(lines[:heads], "")
}

// notShown counts the components that got better or worse and are cut; "" if there are none.
func (c *view) notShown(cut []int) string {
	better, worse := 0, 0
	for _, i := range cut {
		switch c.Decisive(&c.Components[i]).Verdict {
		case comparison.Better:
			better++
		case comparison.Worse:
			worse++
		default:
		}
	}
	var list []string
	if better > 0 {
		list = append(list, units.Count(better)+" better")
	}
	if worse > 0 {
		list = append(list, units.Count(worse)+" WORSE")
	}
	if len(list) == 0 {
		return ""
	}
	return "and " + units.Count(better+worse) + " more: " + strings.Join(list, ", ") + "."
}

// more says what else there is, which o.Command shows; "" if there is nothing.
func (c *view) more(n names, o Options) string {
	if o.Command == "" || !c.showTables() && len(c.lists(n, o)) == 0 {
		return ""
	}
	parts := []string{units.Plural(len(c.Components), string(c.kind()))}
	if len(c.Tests) > 0 {
		parts = append(parts, units.Plural(len(c.Tests), "test"))
	}
	for _, only := range []struct {
		list []comparison.Only
		in   string
	}{{c.Added, " in HEAD only"}, {c.Removed, " in BASE only"}} {
		if len(only.list) > 0 {
			parts = append(parts, units.Count(len(only.list))+only.in)
		}
	}
	return "In full (" + strings.Join(append(parts, "intervals"), ", ") + "):"
}
