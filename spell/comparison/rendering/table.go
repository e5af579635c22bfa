package rendering

import (
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/note"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/units"
)

// A grid is a table before it is written as text or Markdown.
type grid struct {
	columns []page.Column
	rows    [][]page.Cell
}

// est stands before figures of energy.
func (c *view) est() string {
	if c.Source == record.Estimated {
		return "est. "
	}
	return ""
}

// changeColumns are the columns that the tables of components and of tests share.
func (c *view) changeColumns(energy bool) []page.Column {
	columns := []page.Column{{Head: "verdict"}}
	if energy {
		columns = append(columns, page.Column{Head: "BASE", Over: c.est() + "energy", Right: true}, page.Column{Head: "HEAD", Right: true})
	} else {
		columns = append(columns, page.Column{Head: "BASE", Over: "time", Right: true}, page.Column{Head: "HEAD", Right: true})
	}
	columns = append(columns, page.Column{Head: "change", Right: true}, page.Column{Head: "interval"}, page.Column{Head: "p", Right: true})
	if energy {
		columns = append(columns, page.Column{Head: "time", Right: true})
	}
	return columns
}

func changeCells(of *comparison.Change, energy bool) []page.Cell {
	q := of.Decisive(energy)
	amount := func(v float64) string {
		if energy {
			return units.Quantity(v, "J")
		}
		return units.Duration(v)
	}
	cells := []page.Cell{verdictCell(q), {Text: amount(q.Base)}, {Text: amount(q.Head)}, {Text: signed(q.Amount)}, {Text: signedInterval(q)}, {Text: corrected(q)}}
	if energy {
		cells = append(cells, page.Cell{Text: signed(of.TimeMS.Amount) + star(&of.TimeMS)})
	}
	return cells
}

// verdictCell is empty if the quantity is too small to be tested.
func verdictCell(q *comparison.Quantity) page.Cell {
	switch q.Verdict {
	case comparison.Better:
		return page.Cell{Text: "better", Color: page.Green}
	case comparison.Worse:
		return page.Cell{Text: "WORSE", Color: page.Red}
	case comparison.Unchanged:
		return page.Cell{Text: "n.s."}
	default:
		if q.Is(note.TooSmallCode) {
			return page.Cell{}
		}
		return page.Cell{Text: "?"}
	}
}

func corrected(q *comparison.Quantity) string {
	if q.PCorrected == nil {
		return ""
	}
	return units.Probability(*q.PCorrected)
}

func star(q *comparison.Quantity) string {
	if q.Verdict == comparison.Better || q.Verdict == comparison.Worse {
		return " *"
	}
	return ""
}

func (c *view) componentGrid(n names, top int) grid {
	g := grid{columns: append(c.changeColumns(c.KnowsComponents()), page.Column{Head: "N", Right: true}, page.Column{Head: "psi", Right: true}, page.Column{Head: "zone"},
		page.Column{Head: page.Clean(string(c.kind())), Cap: 40})}
	for i := range c.Components[:top] {
		k := &c.Components[i]
		g.rows = append(g.rows, append(changeCells(&k.Change, c.KnowsComponents()), page.Cell{Text: calls(k.N)}, page.Cell{Text: units.Similarity(k.Psi.Head)},
			zones(k.BaseZone, k.HeadZone), page.Cell{Text: n.of(k.ID)}))
	}
	return g.withoutEmpty()
}

func (c *view) kind() spell.Kind {
	if c.Granularity == "" {
		return spell.KindFunction
	}
	return c.Granularity
}

// zones has the letter of the zone, or of both if they differ.
func zones(base, head spell.Zone) page.Cell {
	letter := func(z spell.Zone) string {
		if z == "" {
			return "-"
		}
		return strings.ToUpper(string(z[:1]))
	}
	cell := page.Cell{Text: letter(head), Color: map[spell.Zone]string{spell.Red: page.Red, spell.Yellow: page.Yellow, spell.Green: page.Green}[head]}
	if base != head {
		cell.Text = letter(base) + ">" + cell.Text
	}
	return cell
}

func (c *view) testGrid(n names, top int) grid {
	g := grid{columns: append(c.changeColumns(c.HasEnergy()), page.Column{Head: "test", Cap: 60})}
	for i := range c.Tests[:top] {
		g.rows = append(g.rows, append(changeCells(&c.Tests[i].Change, c.HasEnergy()), page.Cell{Text: n.of(c.Tests[i].Name)}))
	}
	return g.withoutEmpty()
}

// fit removes the named columns, one after the other, until the table is no wider than
// width.
func (g *grid) fit(width int, heads ...string) *page.Table {
	for {
		t := &page.Table{Columns: g.columns}
		for _, row := range g.rows {
			t.Add(slices.Clone(row)...)
		}
		if len(heads) == 0 || t.Width() <= width {
			return t
		}
		g.remove(heads[0])
		heads = heads[1:]
	}
}

func (g *grid) remove(head string) {
	at := slices.IndexFunc(g.columns, func(c page.Column) bool { return c.Head == head })
	if at < 0 {
		return
	}
	g.columns = slices.Delete(g.columns, at, at+1)
	for i := range g.rows {
		g.rows[i] = slices.Delete(g.rows[i], at, at+1)
	}
}

// withoutEmpty removes columns without text.
func (g grid) withoutEmpty() grid {
	for i := len(g.columns) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(g.rows, func(row []page.Cell) bool { return row[i].Text != "" }) {
			g.remove(g.columns[i].Head)
		}
	}
	return g
}

// legend explains the tables.
func (c *view) legend() string {
	text := "Per round, without what the functions call. better and WORSE are significant: p, by Wilcoxon's signed-rank test with Holm's correction, is at most " +
		strconv.FormatFloat(c.Level, 'g', -1, 64) + ", and the change is larger than two runs of the same code may differ by. n.s. is no significant change, ? is not decided; without a word it uses less than 0.5 % of either run and was not tested."
	if c.HasEnergy() {
		text += " * is a significant change of time."
	}
	text += " Zones: R red, Y yellow, G green; G>R was green in BASE and is red in HEAD."
	if slices.ContainsFunc(c.Components, func(k comparison.Component) bool { return c.redByShare(&k) }) {
		text += " A function that turned red without WORSE did not get more expensive: its share grew, as others use less."
	}
	if c.est() != "" {
		text += " est. is ESTIMATED by a model, not measured."
	}
	return text
}
