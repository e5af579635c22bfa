package text

import (
	"fmt"
	"slices"

	"spell-lsp/spell/page"
	"spell-lsp/spell/record/calltree"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// under says what the function that the page is about used under each of its callers: --within
// names it.
func (p *sheet) under() {
	if p.o.Within == "" || len(p.order) != 1 || !p.byComponent || p.summary.Inclusive {
		return
	}
	i, err := grouping.Find(p.r, p.o.Within)
	if err != nil || i != p.order[0] {
		return
	}
	list := calltree.Of(p.r).Under(i)
	if len(list) < 2 {
		return
	}
	p.b.WriteByte('\n')
	p.paragraph("", fmt.Sprintf("What %s itself used under each of its callers. Its energy is fitted where the meter's readings tell the power under a caller, and otherwise shared by time.", p.component(i)))
	p.b.WriteByte('\n')
	p.underTable(list).Write(&p.b, p.o.Color)
}

func (p *sheet) underTable(list []calltree.Under) *page.Table {
	t := &page.Table{Columns: []page.Column{{Head: p.lineHead(), Right: true}, {Head: "95 %", Right: true}, {Head: "time", Right: true}, {Head: "power", Right: true}, {Head: "how"}, {Head: "under"}}}
	shown := list[:p.limit(len(list))]
	bounded := slices.ContainsFunc(shown, func(u calltree.Under) bool { return u.CI[1] > 0 })
	if !bounded {
		t.Columns = slices.Delete(t.Columns, 1, 2)
	}
	for _, u := range shown {
		cells := []page.Cell{{Text: units.Quantity(u.EnergyJ, "J")}, {Text: interval(u.CI)}, {Text: units.Duration(u.TimeMS)}, {Text: units.Quantity(u.Watts(), "W")}, {Text: underHow(&u)}, {Text: p.caller(u.Component)}}
		if !bounded {
			cells = slices.Delete(cells, 1, 2)
		}
		t.Add(cells...)
	}
	return t
}

// underHow is short: watts and interval have columns of their own.
func underHow(u *calltree.Under) string {
	if u.Fitted {
		return "fitted"
	}
	return wording.ByTime(string(u.ByTime))
}

func interval(ci [2]float64) string {
	if ci[1] == 0 {
		return ""
	}
	return units.Quantity(ci[0], "J") + " to " + units.Quantity(ci[1], "J")
}

// caller names a caller.
func (p *sheet) caller(component int) string {
	if component < 0 {
		return wording.NotComponent(component == calltree.Unknown)
	}
	return p.component(component)
}
