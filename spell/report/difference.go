package report

import (
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/comparison/rendering"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

// A difference is the comparison of BASE with the run; values of components are in columns.
type difference struct {
	Headline string            `json:"headline"`
	Caveats  []string          `json:"caveats"`
	Warnings []string          `json:"warnings"`
	Base     comparison.Side   `json:"base"`
	Pairs    int               `json:"pairs"`
	Level    float64           `json:"level"`
	Total    comparison.Total  `json:"total"`
	Energy   bool              `json:"energy"` // whether energy was compared
	Tests    []comparison.Test `json:"tests"`
	Removed  []comparison.Only `json:"removed"`
	Added    int               `json:"added"` // components that are not in BASE
	Reasons  []string          `json:"reasons"`
	Of       []int             `json:"of"` // the component of the run
	EnergyJ  quantities        `json:"energy_j"`
	TimeMS   quantities        `json:"time_ms"`
	BaseN    numbers           `json:"base_n"`
	HeadN    numbers           `json:"head_n"`
	BasePsi  numbers           `json:"base_psi"`
	BaseZone string            `json:"base_zone"` // a letter each
	Notes    map[int]string    `json:"notes"`     // by component of the run
}

// quantities are values of comparison.Quantity in columns.
type quantities struct {
	Base    numbers  `json:"base"`
	Head    numbers  `json:"head"`
	Low     numbers  `json:"low"` // of the 95 % interval of the relative change; both 0 if unknown
	High    numbers  `json:"high"`
	P       numbers  `json:"p"`       // corrected p-value; -1 = not tested
	Verdict verdicts `json:"verdict"` // one letter each: b better, w worse, u unchanged, ? undecided
	Reason  []int    `json:"reason"`  // index of the reason why it is undecided, or -1
}

func newDifference(r *record.Run, c *comparison.Comparison) *difference {
	d := &difference{
		Headline: rendering.Headline(c, wording.CommandLine), Caveats: c.Caveats, Warnings: c.Warnings, Base: c.Base, Pairs: c.Pairs, Level: c.Level,
		Total: c.Total, Energy: len(c.ComponentDomains) > 0, Tests: c.Tests, Removed: c.Removed, Added: len(c.Added),
		Of: []int{}, Notes: make(map[int]string),
	}
	at := make(map[string]int, len(r.Components))
	for i := range r.Components {
		at[r.Components[i].ID] = i
	}
	reasons := newIndex()
	var zones []byte
	for i := range c.Components {
		of := &c.Components[i]
		d.Of = append(d.Of, at[of.ID])
		d.EnergyJ.add(&of.EnergyJ, reasons)
		d.TimeMS.add(&of.TimeMS, reasons)
		d.BaseN, d.HeadN, d.BasePsi = append(d.BaseN, of.N.Base), append(d.HeadN, of.N.Head), append(d.BasePsi, of.Psi.Base)
		zones = append(zones, letter(of.BaseZone))
		if of.Note != "" {
			d.Notes[at[of.ID]] = of.Note
		}
	}
	d.Reasons, d.BaseZone = reasons.List, string(zones)
	return d
}

// letters of the verdicts.
var letters = map[comparison.Verdict]byte{comparison.Better: 'b', comparison.Worse: 'w', comparison.Unchanged: 'u', comparison.Undecided: '?'}

type verdicts []byte

// MarshalText writes them as a string.
func (v verdicts) MarshalText() ([]byte, error) { return v, nil }

func (q *quantities) add(of *comparison.Quantity, reasons *index) {
	q.Base, q.Head = append(q.Base, of.Base), append(q.Head, of.Head)
	var low, high float64
	if of.ChangeCI != nil {
		low, high = of.ChangeCI[0], of.ChangeCI[1]
	}
	q.Low, q.High = append(q.Low, low), append(q.High, high)
	p := -1.0
	if of.PCorrected != nil {
		p = *of.PCorrected
	}
	q.P = append(q.P, p)
	q.Verdict = append(q.Verdict, letters[of.Verdict])
	reason := -1
	if of.Reason != "" {
		reason = reasons.of(of.Reason)
	}
	q.Reason = append(q.Reason, reason)
}
