package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/lsp/render"
	"spell-lsp/lsp/results"
	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/note"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
	"spell-lsp/spell/wording"
)

type rankingArguments struct {
	Top    int    `json:"top,omitempty"` // 0 for all
	Sort   string `json:"sort,omitempty"`
	URI    string `json:"uri,omitempty"`    // of a file or folder, selects its newest result; empty for the newest of all
	Run    string `json:"run,omitempty"`    // selects the result of this run if it is still shown: one file may show several runs
	Filter string `json:"filter,omitempty"` // a text that the ID or the file must contain; case is ignored
	// All lists the components of all results that are shown, result by result, the newest
	// first: psi and rank of different results cannot be compared.
	All bool `json:"all,omitempty"`
	// At is the place of a lens whose function is one of several alternatives. A client that can show a hover shows
	// that comparison there: the run may have no components.
	At *protocol.Position `json:"at,omitempty"`
}

// A rankingRow is a component as the command ranking returns it.
type rankingRow struct {
	Rank            int                         `json:"rank"`
	ID              string                      `json:"id"`
	Name            string                      `json:"name"` // the current name in its file
	Kind            spell.Kind                  `json:"kind"`
	Function        string                      `json:"function,omitempty"` // of a block: the ID of its function
	Package         string                      `json:"package"`
	Zone            spell.Zone                  `json:"zone"`
	Psi             float64                     `json:"psi"`
	PsiCI           [2]float64                  `json:"psi_ci"`
	Phi             map[string]float64          `json:"phi"`
	Share           float64                     `json:"share"` // of the energy of all components, 0 to 1; of the time or executions where that is not known
	EnergyJ         record.Energy               `json:"energy_j"`
	EnergyCI        map[spell.Domain][2]float64 `json:"energy_ci_j,omitempty"`
	EPIJ            float64                     `json:"epi_j"`
	N               float64                     `json:"n"`
	TimeMS          float64                     `json:"time_ms"`
	BelowResolution bool                        `json:"below_resolution"`
	File            string                      `json:"file"`
	URI             uri.URI                     `json:"uri"`
	Line            int                         `json:"line"`            // of the name now, from 1
	Column          int                         `json:"column"`          // of the name now in bytes, from 1; 0 if it is not known
	Text            string                      `json:"text"`            // what it used, in words
	Stale           bool                        `json:"stale"`           // edited or deleted since it was measured
	Notes           []note.Note                 `json:"notes,omitempty"` // what changed since it was measured
	Gone            bool                        `json:"gone"`            // not found any more: file and line are those of the measurement
	Estimated       bool                        `json:"estimated"`
	Change          *rankingChange              `json:"change,omitempty"` // nil without a baseline

	Run    string        `json:"run"`
	Folder uri.URI       `json:"folder"` // the measured folder
	Scope  string        `json:"scope"`  // what was measured, in words; "" only for the whole folder
	Meter  string        `json:"meter"`  // its name, with the machine if it is another, and the folder of its counters if they are not the system's
	Source record.Source `json:"source"` // measured, estimated or none; "" if unknown
}

// A rankingChange says how a component changed since the baseline.
type rankingChange struct {
	What     string             `json:"what"`     // energy, or time if no energy was compared; "" if the baseline lacks the component
	Relative *float64           `json:"relative"` // (now - then) / then; null if unknown
	Verdict  comparison.Verdict `json:"verdict"`  // better and worse are significant
	Text     string             `json:"text"`     // the change in words; "" if there is nothing to say
}

// orders are the orders of a ranking by name, each with the largest value first.
var orders = map[string]func(a, b *record.Component) int{
	"":       func(a, b *record.Component) int { return cmp.Compare(a.Rank, b.Rank) },
	"rank":   func(a, b *record.Component) int { return cmp.Compare(a.Rank, b.Rank) },
	"psi":    func(a, b *record.Component) int { return cmp.Compare(b.Psi, a.Psi) },
	"energy": func(a, b *record.Component) int { return cmp.Compare(b.EnergyJ.Total(), a.EnergyJ.Total()) },
	"time":   func(a, b *record.Component) int { return cmp.Compare(b.TimeMS, a.TimeMS) },
	"n":      func(a, b *record.Component) int { return cmp.Compare(b.N, a.N) },
	"epi":    func(a, b *record.Component) int { return cmp.Compare(b.EPIJ, a.EPIJ) },
}

