package report

import (
	"slices"
	"strings"

	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// components are the ranking in columns, by rank.
type components struct {
	Prefixes []string `json:"prefixes"`
	Packages []string `json:"packages"`
	Files    []string `json:"files"`

	Name    []string  `json:"name"`   // short
	Prefix  []int     `json:"prefix"` // the id is the prefix and the name
	Package []int     `json:"package"`
	File    []int     `json:"file"`
	Line    []int     `json:"line"`
	Zone    string    `json:"zone"` // one letter each: R, Y, G, or - if unknown
	Marks   string    `json:"marks"`
	Psi     numbers   `json:"psi"`
	PsiLow  numbers   `json:"psi_low"` // of the 95 % interval; empty if unknown
	PsiHigh numbers   `json:"psi_high"`
	EnergyJ []numbers `json:"energy_j"` // by domain
	// EnergyLow and EnergyHigh are the ends of the 95 % interval of the energy in all
	// domains; empty if unknown.
	EnergyLow    numbers  `json:"energy_low"`
	EnergyHigh   numbers  `json:"energy_high"`
	N            numbers  `json:"n"`
	TimeMS       numbers  `json:"time_ms"`
	CumTimeMS    numbers  `json:"cum_time_ms"` // 0 = unknown
	CumEnergyJ   numbers  `json:"cum_energy_j"`
	Explanations []string `json:"explanations"` // of the first
	// Powers is nil where none is known.
	Powers *powers `json:"powers,omitempty"`
	// Structure is nil where that of no component is known.
	Structure *structures `json:"structure,omitempty"`
}

// powers are those of components in columns, in W; all 0 where one is not known.
type powers struct {
	Watts numbers `json:"watts"`
	Low   numbers `json:"low"` // of the 95 % interval, 0 with High where it is not known
	High  numbers `json:"high"`
	Ratio numbers `json:"ratio"` // to the mean of all components over their running time
}

func powersOf(r *record.Run) *powers {
	list := r.Powers()
	if list == nil || r.Analysis != nil && r.Analysis.Inclusive {
		return nil
	}
	p := &powers{}
	for _, of := range list {
		p.Watts, p.Low = append(p.Watts, of.Watts), append(p.Low, of.Low)
		p.High, p.Ratio = append(p.High, of.High), append(p.Ratio, of.Ratio)
	}
	return p
}

// structures are those of functions in columns; the complexity is 0 where it is not known.
type structures struct {
	Complexity  []int `json:"complexity"`
	LinesOfCode []int `json:"lines_of_code"`
	FanIn       []int `json:"fan_in"`
	FanOut      []int `json:"fan_out"`
}

func structuresOf(list []record.Component) *structures {
	if !slices.ContainsFunc(list, func(c record.Component) bool { return c.Known() }) {
		return nil
	}
	s := &structures{}
	for i := range list {
		of := list[i].Structure
		s.Complexity, s.LinesOfCode = append(s.Complexity, of.Complexity), append(s.LinesOfCode, of.LinesOfCode)
		s.FanIn, s.FanOut = append(s.FanIn, of.FanIn), append(s.FanOut, of.FanOut)
	}
	return s
}

// Marks of a component, as bits.
const (
	belowMark = 1
	tiedMark  = 2
)

// explained limits the components whose explanation is in the page: the others are green,
// and there is little to say about them.
const explained = 500

func newComponents(r *record.Run) components {
	n := len(r.Components)
	c := components{
		Name: shortNames(r), Prefix: make([]int, n), Package: make([]int, n), File: make([]int, n), Line: make([]int, n),
		Psi: make(numbers, n), N: make(numbers, n), TimeMS: make(numbers, n), CumTimeMS: make(numbers, n), CumEnergyJ: make(numbers, n),
		EnergyJ: make([]numbers, len(r.Matrix.Domains)), Explanations: make([]string, min(n, explained)),
	}
	for d := range c.EnergyJ {
		c.EnergyJ[d] = make(numbers, n)
	}
	prefixes, packages, files := newIndex(), newIndex(), newIndex()
	var zones, marks strings.Builder
	tallies := r.Tallies()
	for i := range r.Components {
		of := &r.Components[i]
		c.Prefix[i] = prefixes.of(strings.TrimSuffix(of.ID, c.Name[i]))
		c.Package[i], c.File[i], c.Line[i] = packages.of(of.Package), files.of(of.File), of.Line
		c.Psi[i], c.N[i], c.TimeMS[i] = of.Psi, tallies[i].N, tallies[i].TimeMS
		c.CumTimeMS[i], c.CumEnergyJ[i] = of.CumTimeMS, of.CumEnergyJ.Total()
		for d, joules := range tallies[i].EnergyJ {
			c.EnergyJ[d][i] = joules
		}
		if i < explained {
			moved := wording.Moved(of.ReadBytes, of.WrittenBytes, of.ReceivedBytes, of.SentBytes)
			c.Explanations[i] = strings.TrimSpace(of.Explanation + " " + moved)
		}
		zones.WriteByte(letter(of.Zone))
		marks.WriteByte(markOf(of))
	}
	c.Prefixes, c.Packages, c.Files = prefixes.List, packages.List, files.List
	c.Zone, c.Marks = zones.String(), marks.String()
	c.setIntervals(r)
	c.Powers, c.Structure = powersOf(r), structuresOf(r.Components)
	return c
}

func (c *components) setIntervals(r *record.Run) {
	psi, energy := false, false
	for i := range r.Components {
		low, high, known := r.PsiInterval(i)
		psi = psi || known
		c.PsiLow, c.PsiHigh = append(c.PsiLow, low), append(c.PsiHigh, high)
		low, high, known = r.Components[i].EnergyInterval()
		energy = energy || known
		c.EnergyLow, c.EnergyHigh = append(c.EnergyLow, low), append(c.EnergyHigh, high)
	}
	if !psi {
		c.PsiLow, c.PsiHigh = nil, nil
	}
	if !energy || r.Analysis != nil && r.Analysis.Inclusive {
		c.EnergyLow, c.EnergyHigh = nil, nil
	}
}

func shortNames(r *record.Run) []string {
	ids := make([]string, len(r.Components))
	for i := range ids {
		ids[i] = r.Components[i].ID
	}
	return append([]string{}, page.Shorten(ids, r.Workspace.Module)...)
}

func letter(z spell.Zone) byte {
	switch z {
	case spell.Red:
		return 'R'
	case spell.Yellow:
		return 'Y'
	case spell.Green:
		return 'G'
	}
	return '-'
}

func markOf(c *record.Component) byte {
	mark := byte('0')
	if c.BelowResolution {
		mark += belowMark
	}
	if c.Tied {
		mark += tiedMark
	}
	return mark
}
