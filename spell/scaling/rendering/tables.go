package rendering

import (
	"slices"

	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/scaling"
	"spell-lsp/spell/units"
)

// points is the table of what was measured, and of what the formula says of larger sizes.
func points(r *scaling.Result, g *scaling.Growth) *page.Table {
	t := &page.Table{}
	for _, name := range g.Sizes {
		t.Columns = append(t.Columns, page.Column{Head: name, Right: true})
	}
	t.Columns = append(t.Columns, page.Column{Head: head(r, g), Right: true}, page.Column{Head: "95 % interval"}, page.Column{})
	for _, p := range shown(g) {
		extent := ""
		if p.Error > 0 {
			half := record.Normal95 * p.Error
			extent = Cost(g, max(0, p.Cost-half)) + " to " + Cost(g, p.Cost+half)
		}
		t.Add(row(p.Sizes, Cost(g, p.Cost), extent, "")...)
	}
	for _, p := range g.Predictions {
		said := ""
		if p.Extrapolated {
			said = "extrapolated"
		}
		t.Add(row(p.Sizes, Cost(g, p.Cost), Cost(g, p.CI[0])+" to "+Cost(g, p.CI[1]), said)...)
	}
	return t
}

// mostPoints is how many points a table of calls has at most before it has one for each doubling of the size.
const mostPoints = 16

// shown are the points that a table has: all of a benchmark, few of calls, which may have hundreds of sizes.
func shown(g *scaling.Growth) []scaling.Point {
	if g.Origin != scaling.Calls || len(g.Points) <= mostPoints {
		return g.Points
	}
	var few []scaling.Point
	for i, p := range g.Points {
		if i == len(g.Points)-1 || len(few) == 0 || p.Sizes[0] >= 2*few[len(few)-1].Sizes[0] {
			few = append(few, p)
		}
	}
	return few
}

func row(sizes []float64, texts ...string) []page.Cell {
	var cells []page.Cell
	for _, n := range sizes {
		cells = append(cells, page.Cell{Text: size(n)})
	}
	for _, text := range texts {
		cells = append(cells, page.Cell{Text: text})
	}
	return cells
}

// head is what the costs are.
func head(r *scaling.Result, g *scaling.Growth) string {
	per := "/op"
	if g.Origin == scaling.Calls {
		per = "/call"
	}
	switch {
	case g.Quantity == alternatives.Time:
		return "time" + per
	case r.Source != record.Measured:
		return "est. J" + per
	}
	return "J" + per
}

// functions is the table of the functions of a benchmark. Costs are those at its largest size.
func functions(r *scaling.Result, list []*scaling.Growth) *page.Table {
	cost := head(r, list[0])
	if slices.ContainsFunc(list, func(g *scaling.Growth) bool { return g.Quantity != list[0].Quantity }) {
		cost = "cost/op"
	}
	if p := list[0].Points; len(p) > 0 {
		for k, name := range list[0].Sizes {
			cost += []string{" at ", ", "}[k] + name + "=" + size(p[len(p)-1].Sizes[k])
		}
	}
	t := &page.Table{Columns: []page.Column{{Head: "function"}, {Head: "share", Right: true}, {Head: cost, Right: true}, {Head: "growth"}}}
	for _, g := range list {
		last := ""
		if len(g.Points) > 0 {
			last = Cost(g, g.Points[len(g.Points)-1].Cost)
		}
		t.Add(page.Cell{Text: short(g.Subject)}, page.Cell{Text: units.Percent(g.Share) + " %"}, page.Cell{Text: last}, page.Cell{Text: order(g)})
	}
	return t
}
