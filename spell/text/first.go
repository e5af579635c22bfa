package text

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/summary"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

const (
	mostItems  = 3 // components of the first screen
	mostDoubts = 3
	mostFailed = 3
	barWidth   = 72

	mostBudgets = 5
)

// summarize finds the facts of the first screen about the components that it shows.
func (p *sheet) summarize() {
	p.summary = ranking.Summarize(p.r, p.tallies, p.order[:p.items()])
}

// items is how many components the first screen shows.
func (p *sheet) items() int {
	if p.o.First == 0 {
		return min(mostItems, len(p.order))
	}
	return page.Shown(p.o.First, len(p.order))
}

// leading are the components that the first screen shows.
func (p *sheet) leading() []int { return p.order[:len(p.summary.Items)] }

func (p *sheet) component(i int) string { return p.names.components[i] }

// headline is what the run is about, and what the tests took in all.
func (p *sheet) headline() string {
	return strings.TrimSpace(wording.Headline(p.summary, p.component) + " " + wording.Totals(p.summary))
}

// first writes the first screen.
func (p *sheet) first() {
	if _, lined := p.lined(); lined {
		p.leaders()
	} else {
		p.paragraph("", p.headline())
		if p.summary.Leading.Count > 0 {
			p.bar()
			p.b.WriteByte('\n')
			p.leaders()
		}
	}
	p.insides(p.leading())
	p.moved()
	p.lines()
	p.under()
	p.allocations()
	p.briefly()
	p.b.WriteByte('\n')
	p.more()
	if p.summary.Leading.Count > 0 && len(p.summary.Items) > 0 {
		p.paragraph("", p.deeper(p.summary.Items[0].Component))
	}
}

// bar shows how the first components and all others share what they hold.
func (p *sheet) bar() {
	if p.summary.Inclusive { // shares that overlap make no whole
		return
	}
	var segments []page.Segment
	rest := 1.0
	for _, item := range p.summary.Items[:min(mostItems, len(p.summary.Items))] {
		c := &p.r.Components[item.Component]
		rank := strconv.Itoa(c.Rank)
		segments = append(segments, page.Segment{Share: item.Share, Labels: []string{rank + " " + p.component(item.Component), rank}, Color: zoneColors[c.Zone]})
		rest -= item.Share
	}
	if others := len(p.r.Components) - len(segments); others > 0 {
		segments = append(segments, page.Segment{Share: max(0, rest), Labels: []string{units.Plural(others, "other"), "others"}, Rest: true})
	}
	p.b.WriteByte('\n')
	page.Bar(&p.b, segments, page.BarOptions{Width: min(barWidth, p.width()), Color: p.o.Color, ASCII: p.o.ASCII})
}

var zoneColors = map[spell.Zone]string{spell.Red: page.Red, spell.Yellow: page.Yellow, spell.Green: page.Green}

// leaders writes the table of the first components, and below each row its reason.
func (p *sheet) leaders() {
	withPlace := true
	t := p.leaderTable(withPlace)
	if t.Width() > p.width() {
		withPlace = false
		t = p.leaderTable(withPlace)
	}
	var table bytes.Buffer
	t.Write(&table, p.o.Color)
	lines := slices.Collect(strings.Lines(table.String()))
	heads := len(lines) - len(p.summary.Items)
	p.b.WriteString(strings.Join(lines[:heads], ""))
	for k, item := range p.summary.Items {
		p.b.WriteString(lines[heads+k])
		reason := p.reason(item.Component, wording.Reason(&item, p.component))
		if at := location(&p.r.Components[item.Component]); at != "" && !withPlace {
			reason = "At " + at + ". " + reason
		}
		p.paragraph("   ", reason)
	}
	if note := p.selection(); note != "" {
		p.paragraph("", note)
	}
}

// reason adds what a reader must know of the figures of a row.
func (p *sheet) reason(i int, why string) string {
	c := &p.r.Components[i]
	return why + mark(c.BelowResolution, " Below resolution: its energy is too uncertain to rely on.") +
		mark(c.Tied, " "+tie(c))
}

// tie says how far the rank of a tied component is uncertain.
func tie(c *record.Component) string {
	if low, high := c.RankCI[0], c.RankCI[1]; low < high {
		return fmt.Sprintf("Its rank is uncertain: %d to %d.", low, high)
	}
	return "Tied with a neighbour: either may come first."
}

// selection says which components are shown, if that is not the first of all.
func (p *sheet) selection() string {
	var list []string
	if _, lined := p.lined(); p.o.Within != "" && !lined {
		list = append(list, fmt.Sprintf("Shown is what is inside of %s: %s. Shares are of the whole.", p.o.Within, p.inside()))
	}
	if p.o.Sort != "" && p.o.Sort != string(p.criterion) {
		list = append(list, fmt.Sprintf("Sorted by %s; # is the rank by %s.", p.o.Sort, p.criterion))
	}
	if p.o.Sort == "" {
		list = append(list, p.notByShare())
	}
	return strings.TrimSpace(strings.Join(list, " "))
}

