package report

import (
	"spell-lsp/spell"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/ranking"
	"spell-lsp/spell/text"
)

// A document is the run as the page reads it: columns, so that a hundred thousand
// components stay small. Numbers are per round. Whatever the page can derive, as
// shares and energy per invocation, is not in it. vscode-client/report/data.ts has
// the same.
type document struct {
	Title   string         `json:"title"`
	Started string         `json:"started,omitempty"` // RFC 3339
	Run     string         `json:"run"`
	Partial bool           `json:"partial,omitempty"`
	Source  string         `json:"source"`         // measured, estimated, none, or "" where it is not known
	Root    string         `json:"root,omitempty"` // of the counters, where it is not the system's
	Domains []spell.Domain `json:"domains"`        // whose energy is known by component
	Weights numbers        `json:"weights"`        // of the domains, in psi
	Kind    spell.Kind     `json:"kind"`
	Rounds  int            `json:"rounds"`
	Seed    uint32         `json:"seed,omitempty"`
	Sort    string         `json:"sort"`
	Top     int            `json:"top"` // components of a chart
	// Inclusive says that energy and time of components are with what they call.
	Inclusive bool `json:"inclusive,omitempty"`

	Honesty    honesty     `json:"honesty"`
	Components components  `json:"components"`
	Tests      tests       `json:"tests"`
	Timeline   timeline    `json:"timeline"`
	Cells      cells       `json:"cells"`
	Tree       tree        `json:"tree"`
	Comparison *difference `json:"comparison,omitempty"`
}

// honesty is what a reader must know to take the figures for what they are.
type honesty struct {
	text.Words
	// Parts are what the energy of the tests went to that belongs to no component.
	Parts           []part  `json:"parts"`
	UnattributedJ   float64 `json:"unattributed_j"`
	AllJ            float64 `json:"all_j"`
	BelowResolution int     `json:"below_resolution"`
	Intervals       bool    `json:"intervals"` // of psi are known
}

type part struct {
	Name    record.Part `json:"name"`
	EnergyJ float64     `json:"energy_j"`
}

// mostInChart is how many components a chart shows at most.
const mostInChart = 100

// newDocument has values of components and of the call tree that are of the tests that
// the analysis counts: intervals and cumulative values too.
func newDocument(r *record.Run, o Options) *document {
	r = ranking.Counted(r)
	d := &document{
		Title: title(r), Run: r.ID, Partial: r.Partial, Source: string(r.Meter.Origin()), Root: r.Meter.Root,
		Domains: append([]spell.Domain{}, r.Matrix.Domains...), Kind: r.Granularity, Rounds: r.Rounds, Seed: r.Seed,
		Sort: o.Sort, Top: min(page.Shown(o.Top, len(r.Components)), mostInChart),
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
	d.Honesty = newHonesty(r, text.Options{Rates: o.Rates})
	d.Components = newComponents(r)
	d.Tests = newTests(r)
	d.Timeline = newTimeline(r)
	d.Cells = newCells(r, d.Top)
	d.Tree = newTree(r)
	if o.Comparison != nil {
		d.Comparison = newDifference(r, o.Comparison)
	}
	return d
}

func newHonesty(r *record.Run, o text.Options) honesty {
	h := honesty{Words: text.WordsOf(r, o), Parts: []part{}}
	parts, left, all := r.Unattributed()
	for _, name := range []record.Part{record.Idle, record.Children, record.Others, record.Collector, record.Scheduler, record.TestCode, record.Probes, record.Sampler, record.NotByFunction} {
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
