package report

import (
	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/text"
)

// A document is the run as the page reads it: in columns, which keeps a hundred thousand
// components small. Numbers are per round. Values that the page can derive, such as shares
// and energy per invocation, are left out. vscode-client/report/data.ts has the same types.
type document struct {
	Title   string         `json:"title"`
	Started string         `json:"started,omitempty"` // RFC 3339
	Run     string         `json:"run"`
	Source  string         `json:"source"`         // measured, estimated, none, or "" = unknown
	Root    string         `json:"root,omitempty"` // of the counters, if not the system's
	Domains []spell.Domain `json:"domains"`        // whose energy is known by component
	Weights numbers        `json:"weights"`        // of the domains, in psi
	Kind    spell.Kind     `json:"kind"`
	Rounds  int            `json:"rounds"`
	Seed    uint32         `json:"seed,omitempty"`
	Row     string         `json:"row,omitempty"` // what a test is called, if not a test
	Sort    string         `json:"sort"`          // "" = by rank
	// Criterion is what the ranks and zones follow.
	Criterion spell.Criterion `json:"criterion"`
	Top       int             `json:"top"` // components of a chart
	// Inclusive says that energy and time of components are cumulative.
	Inclusive bool `json:"inclusive,omitempty"`

	Honesty    honesty     `json:"honesty"`
	Components components  `json:"components"`
	Tests      tests       `json:"tests"`
	Timeline   timeline    `json:"timeline"`
	Cells      cells       `json:"cells"`
	Tree       tree        `json:"tree"`
	Growths    []growth    `json:"growths,omitempty"` // those with a formula, the steepest first
	Comparison *difference `json:"comparison,omitempty"`
}

// honesty qualifies the figures: how far they can be trusted, and what they leave out.
type honesty struct {
	text.Words
	// Parts break down the unattributed energy of the tests.
	Parts           []part  `json:"parts"`
	UnattributedJ   float64 `json:"unattributed_j"`
	AllJ            float64 `json:"all_j"`
	BelowResolution int     `json:"below_resolution"`
	Intervals       bool    `json:"intervals"` // whether intervals of psi are known
}

type part struct {
	Name    record.Part `json:"name"`
	EnergyJ float64     `json:"energy_j"`
}

// maxChartComponents limits the components of a chart.
const maxChartComponents = 100

// newDocument takes all values of components and of the call tree, including intervals and
// cumulative values, from the tests that the analysis counts.
func newDocument(r *record.Run, o Options) *document {
	r = ranking.Counted(r)
	d := &document{
		Title: title(r), Run: r.ID, Source: string(r.Meter.Origin()), Root: r.Meter.Root,
		Domains: append([]spell.Domain{}, r.Matrix.Domains...), Kind: r.Granularity, Rounds: r.Rounds, Seed: r.Seed,
		Sort: o.Sort, Top: min(page.Shown(o.Top, len(r.Components)), maxChartComponents),
	}
	_, d.Criterion = r.Scores(r.Tallies())
	if word := r.RowWord(); word != record.TestRow {
		d.Row = word
	}
	if !r.Started.IsZero() {
		d.Started = r.Started.UTC().Format("2006-01-02T15:04:05Z")
	}
	if r.Analysis != nil {
		d.Inclusive = r.Analysis.Inclusive
		for _, domain := range r.Matrix.Domains {
			d.Weights = append(d.Weights, r.Analysis.Weights[domain])
		}
	}
	d.Honesty = newHonesty(r, o)
	d.Components = newComponents(r)
	d.Tests = newTests(r)
	d.Timeline = newTimeline(r)
	d.Cells = newCells(r, d.Top)
	d.Tree = newTree(r)
	d.Growths = newGrowths(r)
	if o.Comparison != nil {
		d.Comparison = newDifference(r, o.Comparison)
	}
	return d
}

func newHonesty(r *record.Run, o Options) honesty {
	h := honesty{Words: text.WordsOf(r, o.Rates, o.Source), Parts: []part{}}
	parts, left, all := r.Unattributed()
	for _, name := range []record.Part{record.Idle, record.Strays, record.Children, record.Others, record.Collector, record.Scheduler, record.TestCode, record.OutsideCode, record.Probes, record.Sampler, record.MovedByNone, record.NotByFunction, record.Unsampled} {
		if parts[name] > 0 {
			h.Parts = append(h.Parts, part{name, parts[name]})
		}
	}
	h.UnattributedJ, h.AllJ = left, all
	for i := range r.Components {
		if r.Components[i].BelowResolution {
			h.BelowResolution++
		}
		_, _, known := r.PsiInterval(i)
		h.Intervals = h.Intervals || known
	}
	return h
}
