package text

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/units"
)

// A division is a function whose blocks were measured, with what it and each block hold.
// Neither holds what is inside of a block of its own, so that all add up to the whole.
type division struct {
	function int         // component
	blocks   []int       // components that ran, by place
	whole    float64     // in the unit of the summary
	rank     map[int]int // by component, from 1; none for what holds nothing
}

// divide finds the functions whose blocks were measured among the components that are listed,
// and those that have a block there. Values that include callees have no parts that add up.
func (p *sheet) divide(listed []int) []division {
	if p.summary.Inclusive {
		return nil
	}
	blocks := make(map[string][]int)
	for i := range p.r.Components {
		if function := p.functionOf(i); function != "" {
			blocks[function] = append(blocks[function], i)
		}
	}
	wanted := make(map[string]bool)
	for _, i := range listed {
		wanted[cmp.Or(p.functionOf(i), p.r.Components[i].ID)] = true
	}
	var list []division
	for i := range p.r.Components {
		if c := &p.r.Components[i]; c.Kind == spell.KindFunction && wanted[c.ID] && len(blocks[c.ID]) > 0 {
			d := division{function: i, blocks: blocks[c.ID]}
			p.rankParts(&d)
			list = append(list, d)
		}
	}
	return list
}

// functionOf is the ID of the function of a block; "" for other components.
func (p *sheet) functionOf(i int) string {
	if p.r.Components[i].Kind != spell.KindBlock {
		return ""
	}
	function, _ := spell.SplitBlock(p.r.Components[i].ID)
	return function
}

// divided tells whether the blocks of a function were measured.
func (p *sheet) divided(function int) bool { return len(p.divide([]int{function})) > 0 }