// ranking returns the measured components of one result or of all.
func (s *session) ranking(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	args, err := arguments[rankingArguments](raw)
	if err != nil {
		return nil, err
	}
	order := orders[args.Sort]
	switch {
	case order == nil:
		return nil, fmt.Errorf("sort is %q, must be rank, psi, energy, time, n or epi", args.Sort)
	case args.Top < 0:
		return nil, fmt.Errorf("top is %d, must be a number of rows, or 0 for all", args.Top)
	case args.All && (args.URI != "" || args.Run != ""):
		return nil, errors.New("all lists the results of all folders and cannot be combined with uri or run")
	}
	r, err := s.resultOf(args.Run, args.URI)
	if err != nil {
		return nil, err
	}
	shown := s.snapshots.Current().Results
	return func(ctx context.Context) (any, error) {
		rows := []rankingRow{}
		for _, l := range shown.Listed(r, args.All) {
			list := l.Ranked(order, args.Filter)
			if args.Top > 0 {
				list = list[:min(len(list), args.Top-len(rows))]
			}
			places, err := s.places(ctx, shown, l.Result, list)
			if err != nil {
				return nil, err
			}
			for _, i := range list {
				row := s.row(l.Result, i, places[i])
				row.Gone = places[i] == nil && shown.Placed(l.Result, i)
				rows = append(rows, row)
			}
		}
		return reply(rows)
	}, nil
}

// resultOf finds the result of a run if it is shown, else the newest result of a file or
// folder; nil if there is none.
func (s *session) resultOf(run, u string) (*results.Result, error) {
	r, err := s.resultAt(u)
	if err != nil || run == "" {
		return r, err
	}
	shown := s.snapshots.Current().Results
	return cmp.Or(shown.First(func(r *results.Result) bool { return r.Run.ID == run }), r), nil
}

func (s *session) row(r *results.Result, component int, at *place) rankingRow {
	c := &r.Counted().Components[component]
	row := rankingRow{
		Rank: c.Rank, ID: c.ID, Name: results.NameInFile(c), Kind: c.Kind, Function: results.BlockOf(c), Package: c.Package,
		Zone: c.Zone, Psi: c.Psi, PsiCI: c.PsiCI, Phi: c.Phi, Share: r.Shares()[component], EnergyJ: c.EnergyJ, EnergyCI: c.EnergyCI,
		EPIJ: c.EPIJ, N: c.N, TimeMS: c.TimeMS, BelowResolution: c.BelowResolution,
		File: c.File, URI: s.snapshots.Current().URI(r.Path(c.File)), Line: c.Line, Column: c.Column, Text: render.Used(r, c),
		Stale: true, Estimated: r.Run.Meter.Origin() == record.Estimated, Change: rowChange(r, c),
		Run: r.Run.ID, Folder: s.snapshots.Current().URI(r.Dir), Scope: r.Scope, Meter: page.Clean(r.Run.Meter.Name + render.On(r.Run) + wording.CounterRoot(r.Run.Meter.Root)), Source: r.Run.Meter.Origin(),
	}
	if at == nil {
		return row
	}
	row.URI, row.Line, row.Column, row.Stale, row.Notes, row.Name = s.snapshots.Current().URI(at.path), at.line, at.column, at.stale, at.notes, at.name
	if rel, err := filepath.Rel(r.Root, at.path); err == nil {
		row.File = filepath.ToSlash(rel)
	}
	return row
}

func rowChange(r *results.Result, c *record.Component) *rankingChange {
	if r.Baseline == nil {
		return nil
	}
	change := &rankingChange{Verdict: comparison.Undecided, Text: render.ChangeOf(r, c)}
	if what, q := r.Baseline.Of(c); q != nil {
		change.What, change.Relative, change.Verdict = what, q.Change, q.Verdict
	}
	return change
}

// places finds where components of a result are now: in their files and, because they may
// have moved, in other files of these folders. A component that is not found has no place.
func (s *session) places(ctx context.Context, shown *results.Layers, r *results.Result, components []int) (map[int]*place, error) {
	found := make(map[int]*place, len(components))
	seen := map[string]bool{}
	look := func(path string) {
		if seen[path] || ctx.Err() != nil {
			return
		}
		seen[path] = true
		v := s.views.ViewOf(shown, r, path)
		if v == nil {
			return
		}
		for i := range v.Marks {
			if m := &v.Marks[i]; m.Result.Run == r.Run {
				column := m.From - strings.LastIndexByte(v.Source.Text[:m.From], '\n')
				found[m.Index] = &place{path, m.Called(), int(v.Source.Mapper().Position(m.From).Line) + 1, column, m.Stale, m.Notes()}
			}
		}
	}
	for _, i := range components {
		look(r.File(i))
	}
	searched := map[string]bool{}
	for _, i := range components {
		dir := filepath.Dir(r.File(i))
		if found[i] != nil || searched[dir] {
			continue
		}
		searched[dir] = true
		for _, path := range s.views.Siblings(r, r.File(i)) {
			look(path)
		}
	}
	return found, ctx.Err()
}

// A place is the current place of a component.
type place struct {
	path   string
	name   string
	line   int // from 1
	column int // in bytes, from 1
	stale  bool
	notes  []note.Note
}
