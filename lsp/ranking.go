package lsp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"spell-lsp/spell"
	"spell-lsp/spell/record"
)

type rankingArguments struct {
	Top  int    `json:"top"` // 0 for all
	Sort string `json:"sort"`
	URI  string `json:"uri"` // of a file or folder: its result; empty for the newest
}

// A rankingRow is a component as the command ranking returns it.
type rankingRow struct {
	Rank      int                `json:"rank"`
	ID        string             `json:"id"`
	Zone      spell.Zone         `json:"zone"`
	Psi       float64            `json:"psi"`
	PsiCI     [2]float64         `json:"psi_ci"`
	Phi       map[string]float64 `json:"phi"`
	EnergyJ   record.Energy      `json:"energy_j"`
	EPIJ      float64            `json:"epi_j"`
	N         float64            `json:"n"`
	TimeMS    float64            `json:"time_ms"`
	File      string             `json:"file"`
	URI       uri.URI            `json:"uri"`
	Line      int                `json:"line"`  // where the function is now, from 1
	Stale     bool               `json:"stale"` // it was edited, or is gone
	Estimated bool               `json:"estimated"`
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
// or of the newest one.
func (s *session) ranking(raw protocol.LSPAny, _ protocol.ProgressToken) (work, error) {
	args, err := arguments[rankingArguments](raw)
	if err != nil {
		return nil, err
	}
	order := orders[args.Sort]
	if order == nil {
		return nil, fmt.Errorf("sort is %q, must be psi, energy, time, n or epi", args.Sort)
	}
	if args.Top < 0 {
		return nil, fmt.Errorf("top is %d, must be a number of rows, or 0 for all", args.Top)
	}
	r, err := s.resultAt(args.URI)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		rows := []rankingRow{}
		if r == nil {
			return reply(rows)
		}
		list := r.ranked(order, args.Top)
		places, err := s.places(ctx, r, list)
		for _, i := range list {
			rows = append(rows, s.row(r, i, places[i]))
		}
		if err != nil {
			return nil, err
		}
		return reply(rows)
	}, nil
}

// ranked lists the measured components in an order; top 0 is all of them.
func (r *result) ranked(order func(a, b *record.Component) int, top int) []int {
	var list []int
	for i := range r.run.Components {
		if measured(&r.run.Components[i]) {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b int) int {
		x, y := &r.run.Components[a], &r.run.Components[b]
		return cmp.Or(order(x, y), cmp.Compare(x.Rank, y.Rank))
	})
	if top > 0 && top < len(list) {
		list = list[:top]
	}
	return list
}

func (s *session) row(r *result, component int, at *place) rankingRow {
	c := &r.run.Components[component]
	row := rankingRow{
		Rank: c.Rank, ID: c.ID, Zone: c.Zone, Psi: c.Psi, PsiCI: c.PsiCI, Phi: c.Phi, EnergyJ: c.EnergyJ,
		EPIJ: c.EPIJ, N: c.N, TimeMS: c.TimeMS, File: c.File, URI: s.uriOf(r.path(c.File)), Line: c.Line,
		Stale: true, Estimated: r.run.Meter.Origin() == record.Estimated,
	}
	if at == nil {
		return row
	}
	row.URI, row.Line, row.Stale = s.uriOf(at.path), at.line, at.stale
	if rel, err := filepath.Rel(r.root, at.path); err == nil {
		row.File = filepath.ToSlash(rel)
	}
	return row
}

// A place is where a component stands now.
type place struct {
	path  string
	line  int // from 1
	stale bool
}

// places finds components of a result: in their files and, as they may have
// moved, in the others of the folder. Those that are gone have no place.
func (s *session) places(ctx context.Context, r *result, components []int) (map[int]*place, error) {
	found := make(map[int]*place, len(components))
	seen := map[string]bool{}
	look := func(path string) {
		if seen[path] || ctx.Err() != nil {
			return
		}
		seen[path] = true
		v := s.view(path)
		if v == nil {
			return
		}
		for i := range v.marks {
			if m := &v.marks[i]; m.result.run == r.run {
				found[m.component] = &place{path, int(v.source.mapper().position(m.from).Line) + 1, m.stale}
			}
		}
	}
	for _, i := range components {
		look(r.home(i))
	}
	for _, i := range components {
		if found[i] == nil {
			for _, path := range s.siblings(r, r.home(i)) {
				look(path)
			}
		}
	}
	return found, ctx.Err()
}

// siblings lists the files of a folder that have components or are open.
func (s *session) siblings(r *result, path string) []string {
	dir := filepath.Dir(path)
	paths := slices.Clone(r.folders[dir])
	s.mu.Lock()
	defer s.mu.Unlock()
	for open := range s.documents {
		if filepath.Dir(open) == dir {
			paths = append(paths, open)
		}
	}
	slices.Sort(paths)
	return paths
}
