package rendering

import (
	"math"
	"strconv"

	"spell-lsp/spell/alternatives"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

// grid is the table of a group, with the sizes one below the other.
func grid(r *alternatives.Result, g *alternatives.Group) *page.Table {
	t := &page.Table{}
	if g.SizeKey != "" {
		t.Columns = append(t.Columns, page.Column{Head: g.SizeKey, Right: true})
	}
	t.Columns = append(t.Columns, page.Column{Head: "rank", Right: true}, page.Column{Head: g.Key})
	energy := hasEnergy(g)
	if energy {
		head := "J/op"
		if r.Source != record.Measured {
			head = "est. J/op"
		}
		t.Columns = append(t.Columns, page.Column{Head: head, Right: true})
	}
	t.Columns = append(t.Columns, page.Column{Head: "time/op", Right: true}, page.Column{Head: "bytes/op", Right: true}, page.Column{Head: "times the first"})
	for i := range g.Sizes {
		for k := range g.Sizes[i].Alternatives {
			t.Add(row(g, &g.Sizes[i], k, energy)...)
		}
	}
	return t
}

func row(g *alternatives.Group, s *alternatives.Size, k int, energy bool) []page.Cell {
	a := &s.Alternatives[k]
	var texts []string
	if g.SizeKey != "" {
		texts = append(texts, s.Text)
	}
	rank := strconv.Itoa(a.Rank)
	if s.RoundsNeeded > 0 {
		rank = "?"
	}
	if s.WhyTime == alternatives.BelowResolution {
		rank = "t " + rank
	}
	texts = append(texts, rank, a.Name)
	switch {
	case energy && a.EnergyJ != nil:
		texts = append(texts, units.Quantity(a.EnergyJ.Mean, "J")+extent(a.EnergyJ))
	case energy:
		texts = append(texts, "")
	}
	texts = append(texts, units.Duration(a.TimeMS.Mean)+extent(&a.TimeMS), memory(a.Bytes.Mean)+extent(&a.Bytes), ratio(s, k))
	cells := make([]page.Cell, len(texts))
	for i, text := range texts {
		cells[i].Text = text
	}
	return cells
}

func hasEnergy(g *alternatives.Group) bool {
	for i := range g.Sizes {
		for k := range g.Sizes[i].Alternatives {
			if g.Sizes[i].Alternatives[k].EnergyJ != nil {
				return true
			}
		}
	}
	return false
}

// extent is half of the interval in relation to the mean: ± 3 %.
func extent(a *alternatives.Amount) string {
	if a.CI == nil || a.Mean <= 0 {
		return ""
	}
	return " ± " + units.Extent((a.CI[1]-a.Mean)/a.Mean) + " %"
}

// ratio compares an alternative with the first of its size.
func ratio(s *alternatives.Size, k int) string {
	if k == 0 {
		return ""
	}
	p := s.Pair(s.Alternatives[0].Name, s.Alternatives[k].Name)
	if p == nil {
		return ""
	}
	text := units.Factor(p.Ratio)
	if p.CI != nil {
		text += " (" + units.Factor(p.CI[0]) + " to " + units.Factor(p.CI[1]) + ")"
	}
	if p.Tied && s.RoundsNeeded == 0 {
		text = "tied, " + text
	}
	return text
}

// memory writes bytes without digits that sampling does not know.
func memory(n float64) string {
	if n >= 10 {
		n = math.Round(n)
	}
	return units.Bytes(n)
}
