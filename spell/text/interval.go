package text

import (
	"fmt"

	"spell-lsp/spell/page"
	"spell-lsp/spell/units"
)

// intervals says which intervals have a column.
type intervals struct{ psi, rank, energy bool }

// fitting returns the table of the shown components with the known intervals. If it is wider
// than the page, it leaves out the interval of the energy, then that of the rank.
func (p *sheet) fitting(shown []int) (*page.Table, intervals) {
	all := p.known(shown)
	for _, with := range []intervals{all, {psi: all.psi, rank: all.rank}} {
		if t := p.table(shown, with); t.Width() <= p.width() {
			return t, with
		}
	}
	with := intervals{psi: all.psi}
	return p.table(shown, with), with
}

// known says which intervals are known of the components that are shown.
func (p *sheet) known(shown []int) intervals {
	has := func(text func(int) string) bool {
		for _, i := range shown {
			if text(i) != "" {
				return true
			}
		}
		return false
	}
	return intervals{psi: has(p.spread), rank: has(p.ranks), energy: p.byComponent && has(p.energySpread)}
}

// spread is the distance from psi to the farther end of its interval.
func (p *sheet) spread(i int) string {
	low, high, ok := p.r.PsiInterval(i)
	if !ok {
		return ""
	}
	psi := p.r.Components[i].Psi
	return "±" + units.Similarity(max(psi-low, high-psi))
}

// ranks is the interval of the rank, if it is more than the rank itself.
func (p *sheet) ranks(i int) string {
	c := &p.r.Components[i]
	if c.RankCI == [2]int{} || c.RankCI == [2]int{c.Rank, c.Rank} {
		return ""
	}
	return fmt.Sprintf("%d-%d", c.RankCI[0], c.RankCI[1])
}

// unknownSpread tells whether the interval of the energy is known only over all tests, some of
// which the analysis leaves out.
func (p *sheet) unknownSpread(i int) bool {
	return !p.a.Inclusive && p.r.Components[i].EnergyCI == nil && p.measured[i].EnergyCI != nil
}

// energySpread is the distance from the energy of all domains to the farther
// end of its interval, as a share.
func (p *sheet) energySpread(i int) string {
	c := &p.r.Components[i]
	low, high, ok := c.EnergyInterval()
	total := c.EnergyJ.Total()
	if !ok || total == 0 || p.a.Inclusive {
		return ""
	}
	switch off := max(total-low, high-total) / total; {
	case off < 0.005:
		return "±<1 %"
	case off > 9.99:
		return "±>999 %"
	default:
		return fmt.Sprintf("±%.0f %%", 100*off)
	}
}
