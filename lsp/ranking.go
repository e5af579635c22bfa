package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/spell"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/page"
	"spell-lsp/spell/record"
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
	Line            int                         `json:"line"`  // where the function is now, from 1
	Stale           bool                        `json:"stale"` // it was edited, or is gone
	Gone            bool                        `json:"gone"`  // it is nowhere any more: file and line are where it was
	Estimated       bool                        `json:"estimated"`
	Change          *rankingChange              `json:"change,omitempty"` // without a baseline there is none

	Run    string        `json:"run"`
	Folder uri.URI       `json:"folder"` // that was measured
	Scope  string        `json:"scope"`  // what was measured, in words; "" for all of a folder
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
	shown := s.snapshots.now().results
	return func(ctx context.Context) (any, error) {
		rows := []rankingRow{}
		for _, l := range shown.listed(r, args.All) {
			list := l.ranked(order, args.Filter)
			if args.Top > 0 {
				list = list[:min(len(list), args.Top-len(rows))]
			}
			places, err := s.places(ctx, shown, l.result, list)
			if err != nil {
				return nil, err
			}
			for _, i := range list {
				row := s.row(l.result, i, places[i])
				row.Gone = places[i] == nil && shown.placed(l.result, i)
				rows = append(rows, row)
			}
		}
		return reply(rows)
	}, nil
}

// resultOf finds the result of a run, as long as it is shown, or else the newest of a file
// or folder; nil if there is none.
func (s *session) resultOf(run, u string) (*result, error) {
	r, err := s.resultAt(u)
	if err != nil || run == "" {
		return r, err
	}
	shown := s.snapshots.now().results
	return cmp.Or(shown.first(func(r *result) bool { return r.run.ID == run }), r), nil
}

// A listing is a result with those of its components that are to be listed.
type listing struct {
	*result
	lists func(component int) bool
}

// listed gives a result, if there is one, or all of them with what is not shown of a newer
// one and not hidden: what a view makes of a file.
func (rs *results) listed(r *result, all bool) []listing {
	switch {
	case all:
	case r == nil:
		return nil
	default:
		return []listing{{r, func(int) bool { return true }}}
	}
	var taken map[standsIn]bool
	if len(rs.list) > 1 { // of a single result nothing is covered, and it may be large
		taken = map[standsIn]bool{}
	}
	var list []listing
	for _, r := range rs.list {
		mine := rs.uncovered(r, taken)
		list = append(list, listing{r, func(i int) bool { return mine[i] }})
	}
	return list
}

// standsIn is a component in its file, of whatever result.
type standsIn struct{ path, id string }

// uncovered tells of each component whether it is shown: it is not hidden, and nothing
// newer has taken its place. It takes the places itself, unless taken is nil. What was
// loaded and has no marks anywhere is not hidden: the ranking is all that shows it.
func (rs *results) uncovered(r *result, taken map[standsIn]bool) []bool {
	mine, paths := make([]bool, len(r.run.Components)), map[string]string{}
	partly := r.loaded() && !rs.hidden(r) // some of it is marked
	for i := range r.run.Components {
		c := &r.run.Components[i]
		if !r.known[i] || r.hides(c) || c.Kind == spell.KindFunction && len(r.blocks) > 0 || partly && rs.hides(r, r.path(c.File)) {
			continue
		}
		mine[i] = true
		if taken == nil {
			continue
		}
		path, ok := paths[c.File]
		if !ok {
			path = r.path(c.File)
			paths[c.File] = path
		}
		at := standsIn{path, c.ID}
		mine[i], taken[at] = !taken[at], true
	}
	return mine
}

// ranked lists the components of which something is known that have a text in their
// ID or file, in an order.
func (l listing) ranked(order func(a, b *record.Component) int, filter string) []int {
	filter = strings.ToLower(filter)
	has := func(text string) bool { return filter == "" || strings.Contains(strings.ToLower(text), filter) }
	var list []int
	for i := range l.run.Components {
		c := &l.run.Components[i]
		if l.known[i] && l.lists(i) && (has(c.ID) || has(c.File)) {
			list = append(list, i)
		}
	}
	shown := l.counted().Components
	slices.SortFunc(list, func(a, b int) int {
		x, y := &shown[a], &shown[b]
		return cmp.Or(order(x, y), cmp.Compare(x.Rank, y.Rank))
	})
	return list
}

func (s *session) row(r *result, component int, at *place) rankingRow {
	c := &r.counted().Components[component]
	row := rankingRow{
		Rank: c.Rank, ID: c.ID, Name: calledIn(c), Kind: c.Kind, Package: c.Package,
		Zone: c.Zone, Psi: c.Psi, PsiCI: c.PsiCI, Phi: c.Phi, EnergyJ: c.EnergyJ, EnergyCI: c.EnergyCI,
		EPIJ: c.EPIJ, N: c.N, TimeMS: c.TimeMS, BelowResolution: c.BelowResolution,
		File: c.File, URI: s.snapshots.now().uriOf(r.path(c.File)), Line: c.Line,
		Stale: true, Estimated: r.run.Meter.Origin() == record.Estimated, Change: r.rowChange(c),
		Run: r.run.ID, Folder: s.snapshots.now().uriOf(r.dir), Scope: r.scope, Meter: page.Clean(r.run.Meter.Name + record.Elsewhere(r.run.Meter.Root)), Source: r.run.Meter.Origin(),
	}
	if at == nil {
		return row
	}
	row.URI, row.Line, row.Stale, row.Name = s.snapshots.now().uriOf(at.path), at.line, at.stale, at.name
	if rel, err := filepath.Rel(r.root, at.path); err == nil {
		row.File = filepath.ToSlash(rel)
	}
	return row
}

// placed reports whether a component had a place, and one that is shown.
func (rs *results) placed(r *result, component int) bool {
	there := r.run.Components[component].File != "" || r.clauses[component] != ""
	return there && !rs.hides(r, r.home(component))
}

func (r *result) rowChange(c *record.Component) *rankingChange {
	if r.baseline == nil {
		return nil
	}
	change := &rankingChange{Verdict: comparison.Undecided, Text: r.changeOf(c)}
	if what, q := r.baseline.of(c); q != nil {
		change.What, change.Relative, change.Verdict = what, q.Change, q.Verdict
	}
	return change
}

// A place is where a component stands now.
type place struct {
	path  string
	name  string
	line  int // from 1
	stale bool
}

// places finds components of a result of those that are listed: in their files and, as they may have
// moved, in others. Those that are gone have no place.
func (s *session) places(ctx context.Context, shown *results, r *result, components []int) (map[int]*place, error) {
	found := make(map[int]*place, len(components))
	seen := map[string]bool{}
	look := func(path string) {
		if seen[path] || ctx.Err() != nil {
			return
		}
		seen[path] = true
		v := s.views.ofListed(shown, r, path)
		if v == nil {
			return
		}
		for i := range v.marks {
			if m := &v.marks[i]; m.result.run == r.run {
				found[m.component] = &place{path, m.called(), int(v.source.Mapper().Position(m.From).Line) + 1, m.stale}
			}
		}
	}
	for _, i := range components {
		look(r.home(i))
	}
	searched := map[string]bool{}
	for _, i := range components {
		dir := filepath.Dir(r.home(i))
		if found[i] != nil || searched[dir] {
			continue
		}
		searched[dir] = true
		for _, path := range s.views.siblings(r, r.home(i)) {
			look(path)
		}
	}
	return found, ctx.Err()
}
