package text

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/grouping"
	"spell-lsp/spell/units"
	"spell-lsp/spell/wording"
)

// An order of components: by a value, from the highest.
type order struct {
	name string
	key  func(*sheet, int) float64
}

// sorts are the values of Options.Sort, each with what it sorts by.
var sorts = []order{
	{"psi", func(p *sheet, i int) float64 { return p.r.Components[i].Psi }},
	{"energy", func(p *sheet, i int) float64 { return p.total[i] }},
	{"time", func(p *sheet, i int) float64 { return p.r.Components[i].Phi["time"] }},
	{"n", func(p *sheet, i int) float64 { return p.r.Components[i].Phi["n"] }},
	{"epi", func(p *sheet, i int) float64 { return p.r.Components[i].EPIJ }},
}

// sorted returns the components in the order in which they are shown; ties by
// rank.
func (p *sheet) sorted() ([]int, error) {
	known, orders := []string{}, append(slices.Clone(sorts), p.domainSorts()...)
	if p.o.Sort == "" {
		orders = []order{{"", func(*sheet, int) float64 { return 0 }}}
	}
	for _, s := range orders {
		if s.name != p.o.Sort {
			known = append(known, s.name)
			continue
		}
		order, err := p.within()
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Or(cmp.Compare(s.key(p, j), s.key(p, i)), cmp.Compare(p.r.Components[i].Rank, p.r.Components[j].Rank))
		})
		return order, nil
	}
	return nil, fmt.Errorf("sorting the ranking: there is no order %q, must be one of %s", p.o.Sort, strings.Join(known, ", "))
}

// domainSorts are orders by the energy of one domain.
func (p *sheet) domainSorts() []order {
	var list []order
	for d, domain := range p.r.Matrix.Domains {
		list = append(list, order{string(domain), func(p *sheet, i int) float64 { return p.tallies[i].EnergyJ[d] }})
	}
	return list
}

// within lists the components that are shown.
func (p *sheet) within() ([]int, error) {
	if p.o.Within != "" {
		return grouping.Within(p.r, p.o.Within)
	}
	all := make([]int, len(p.r.Components))
	for i := range all {
		all[i] = i
	}
	return all, nil
}

// ranking writes the table of components.
func (p *sheet) ranking() {
	p.b.WriteByte('\n')
	if len(p.order) == 0 {
		p.paragraph("", "Nothing to rank: no component ran in "+wording.TheseRows(p.rowWord)+".")
		return
	}
	shown := p.order[:p.limit(len(p.order))]
	t, with := p.fitting(shown)
	t.Write(&p.b, p.o.Color)
	for _, text := range p.legend(shown, with) {
		p.paragraph("", text)
	}
}

func (p *sheet) table(shown []int, with intervals) *page.Table {
	t := &page.Table{Columns: p.columns(with)}
	for _, i := range shown {
		t.Add(p.row(i, with)...)
	}
	return t
}

func (p *sheet) columns(with intervals) []page.Column {
	columns := []page.Column{{Head: "#", Right: true}}
	if with.rank {
		columns = append(columns, page.Column{Head: "ranks"})
	}
	columns = append(columns, page.Column{Head: "zone"}, page.Column{Head: "psi", Right: true})
	if with.psi {
		columns = append(columns, page.Column{Head: "±", Right: true})
	}
	if p.byComponent {
		columns = append(columns, page.Column{Head: "E %", Over: p.est, Right: true})
	}
	if p.r.CallsCounted() {
		columns = append(columns, page.Column{Head: "N %", Right: true})
	}
	columns = append(columns, page.Column{Head: "T %", Right: true})
	if p.byComponent {
		columns = append(columns, page.Column{Head: "energy", Over: p.est, Right: true})
	}
	if with.energy {
		columns = append(columns, page.Column{Head: "±", Right: true})
	}
	if p.powers != nil {
		columns = append(columns, page.Column{Head: "W", Right: true})
	}
	if p.byComponent && p.r.CallsCounted() {
		columns = append(columns, page.Column{Head: "EPI", Over: p.est, Right: true})
	}
	return append(columns, page.Column{Head: page.Clean(string(cmp.Or(p.r.Granularity, spell.KindFunction))), Cap: 40}, page.Column{Head: "place"})
}

func (p *sheet) row(i int, with intervals) []page.Cell {
	c := &p.r.Components[i]
	row := []page.Cell{{Text: strconv.Itoa(c.Rank)}}
	if with.rank {
		row = append(row, page.Cell{Text: p.ranks(i)})
	}
	row = append(row, zone(c), page.Cell{Text: units.Similarity(c.Psi)})
	if with.psi {
		row = append(row, page.Cell{Text: p.spread(i)})
	}
	if p.byComponent {
		row = append(row, page.Cell{Text: units.Percent(p.share(i))})
	}
	if p.r.CallsCounted() {
		row = append(row, page.Cell{Text: units.Percent(c.Phi["n"])})
	}
	row = append(row, page.Cell{Text: units.Percent(c.Phi["time"])})
	if p.byComponent {
		row = append(row, page.Cell{Text: units.Quantity(p.total[i], "J")})
	}
	if with.energy {
		row = append(row, page.Cell{Text: p.energySpread(i)})
	}
	if p.powers != nil {
		row = append(row, page.Cell{Text: p.watts(i)})
	}
	if p.byComponent && p.r.CallsCounted() {
		row = append(row, page.Cell{Text: units.Quantity(c.EPIJ, "J")})
	}
	return append(row, page.Cell{Text: p.names.components[i]}, page.Cell{Text: location(c)})
}