// rankParts sorts the blocks by place, and ranks them and the rest of their function by what they hold.
func (p *sheet) rankParts(d *division) {
	slices.SortFunc(d.blocks, func(i, j int) int {
		a, b := &p.r.Components[i], &p.r.Components[j]
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	parts := d.parts()
	slices.SortStableFunc(parts, func(i, j int) int { return cmp.Compare(p.held(j), p.held(i)) })
	d.rank = make(map[int]int)
	for k, i := range parts {
		if d.whole += p.held(i); p.held(i) > 0 {
			d.rank[i] = k + 1
		}
	}
}

// parts are the function, for what is outside of its blocks, and the blocks.
func (d *division) parts() []int { return append([]int{d.function}, d.blocks...) }

// held is what a component holds, in the unit of the summary.
func (p *sheet) held(i int) float64 {
	switch p.summary.Of {
	case spell.EnergyCriterion:
		return p.total[i]
	case spell.TimeCriterion:
		return p.tallies[i].TimeMS
	default:
		return p.tallies[i].N
	}
}

// insides writes those of the listed functions whose blocks were measured.
func (p *sheet) insides(listed []int) {
	for _, d := range p.divide(listed) {
		p.division(d)
	}
}

// division writes a function with its blocks in place.
func (p *sheet) division(d division) {
	c := &p.r.Components[d.function]
	of := ""
	if whole := p.summary.Held; whole > 0 {
		of = fmt.Sprintf(", %s %% of the %s of all functions and blocks", units.Percent(d.whole/whole), p.summary.Of)
	}
	unsure := func(i int) bool { return p.r.Components[i].BelowResolution }
	p.b.WriteByte('\n')
	p.paragraph("", fmt.Sprintf("Inside of %s%s: %s%s%s. Shares are of this total; # ranks its parts. A nested block is not counted in the outer one.%s",
		p.component(d.function), where(c), mark(p.summary.Of == spell.EnergyCriterion, p.est), p.amount(d.whole), of,
		mark(slices.ContainsFunc(d.parts(), unsure), " ~ is below resolution: its energy is too uncertain to rely on.")))
	p.b.WriteByte('\n')
	source, first := p.o.Source.lines(c)
	if first != c.Line { // the places of blocks are those that were measured
		source = nil
	}
	p.listed(source, func(lines []string) *page.Table { return p.divisionTable(d, lines) })
}

// listed writes a table with lines of source, which are cut if it is too wide.
func (p *sheet) listed(lines []string, table func(lines []string) *page.Table) {
	t := table(lines)
	if over := t.Width() - p.width(); over > 0 && len(lines) > 0 {
		longest := 0
		for _, line := range lines {
			longest = max(longest, page.DisplayWidth(line))
		}
		for i := range lines {
			lines[i] = cut(lines[i], max(0, longest-over))
		}
		t = table(lines)
	}
	t.Write(&p.b, p.o.Color)
}

// cut shortens a text to a number of columns.
func cut(text string, most int) string {
	if page.DisplayWidth(text) <= most {
		return text
	}
	const end = "..."
	runes := []rune(text)
	for len(runes) > 0 && page.DisplayWidth(string(runes)+end) > most {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + end
}

// divisionTable has a row for each line or, where lines is nil, for each block.
func (p *sheet) divisionTable(d division, lines []string) *page.Table {
	t := &page.Table{Columns: []page.Column{{Head: "#", Right: true}, {Head: "share", Right: true}, {Head: p.amountHead(), Right: true}}}
	if p.summary.Of != spell.ExecutionsCriterion {
		t.Columns = append(t.Columns, page.Column{Head: "calls", Right: true})
	}
	t.Columns = append(t.Columns, page.Column{Head: "line", Right: true}, page.Column{Head: mark(lines == nil, "block") + mark(lines != nil, "source")})
	if lines != nil {
		p.listing(t, d, lines)
		return t
	}
	for _, i := range d.parts() {
		path := "outside of all blocks"
		if i != d.function {
			_, path = spell.SplitBlock(p.r.Components[i].ID)
		}
		p.part(t, d, i, p.r.Components[i].Line, path)
	}
	return t
}

// listing has a row for each line of the source that is shown. What begins on a line stands beside it.
func (p *sheet) listing(t *page.Table, d division, lines []string) {
	first, begin, gap := p.r.Components[d.function].Line, make(map[int][]int), false
	for _, i := range d.parts() {
		begin[p.r.Components[i].Line] = append(begin[p.r.Components[i].Line], i)
	}
	for k, text := range lines {
		number := first + k
		if !nearBlock(begin, number, len(lines)) {
			if !gap {
				p.part(t, d, -1, 0, "...")
			}
			gap = true
			continue
		}
		gap = false
		if len(begin[number]) == 0 {
			p.part(t, d, -1, number, text)
		}
		for n, i := range begin[number] {
			if n > 0 { // another block of the same line
				_, path := spell.SplitBlock(p.r.Components[i].ID)
				text = "(" + path + ")"
			}
			p.part(t, d, i, number, text)
		}
	}
}

// mostLines is up to how many lines a function is shown whole. Of a longer one, lines beside the
// begin of a block are shown.
const mostLines = 60

func nearBlock(begin map[int][]int, number, lines int) bool {
	return lines <= mostLines || len(begin[number-1])+len(begin[number])+len(begin[number+1]) > 0
}

// part is a row; i is -1 for a line on which nothing begins, line is 0 for none.
func (p *sheet) part(t *page.Table, d division, i, line int, text string) {
	cells := make([]page.Cell, len(t.Columns)-2, len(t.Columns))
	if i >= 0 {
		if rank := d.rank[i]; rank > 0 {
			cells[0].Text = strconv.Itoa(rank)
		}
		share := 0.0
		if d.whole > 0 {
			share = p.held(i) / d.whole
		}
		cells[1].Text = units.Percent(share) + " %"
		cells[2].Text = p.amount(p.held(i)) + mark(p.r.Components[i].BelowResolution, " ~")
		if len(cells) > 3 {
			cells[3].Text = units.Count(p.tallies[i].N)
		}
	}
	number := ""
	if line > 0 {
		number = strconv.Itoa(line)
	}
	t.Add(append(cells, page.Cell{Text: number}, page.Cell{Text: text})...)
}
