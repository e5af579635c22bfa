package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

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
	Top    int    `json:"top"` // 0 for all
	Sort   string `json:"sort"`
	URI    string `json:"uri"`    // of a file or folder: its result; empty for the newest
	Run    string `json:"run"`    // the result of this run, as long as it is shown: of a file, parts may be of several
	Filter string `json:"filter"` // what the ID or file must have in it, in any case
	// All is for all that is shown, not of one result only. The rows are by result, the
	// newest first: psi and rank of one say nothing beside those of another.
	All bool `json:"all"`
}

// A rankingRow is a component as the command ranking returns it.
type rankingRow struct {
	Rank            int                         `json:"rank"`
	ID              string                      `json:"id"`
	Name            string                      `json:"name"` // in its file, as it is now
	Kind            spell.Kind                  `json:"kind"`
	Function        string                      `json:"function,omitempty"` // of a block: the ID of its function
	Package         string                      `json:"package"`
	Zone            spell.Zone                  `json:"zone"`
	Psi             float64                     `json:"psi"`
	PsiCI           [2]float64                  `json:"psi_ci"`
	Phi             map[string]float64          `json:"phi"`
	EnergyJ         record.Energy               `json:"energy_j"`
	EnergyCI        map[spell.Domain][2]float64 `json:"energy_ci_j,omitempty"`
	EPIJ            float64                     `json:"epi_j"`
	N               float64                     `json:"n"`
	TimeMS          float64                     `json:"time_ms"`
	BelowResolution bool                        `json:"below_resolution"`
	File            string                      `json:"file"`
	URI             uri.URI                     `json:"uri"`
	Line            int                         `json:"line"`            // where the function is now, from 1
	Stale           bool                        `json:"stale"`           // it was edited, or is gone
	Notes           []note.Note                 `json:"notes,omitempty"` // what became of it since it was measured
	Gone            bool                        `json:"gone"`            // it is nowhere any more: file and line are where it was
	Estimated       bool                        `json:"estimated"`
	Change          *rankingChange              `json:"change,omitempty"` // without a baseline there is none

	Run    string        `json:"run"`
	Folder uri.URI       `json:"folder"` // that was measured
	Scope  string        `json:"scope"`  // what was measured, in words; "" is all of the folder, and nothing else is
	Meter  string        `json:"meter"`  // its name, and below which folder it read counters that are not the system's
	Source record.Source `json:"source"` // measured, estimated or none; "" where it is not known
}

// A rankingChange says how a component changed since the baseline.
type rankingChange struct {
	What     string             `json:"what"`     // energy, or time where no energy was compared; "" of what the baseline does not have
	Relative *float64           `json:"relative"` // (now - then) / then; null where it is not known
	Verdict  comparison.Verdict `json:"verdict"`  // better and worse are significant
	Text     string             `json:"text"`     // in words; "" where nothing can be said
}

// orders are the ways to sort a ranking, each from much to little.
var orders = map[string]func(a, b *record.Component) int{
	"":       func(a, b *record.Component) int { return cmp.Compare(a.Rank, b.Rank) },
	"psi":    func(a, b *record.Component) int { return cmp.Compare(a.Rank, b.Rank) },
	"energy": func(a, b *record.Component) int { return cmp.Compare(b.EnergyJ.Total(), a.EnergyJ.Total()) },
	"time":   func(a, b *record.Component) int { return cmp.Compare(b.TimeMS, a.TimeMS) },
	"n":      func(a, b *record.Component) int { return cmp.Compare(b.N, a.N) },
	"epi":    func(a, b *record.Component) int { return cmp.Compare(b.EPIJ, a.EPIJ) },
}

// ranking returns the measured components of the result of a file or folder,
// of the newest one, or of all.
func (s *session) ranking(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	args, err := arguments[rankingArguments](raw)
	if err != nil {
		return nil, err
	}
	order := orders[args.Sort]
	switch {
	case order == nil:
		return nil, fmt.Errorf("sort is %q, must be psi, energy, time, n or epi", args.Sort)
	case args.Top < 0:
		return nil, fmt.Errorf("top is %d, must be a number of rows, or 0 for all", args.Top)
	case args.All && (args.URI != "" || args.Run != ""):
		return nil, errors.New("all is for what is shown of all folders: leave it out, or uri and run")
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

// resultOf finds the result of a run, as long as it is shown, or else the newest of a file
// or folder; nil if there is none.
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
		Zone: c.Zone, Psi: c.Psi, PsiCI: c.PsiCI, Phi: c.Phi, EnergyJ: c.EnergyJ, EnergyCI: c.EnergyCI,
		EPIJ: c.EPIJ, N: c.N, TimeMS: c.TimeMS, BelowResolution: c.BelowResolution,
		File: c.File, URI: s.snapshots.Current().URI(r.Path(c.File)), Line: c.Line,
		Stale: true, Estimated: r.Run.Meter.Origin() == record.Estimated, Change: rowChange(r, c),
		Run: r.Run.ID, Folder: s.snapshots.Current().URI(r.Dir), Scope: r.Scope, Meter: page.Clean(r.Run.Meter.Name + wording.CounterRoot(r.Run.Meter.Root)), Source: r.Run.Meter.Origin(),
	}
	if at == nil {
		return row
	}
	row.URI, row.Line, row.Stale, row.Notes, row.Name = s.snapshots.Current().URI(at.path), at.line, at.stale, at.notes, at.name
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

// places finds components of a result of those that are listed: in their files and, as they may have
// moved, in others. Those that are gone have no place.
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
				found[m.Index] = &place{path, m.Called(), int(v.Source.Mapper().Position(m.From).Line) + 1, m.Stale, m.Notes()}
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

// A place is where a component stands now.
type place struct {
	path  string
	name  string
	line  int // from 1
	stale bool
	notes []note.Note
}