// watts is the power of a component, "" where it is not known.
func (p *sheet) watts(i int) string {
	if p.powers[i].Watts == 0 {
		return ""
	}
	return units.Quantity(p.powers[i].Watts, "W")
}

// powerRemark says how well W is known, and what is not in it.
func (p *sheet) powerRemark(with intervals) string {
	if slices.ContainsFunc(p.r.Matrix.Domains, spell.Domain.OfBytes) {
		return ", without that of disks and the network"
	}
	return mark(with.energy, "; ± of the energy holds for it, too")
}

// zone is the letter of the zone with the marks of ties and resolution.
func zone(c *record.Component) page.Cell {
	z, ok := map[spell.Zone]page.Cell{spell.Red: {Text: "R", Color: page.Red}, spell.Yellow: {Text: "Y", Color: page.Yellow}, spell.Green: {Text: "G", Color: page.Green}}[c.Zone]
	if !ok {
		z = page.Cell{Text: "-"}
	}
	if c.Tied {
		z.Text += " ="
	}
	if c.BelowResolution {
		z.Text += " ~"
	}
	return z
}

// share is the component's part of the joules of all components.
func (p *sheet) share(i int) float64 {
	if p.all == 0 {
		return 0
	}
	return p.total[i] / p.all
}

func location(c *record.Component) string {
	if c.File == "" || c.Line == 0 {
		return c.File
	}
	return c.File + ":" + strconv.Itoa(c.Line)
}

// legend explains the table, and only what is in it.
func (p *sheet) legend(shown []int, with intervals) []string {
	var list []string
	if p.o.Within != "" {
		list = append(list, fmt.Sprintf("Shown is what is inside of %s: %s. Shares are of the whole.", p.o.Within, p.inside()))
	}
	if p.o.Sort != "" && p.o.Sort != string(p.criterion) {
		list = append(list, fmt.Sprintf("Sorted by %s; # is the rank by %s.", p.o.Sort, p.criterion))
	}
	if more := len(p.order) - len(shown); more > 0 {
		list = append(list, units.Plural(more, "more component")+" not shown.")
	}
	has := func(set func(*record.Component) bool) bool {
		return slices.ContainsFunc(shown, func(i int) bool { return set(&p.r.Components[i]) })
	}
	return append(list, p.zones()+" "+p.figures()+
		mark(with.psi || with.energy, " ± is the distance to the farther end of the 95 % interval"+mark(with.psi, " of psi")+mark(with.psi && with.energy, " and")+mark(with.energy, " of the energy")+".")+
		mark(p.powers != nil, " W is the power of a component while it runs, its energy by its running time"+p.powerRemark(with)+".")+
		mark((with.energy || !p.known(shown).energy) && slices.ContainsFunc(shown, p.unknownSpread), " ± of the energy is unknown for components that also ran in failed "+p.rowWord+"s.")+
		mark(!with.psi && p.r.Rounds > 1, " ± of psi is not known: the rounds are kept only for the ranking as it was measured.")+
		mark(with.rank, " ranks is the 95 % interval of #, where it is more than one.")+
		mark(has(func(c *record.Component) bool { return c.Tied }), " = is a tie: the intervals of neighbours overlap, either may come first.")+
		mark(has(func(c *record.Component) bool { return c.BelowResolution }), " ~ is below resolution: its energy is too uncertain to rely on."))
}

// inside says how much the components that are shown have of the whole.
func (p *sheet) inside() string {
	var joules, ms, psi float64
	for _, i := range p.order {
		joules, ms, psi = joules+p.share(i), ms+p.r.Components[i].Phi["time"], psi+p.r.Components[i].Psi
	}
	energy := ""
	if p.byComponent {
		energy = units.Percent(joules) + " % of the energy, "
	}
	return fmt.Sprintf("psi %s, %s%s %% of the time", units.Similarity(psi), energy, units.Percent(ms))
}

// zones says what the letters mean.
func (p *sheet) zones() string {
	if p.a.Zones.Rule != record.Absolute {
		return fmt.Sprintf("# and the zones (R red, Y yellow, G green) follow %s.", p.criterion.Words())
	}
	return fmt.Sprintf("# and the zones follow %s: R red, from a share of %v; Y yellow, from %v; G green.", p.criterion.Words(), max(0, p.a.Zones.Red), max(0, p.a.Zones.Yellow))
}

func (p *sheet) figures() string {
	if p.a.Inclusive {
		return "INCLUSIVE: energy and time count what a component calls, so the parts do not add up; shares are of the sums of these. Energy is per round; EPI, energy per invocation, is per execution." +
			mark(p.est != "", " est. is ESTIMATED by a model, not measured.")
	}
	switch counted := p.r.CallsCounted(); {
	case !counted && !p.byComponent:
		return "T is the share of the running time. Calls were not counted."
	case !counted:
		return "E and T are shares of the components' joules and running time; energy is per round. Calls were not counted." +
			mark(p.est != "", " est. is ESTIMATED by a model, not measured.")
	case !p.byComponent:
		return "N and T are shares of the executions and of the running time."
	}
	return "E, N and T are shares of the components' joules, executions and running time; energy is per round; EPI, energy per invocation, is per execution." +
		mark(p.est != "", " est. is ESTIMATED by a model, not measured.")
}
