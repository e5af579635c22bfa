package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// allocations says what the function allocates that the page is about: --within names it.
func (p *sheet) allocations() {
	if p.o.Within == "" || len(p.order) != 1 {
		return
	}
	i, err := grouping.Find(p.r, p.o.Within)
	if err != nil || i != p.order[0] {
		return
	}
	c := &p.r.Components[i]
	a, ok := p.r.Allocations().Of(c)
	if !ok {
		return
	}
	p.b.WriteByte('\n')
	p.paragraph("", fmt.Sprintf("%s %s. These are %s a round in %s, by samples.",
		p.component(i), wording.Allocation(a.Share, a.Joules, a.MS, p.joulesOrNil()), units.Bytes(c.AllocBytes), units.Plural(roundly(c.AllocObjects), "object")))
}

// joulesOrNil writes energies; it is nil where none is known.
func (p *sheet) joulesOrNil() func(float64) string {
	if !p.energy {
		return nil
	}
	return func(joules float64) string { return p.est + units.Quantity(joules, "J") }
}

// The collector's energy has a sentence from collectingShare of that of the tests on, and names up
// to mostAllocating functions that cause as much of it.
const (
	collectingShare = 0.05
	mostAllocating  = 3
)

// collecting says who causes the garbage collector's energy.
func (p *sheet) collecting() string {
	if !p.energy {
		return ""
	}
	parts, _, all := p.r.Unattributed()
	collector := parts[record.Collector]
	if collector == 0 || collector < collectingShare*all {
		return ""
	}
	caused := func(i int) float64 { return p.r.Components[i].CausedJ.Total() }
	order := slices.DeleteFunc(slices.Clone(p.order), func(i int) bool { return caused(i) < collectingShare*collector })
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(caused(j), caused(i)) })
	var list []string
	for _, i := range order[:min(len(order), mostAllocating)] {
		list = append(list, p.component(i)+" "+units.Percent(min(1, caused(i)/collector))+" %")
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("Collecting garbage, %s%s per round, is caused by who allocates: %s, by their bytes. It is in none of their figures.",
		p.est, units.Quantity(collector, "J"), strings.Join(list, ", "))
}

// roundly is a count that is an estimate anyway, as a whole number.
func roundly(n float64) int { return int(n + 0.5) }