// notByShare explains ranks that do not follow the shares beside them; "" if they do.
func (p *sheet) notByShare() string {
	byShare := slices.IsSortedFunc(p.summary.Items, func(a, b summary.Item) int { return cmp.Compare(b.Share, a.Share) })
	weighted := p.criterion == spell.WeightedEnergyCriterion || p.criterion == spell.WeightedTimeCriterion
	if byShare || !weighted {
		return ""
	}
	return "# follows " + p.criterion.Words() + ": of functions with equal shares, the one with the fewest calls comes first."
}

// showsCalls says whether calls stand beside the amounts: not where they are the amounts, or were
// not counted.
func (p *sheet) showsCalls() bool {
	return p.summary.Of != spell.ExecutionsCriterion && slices.ContainsFunc(p.tallies, func(t record.Tally) bool { return t.N > 0 })
}

func (p *sheet) leaderTable(place bool) *page.Table {
	t := &page.Table{Columns: []page.Column{{Head: "#", Right: true}, {Head: "zone"}, {Head: "share", Right: true}, {Head: p.amountHead(), Right: true}}}
	if p.showsCalls() {
		t.Columns = append(t.Columns, page.Column{Head: "calls", Right: true})
	}
	by := p.sortedBy()
	if by.name != "" {
		t.Columns = append(t.Columns, page.Column{Head: by.name, Right: true})
	}
	t.Columns = append(t.Columns, page.Column{Head: page.Clean(p.r.Unit()), Cap: 40})
	if place {
		t.Columns = append(t.Columns, page.Column{Head: "place"})
	}
	for _, item := range p.summary.Items {
		c := &p.r.Components[item.Component]
		row := []page.Cell{{Text: strconv.Itoa(c.Rank)}, {Text: string(c.Zone), Color: zoneColors[c.Zone]}, {Text: units.Percent(item.Share) + " %"}}
		row = append(row, page.Cell{Text: p.amount(item.Amount)})
		if p.showsCalls() {
			row = append(row, page.Cell{Text: units.Count(p.tallies[item.Component].N)})
		}
		if by.name != "" {
			row = append(row, page.Cell{Text: by.text(item.Component)})
		}
		row = append(row, page.Cell{Text: p.component(item.Component)})
		if place {
			row = append(row, page.Cell{Text: location(c)})
		}
		t.Add(row...)
	}
	return t
}

// amountHead is the head of the column of amounts.
func (p *sheet) amountHead() string {
	if p.summary.Of == spell.EnergyCriterion {
		return p.est + string(p.summary.Of)
	}
	return string(p.summary.Of)
}

func (p *sheet) amount(v float64) string {
	switch p.summary.Of {
	case spell.EnergyCriterion:
		return units.Quantity(v, "J")
	case spell.TimeCriterion:
		return units.Duration(v)
	default:
		return units.Count(v)
	}
}

// A sorting is a column of what the rows are sorted by, where no other column has it.
type sorting struct {
	name string // "" if another column has it
	text func(i int) string
}

func (p *sheet) sortedBy() sorting {
	c := func(i int) *record.Component { return &p.r.Components[i] }
	switch by := p.o.Sort; {
	case by == "psi" || by == "" && p.criterion == spell.PsiCriterion:
		return sorting{"psi", func(i int) string { return units.Similarity(c(i).Psi) }}
	case by == "time" && p.summary.Of != spell.TimeCriterion:
		return sorting{"time", func(i int) string { return units.Duration(p.tallies[i].TimeMS) }}
	case by == "epi":
		return sorting{p.est + "EPI", func(i int) string { return units.Quantity(c(i).EPIJ, "J") }}
	default:
		d := slices.Index(p.r.Matrix.Domains, spell.Domain(by))
		if d < 0 {
			return sorting{}
		}
		return sorting{p.est + by, func(i int) string { return units.Quantity(p.tallies[i].EnergyJ[d], "J") }}
	}
}

// briefly writes which budgets are not kept, and what makes the figures doubtful: tests that do not
// count, and warnings.
func (p *sheet) briefly() {
	if title, failed := p.failed(mostFailed); len(failed) > 0 {
		p.list(title, failed)
	}
	p.writeBudgets(mostBudgets)
	p.list(doubtful, p.doubts())
}

// doubtful is the title of the doubts.
const doubtful = "What makes the figures doubtful:"

// doubts are the weightiest of what makes the figures doubtful.
func (p *sheet) doubts() []string {
	doubts := wording.Texts(p.summary.Doubts)
	if more := len(doubts) - mostDoubts; more > 0 {
		doubts = append(doubts[:mostDoubts], "and "+units.Plural(more, "other"))
	}
	return doubts
}

func (p *sheet) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	p.b.WriteString("\n" + title + "\n")
	for _, text := range items {
		p.paragraph("  - ", text)
	}
}

// more writes what else there is, and the command that shows it, on a line that can be copied.
func (p *sheet) more() {
	var parts []string
	if n := len(p.r.Components); n > 0 {
		parts = append(parts, units.Plural(n, p.r.Unit()))
	}
	if n := len(p.r.Tests); n > 0 {
		parts = append(parts, units.Plural(n, p.rowWord))
	}
	parts = append(parts, "meter and machine")
	if n := len(p.warnings()); n > 0 {
		parts = append(parts, units.Plural(n, "note"))
	}
	command := p.o.Command
	if command == "" {
		command = "--full"
	}
	p.paragraph("", "In full ("+strings.Join(parts, ", ")+"):")
	p.b.WriteString("  " + page.Clean(command) + "\n")
}
