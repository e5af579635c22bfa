package main

import (
	"context"
	"fmt"

	"spell-lsp/internal/leaks/checking"
)

// maxSites is how many places are checked for one seeded leak, at most.
const maxSites = 12

// A nursery seeds leaks. It keeps the modules that it has opened, as their tests are
// executed several times for that.
type nursery struct {
	*sandbox
	open map[string]*checking.Module // by Program.String
}

// seeded returns the function of a benchmark that puts leaks into programs.
func seeded(box *sandbox) func(context.Context, Program, uint64, int) (draw, error) {
	return (&nursery{sandbox: box, open: make(map[string]*checking.Module)}).draw
}

// draw puts a leak into a program, at the first place that passes the checks.
func (n *nursery) draw(ctx context.Context, p Program, seed uint64, from int) (draw, error) {
	m, err := n.module(ctx, p)
	if err != nil {
		return draw{}, err
	}
	sites := m.Draw(seed)
	d := draw{Discarded: make(map[string]int)}
	for at := from; at < min(from+maxSites, len(sites)) && d.Case == nil; at++ {
		l, reason, err := m.Check(ctx, sites[at])
		if err != nil {
			return d, err
		}
		if l != nil {
			d.Case = caseOf(p, seed, l)
		} else {
			d.Discarded[string(reason)]++
		}
		if d.Next = at + 1; d.Next == len(sites) {
			d.Next = 0
		}
	}
	return d, nil
}

// module opens the module of a program, once.
func (n *nursery) module(ctx context.Context, p Program) (*checking.Module, error) {
	if m := n.open[p.String()]; m != nil {
		return m, nil
	}
	source, err := n.source(ctx, p)
	if err != nil {
		return nil, err
	}
	m, err := checking.Open(ctx, source, n.dir)
	if err != nil {
		return nil, fmt.Errorf("executing the tests: %w", err)
	}
	n.open[p.String()] = m
	return m, nil
}

// caseOf is the program with and without a seeded leak.
func caseOf(p Program, seed uint64, l *checking.Leak) *Case {
	leaky := p
	leaky.Files = map[string]string{l.Site.File: string(l.Text)}
	return &Case{
		Leak: Leak{
			Module: p.Module, Version: p.Version, Kind: l.Site.Kind, Functions: []string{l.Site.Function},
			File: l.Site.File, Line: l.Site.Line, Seed: seed, Strength: l.Strength, Cost: l.Cost,
		},
		Clean: p, Leaky: leaky,
	}
}
