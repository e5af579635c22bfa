package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// lined is the function that the page is about, if its lines are known: --within names it.
func (p *sheet) lined() (int, bool) {
	if p.o.Within == "" || p.summary.Inclusive {
		return 0, false
	}
	i, err := grouping.Find(p.r, p.o.Within)
	if err != nil || !slices.Equal(p.order, []int{i}) { // what is inside of a package may be one function, too
		return 0, false
	}
	c := &p.r.Components[i]
	return i, c.Kind == spell.KindFunction && len(c.Lines) > 0
}

// moved says which bytes the component moved that the page is about.
func (p *sheet) moved() {
	if p.o.Within == "" || len(p.order) != 1 {
		return
	}
	c := &p.r.Components[p.order[0]]
	if said := wording.Moved(c.ReadBytes, c.WrittenBytes, c.ReceivedBytes, c.SentBytes); said != "" {
		p.b.WriteByte('\n')
		p.paragraph("", p.component(p.order[0])+": "+said)
	}
}

// lines writes the source of a function with what its lines hold beside it.
func (p *sheet) lines() {
	i, ok := p.lined()
	if !ok {
		return
	}
	c, source := p.sourceOf(i)
	p.b.WriteByte('\n')
	p.paragraph("", fmt.Sprintf("Lines of %s%s. Shares are of the self time, from samples; what is missing is in lines with too few of them.%s",
		p.component(i), where(c), mark(source == nil, " Its source was not found as it was measured, so only the numbers that the lines had then are here.")))
	p.b.WriteByte('\n')
	p.listed(source, func(source []string) *page.Table { return p.lineTable(c, source) })
}

// sourceOf is a component at its present place, with the lines of its source; nil where that is not
// known, or not what was measured.
func (p *sheet) sourceOf(i int) (*record.Component, []string) {
	c := &p.r.Components[i]
	source, first := p.o.Source.lines(c)
	if source == nil {
		return c, nil
	}
	moved := c.MovedTo(first)
	return &moved, source
}

// lineTable has a row for each line of the source or, where source is nil, for each line that holds
// something.
func (p *sheet) lineTable(c *record.Component, source []string) *page.Table {
	t := &page.Table{Columns: []page.Column{{Head: "share", Right: true}, {Head: p.lineHead(), Right: true}, {Head: "line", Right: true}, {Head: mark(source != nil, "source") + mark(source == nil, "mostly in")}}}
	if source != nil {
		p.listLines(t, c, source)
		return t
	}
	for i := range c.Lines {
		p.line(t, c, &c.Lines[i], lineCallees(&c.Lines[i]))
	}
	return t
}

// listLines has a row for each line near one that holds something, and below such a line one for each
// callee without a probe.
func (p *sheet) listLines(t *page.Table, c *record.Component, source []string) {
	at := make(map[int]*record.Line)
	for k := range c.Lines {
		at[c.Lines[k].Line] = &c.Lines[k]
	}
	const around = 2
	near := func(number int) bool {
		return len(source) <= mostLines || slices.ContainsFunc(c.Lines, func(l record.Line) bool { return number >= l.Line-around && number <= l.Line+around })
	}
	for k, text := range source {
		number := c.Line + k
		switch l := at[number]; {
		case !near(number):
			if k == 0 || near(number-1) {
				t.Add(page.Cell{}, page.Cell{}, page.Cell{}, page.Cell{Text: "..."})
			}
		case l == nil:
			t.Add(page.Cell{}, page.Cell{}, page.Cell{Text: strconv.Itoa(number)}, page.Cell{Text: text})
		default:
			p.line(t, c, l, text)
			if callees := lineCallees(l); callees != "" {
				t.Add(page.Cell{}, page.Cell{}, page.Cell{}, page.Cell{Text: "  in " + callees})
			}
		}
	}
}

// linesOf are the lines of a component; none of values that include callees.
func (p *sheet) linesOf(i int) []Line {
	if p.summary.Inclusive || len(p.r.Components[i].Lines) == 0 {
		return nil
	}
	c, source := p.sourceOf(i)
	var list []Line
	for _, l := range c.Lines {
		line := Line{Line: l.Line, Share: lineShare(c, &l), Amount: p.lineAmount(&l), In: lineCallees(&l)}
		if at := l.Line - c.Line; at < len(source) {
			line.Source = strings.TrimSpace(source[at])
		}
		list = append(list, line)
	}
	return list
}

func lineShare(c *record.Component, l *record.Line) float64 { return min(1, l.TimeMS/c.TimeMS) }

func (p *sheet) lineAmount(l *record.Line) string {
	if p.byComponent {
		return units.Quantity(l.EnergyJ.Total(), "J")
	}
	return units.Duration(l.TimeMS)
}

// line is the row of a line.
func (p *sheet) line(t *page.Table, c *record.Component, l *record.Line, text string) {
	t.Add(page.Cell{Text: units.Percent(lineShare(c, l)) + " %"}, page.Cell{Text: p.lineAmount(l)}, page.Cell{Text: strconv.Itoa(l.Line)}, page.Cell{Text: text})
}

// lineHead is the head of the column of what lines hold.
func (p *sheet) lineHead() string {
	if p.byComponent {
		return p.est + "energy"
	}
	return "time"
}

// lineCallees says in which callees without a probe the time of a line is.
func lineCallees(l *record.Line) string {
	return page.Clean(wording.Callees(ranking.Callees(l.Callees, l.TimeMS)))
}
