package text

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

// sorts are the values of Options.Sort, each with what it sorts by.
var sorts = []struct {
	name string
	key  func(*page, int) float64
}{
	{"psi", func(p *page, i int) float64 { return p.r.Components[i].Psi }},
	{"energy", func(p *page, i int) float64 { return p.joules[i] }},
	{"time", func(p *page, i int) float64 { return p.r.Components[i].Phi["time"] }},
	{"n", func(p *page, i int) float64 { return p.r.Components[i].Phi["n"] }},
	{"epi", func(p *page, i int) float64 { return p.r.Components[i].EPIJ }},
}

// sorted returns the components in the order in which they are shown; ties by
// rank.
func (p *page) sorted() ([]int, error) {
	if p.o.Sort == "" {
		p.o.Sort = "psi"
	}
	var known []string
	for _, s := range sorts {
		if s.name != p.o.Sort {
			known = append(known, s.name)
			continue
		}
		order := make([]int, len(p.r.Components))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Or(cmp.Compare(s.key(p, j), s.key(p, i)), cmp.Compare(p.r.Components[i].Rank, p.r.Components[j].Rank))
		})
		return order, nil
	}
	return nil, fmt.Errorf("sorting the ranking: there is no order %q, must be one of %s", p.o.Sort, strings.Join(known, ", "))
}

// ranking writes the table of components.
func (p *page) ranking() {
	p.b.WriteByte('\n')
	if len(p.order) == 0 {
		p.paragraph("", "Nothing to rank: no component ran in these tests.")
		return
	}
	shown := p.order[:p.limit(len(p.order))]
	t, with := p.fitting(shown)
	t.write(&p.b, p.o.Color)
	p.legend(shown, with)
}

func (p *page) table(shown []int, with intervals) *table {
	t := &table{columns: p.columns(with)}
	for _, i := range shown {
		t.add(p.row(i, with)...)
	}
	return t
}

func (p *page) columns(with intervals) []column {
	columns := []column{{head: "#", right: true}}
	if with.rank {
		columns = append(columns, column{head: "ranks"})
	}
	columns = append(columns, column{head: "zone"}, column{head: "psi", right: true})
	if with.psi {
		columns = append(columns, column{head: "±", right: true})
	}
	if p.energy {
		columns = append(columns, column{head: "E %", over: p.est, right: true})
	}
	columns = append(columns, column{head: "N %", right: true}, column{head: "T %", right: true})
	if p.energy {
		columns = append(columns, column{head: "energy", over: p.est, right: true})
	}
	if with.energy {
		columns = append(columns, column{head: "±", right: true})
	}
	if p.energy {
		columns = append(columns, column{head: "EPI", over: p.est, right: true})
	}
	return append(columns, column{head: clean(string(cmp.Or(p.r.Granularity, spell.KindFunction))), cap: 40}, column{head: "place"})
}

func (p *page) row(i int, with intervals) []cell {
	c := &p.r.Components[i]
	row := []cell{{text: strconv.Itoa(c.Rank)}}
	if with.rank {
		row = append(row, cell{text: p.ranks(i)})
	}
	row = append(row, zone(c), cell{text: similarity(c.Psi)})
	if with.psi {
		row = append(row, cell{text: p.spread(i)})
	}
	if p.energy {
		row = append(row, cell{text: percent(p.share(i))})
	}
	row = append(row, cell{text: percent(c.Phi["n"])}, cell{text: percent(c.Phi["time"])})
	if p.energy {
		row = append(row, cell{text: quantity(p.joules[i], "J")})
	}
	if with.energy {
		row = append(row, cell{text: p.energySpread(i)})
	}
	if p.energy {
		row = append(row, cell{text: quantity(c.EPIJ, "J")})
	}
	return append(row, cell{text: p.names.components[i]}, cell{text: location(c)})
}

// zone is the letter of the zone with the marks of ties and resolution.
func zone(c *record.Component) cell {
	z, ok := map[spell.Zone]cell{spell.Red: {"R", red}, spell.Yellow: {"Y", yellow}, spell.Green: {"G", green}}[c.Zone]
	if !ok {
		z = cell{text: "-"}
	}
	if c.Tied {
		z.text += " ="
	}
	if c.BelowResolution {
		z.text += " ~"
	}
	return z
}

// share is the component's part of the joules of all components.
func (p *page) share(i int) float64 {
	if p.all == 0 {
		return 0
	}
	return p.joules[i] / p.all
}

func location(c *record.Component) string {
	if c.File == "" || c.Line == 0 {
		return c.File
	}
	return c.File + ":" + strconv.Itoa(c.Line)
}

// legend explains the table, and only what is in it.
func (p *page) legend(shown []int, with intervals) {
	if p.o.Sort != "psi" {
		p.paragraph("", "Sorted by "+p.o.Sort+"; # is the rank by psi.")
	}
	if more := len(p.order) - len(shown); more > 0 {
		p.paragraph("", plural(more, "more component")+" not shown.")
	}
	has := func(set func(*record.Component) bool) bool {
		return slices.ContainsFunc(shown, func(i int) bool { return set(&p.r.Components[i]) })
	}
	p.paragraph("", "Zones: R red, Y yellow, G green. "+p.figures()+
		mark(with.psi || with.energy, " ± reaches the farther end of the 95 % interval"+mark(with.psi, " of psi")+mark(with.psi && with.energy, " and")+mark(with.energy, " of the energy")+".")+
		mark(with.rank, " ranks is the 95 % interval of #, where it is more than one.")+
		mark(has(func(c *record.Component) bool { return c.Tied }), " = is a tie: the intervals of neighbours overlap, either may come first.")+
		mark(has(func(c *record.Component) bool { return c.BelowResolution }), " ~ is below resolution: too little ran for the meter to tell its energy."))
}

func (p *page) figures() string {
	if !p.energy {
		return "N and T are shares of the executions and of the running time."
	}
	return "E, N and T are shares of the components' joules, executions and running time; energy is per round, EPI per execution." +
		mark(p.est != "", " est. is ESTIMATED by a model, not measured.")
}
