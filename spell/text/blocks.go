package text

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// divisions are those functions among the ones shown whose blocks were measured.
func (p *sheet) divisions() []division {
	byID, at, list := make(map[string]int), make(map[int]int), []division(nil)
	for i := range p.r.Components {
		byID[p.r.Components[i].ID] = i
	}
	for i := range p.r.Components {
		id, _, isBlock := strings.Cut(p.r.Components[i].ID, "#")
		function, known := byID[id]
		if !isBlock || !known || p.r.Components[i].Kind != spell.KindBlock || !slices.Contains(p.order, function) {
			continue
		}
		if _, seen := at[function]; !seen {
			at[function] = len(list)
			list = append(list, division{function: function})
		}
		d := &list[at[function]]
		d.blocks = append(d.blocks, i)
	}
	for k := range list {
		p.rankParts(&list[k])
	}
	return list
}

// divided tells whether the blocks of a function were measured.
func (p *sheet) divided(function int) bool {
	return slices.ContainsFunc(p.divisions(), func(d division) bool { return d.function == function })
}

// rankParts sorts the blocks by place, and ranks them and the rest of their function by what they hold.
func (p *sheet) rankParts(d *division) {
	place := func(i int) (line, column int) { return p.r.Components[i].Line, p.r.Components[i].Column }
	slices.SortFunc(d.blocks, func(i, j int) int {
		li, ci := place(i)
		lj, cj := place(j)
		return cmp.Or(li-lj, ci-cj)
	})
	parts := append([]int{d.function}, d.blocks...)
	slices.SortStableFunc(parts, func(i, j int) int { return cmp.Compare(p.held(j), p.held(i)) })
	d.rank = make(map[int]int)
	for k, i := range parts {
		if d.whole += p.held(i); p.held(i) > 0 {
			d.rank[i] = k + 1
		}
	}
}

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

// division writes a function with its blocks in place.
func (p *sheet) division(d division) {
	c := &p.r.Components[d.function]
	of := ""
	if whole := p.summary.Held; whole > 0 {
		of = ", " + units.Percent(d.whole/whole) + " % of the " + string(p.summary.Of) + " of all functions"
	}
	p.b.WriteByte('\n')
	p.paragraph("", fmt.Sprintf("Inside of %s%s: %s%s%s. Shares are of this total; # ranks its parts. A nested block is not counted in the outer one.",
		p.component(d.function), where(c), mark(p.summary.Of == spell.EnergyCriterion, p.est), p.amount(d.whole), of))
	p.b.WriteByte('\n')
	lines, longest := p.o.Source.lines(c), 0
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "\t", "    ")
		longest = max(longest, len(lines[i]))
	}
	t := p.divisionTable(d, lines)
	if over := t.Width() - p.width(); over > 0 && over < longest {
		for i := range lines {
			lines[i] = cut(lines[i], longest-over)
		}
		t = p.divisionTable(d, lines)
	}
	t.Write(&p.b, p.o.Color)
}

// cut shortens a text to a number of bytes.
func cut(text string, most int) string {
	const end = "..."
	if len(text) <= most || most < len(end) {
		return text
	}
	return strings.ToValidUTF8(text[:most-len(end)], "") + end
}

func (p *sheet) divisionTable(d division, lines []string) *page.Table {
	t := &page.Table{Columns: []page.Column{{Head: "#", Right: true}, {Head: "share", Right: true}, {Head: p.amountHead(), Right: true}}}
	if p.summary.Of != spell.ExecutionsCriterion {
		t.Columns = append(t.Columns, page.Column{Head: "N", Right: true})
	}
	t.Columns = append(t.Columns, page.Column{Head: "line", Right: true}, page.Column{Head: mark(lines == nil, "block") + mark(lines != nil, "source")})
	if lines == nil {
		p.parts(t, d)
	} else {
		p.listing(t, d, lines)
	}
	return t
}

// parts are the rows of a function whose source is not known, or is not what was measured.
func (p *sheet) parts(t *page.Table, d division) {
	for _, i := range append([]int{d.function}, d.blocks...) {
		_, path, isBlock := strings.Cut(p.r.Components[i].ID, "#")
		if !isBlock {
			path = "outside of all blocks"
		}
		p.part(t, d, i, p.r.Components[i].Line, path)
	}
}

// listing has a row for each line of the source that is shown. What begins on a line stands beside it.
func (p *sheet) listing(t *page.Table, d division, lines []string) {
	first := p.r.Components[d.function].Line
	begin := map[int][]int{first: {d.function}}
	for _, i := range d.blocks {
		begin[p.r.Components[i].Line] = append(begin[p.r.Components[i].Line], i)
	}
	gap := false
	for k, text := range lines {
		number := first + k
		parts := begin[number]
		if !nearBlock(begin, number, len(lines)) {
			if !gap {
				p.part(t, d, -1, 0, "...")
			}
			gap = true
			continue
		}
		gap = false
		if len(parts) == 0 {
			p.part(t, d, -1, number, text)
		}
		for n, i := range parts {
			if n > 0 { // another block of the same line
				_, path, _ := strings.Cut(p.r.Components[i].ID, "#")
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
	if lines <= mostLines {
		return true
	}
	for _, n := range []int{number - 1, number, number + 1} {
		if len(begin[n]) > 0 {
			return true
		}
	}
	return false
}

// part is a row; i is -1 for a line on which nothing begins, line is 0 for none.
func (p *sheet) part(t *page.Table, d division, i, line int, text string) {
	cells := make([]page.Cell, 0, len(t.Columns))
	if i < 0 {
		cells = append(cells, make([]page.Cell, len(t.Columns)-2)...)
	} else {
		rank := ""
		if r := d.rank[i]; r > 0 {
			rank = strconv.Itoa(r)
		}
		share := 0.0
		if d.whole > 0 {
			share = p.held(i) / d.whole
		}
		cells = append(cells, page.Cell{Text: rank}, page.Cell{Text: units.Percent(share) + " %"}, page.Cell{Text: p.amount(p.held(i))})
		if p.summary.Of != spell.ExecutionsCriterion {
			cells = append(cells, page.Cell{Text: units.Count(p.tallies[i].N)})
		}
	}
	number := ""
	if line > 0 {
		number = strconv.Itoa(line)
	}
	t.Add(append(cells, page.Cell{Text: number}, page.Cell{Text: text})...)
}
