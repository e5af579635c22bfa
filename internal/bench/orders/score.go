package main

import (
	"fmt"
	"slices"
	"strings"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/spell/scaling"
)

// The bars: parts of the orders that must be right, and of the intervals that must hold the exponent.
const (
	ordersBar    = 0.95
	intervalsBar = 0.90
)

// A score counts what was found.
type score struct{ orders, right, intervals, held int }

// add compares a growth with what is known, and says it in two cells. No growth is no right order.
func (s *score) add(k known, g *scaling.Growth) (order, exponent string) {
	s.orders++
	s.intervals += len(k.exponents)
	if g == nil {
		return "not found", ""
	}
	if g.Reason != "" {
		return string(g.Reason), ""
	}
	order = g.Model
	if k.is(g.Model) {
		s.right++
	} else {
		order += " (wrong)"
	}
	var cells []string
	for i, e := range g.Exponents {
		cell := fmt.Sprintf("%.2f (%.2f to %.2f)", e.Value, e.CI[0], e.CI[1])
		if i < len(k.exponents) {
			if e.CI[0] <= k.exponents[i] && k.exponents[i] <= e.CI[1] {
				s.held++
			} else {
				cell += " misses"
			}
		}
		cells = append(cells, cell)
	}
	return order, strings.Join(cells, ", ")
}

// check adds the bars to a table.
func (s *score) check(t *harness.Table, of string) {
	t.Must("orders of "+of, fmt.Sprintf("%d of %d", s.right, s.orders), fmt.Sprintf("%.0f %%", 100*ordersBar), float64(s.right) >= ordersBar*float64(s.orders))
	t.Must("intervals of "+of, fmt.Sprintf("%d of %d", s.held, s.intervals), fmt.Sprintf("%.0f %%", 100*intervalsBar), float64(s.held) >= intervalsBar*float64(s.intervals))
}

// benchmarkOf is the growth of the benchmark of a function.
func benchmarkOf(r *scaling.Result, k known) *scaling.Growth {
	return find(r, func(g *scaling.Growth) bool {
		return g.Origin == scaling.Benchmark && !g.Component && named(g, "Benchmark"+k.name)
	})
}

// functionOf is the growth of a function in its benchmark.
func functionOf(r *scaling.Result, k known) *scaling.Growth {
	return find(r, func(g *scaling.Growth) bool {
		return g.Origin == scaling.Benchmark && g.Component && named(g, "Benchmark"+k.name) && strings.HasSuffix(g.Subject, "."+k.name)
	})
}

// callsOf is the growth of a function by the sizes of its calls.
func callsOf(r *scaling.Result, k known) *scaling.Growth {
	return find(r, func(g *scaling.Growth) bool {
		return g.Origin == scaling.Calls && strings.HasSuffix(g.Subject, "."+k.name)
	})
}

func named(g *scaling.Growth, benchmark string) bool {
	return strings.Contains(g.Series, "."+benchmark+"/")
}

func find(r *scaling.Result, is func(*scaling.Growth) bool) *scaling.Growth {
	for i := range r.Growths {
		if is(&r.Growths[i]) {
			return &r.Growths[i]
		}
	}
	return nil
}

// tested are the functions that have an ordinary test.
func tested(all []known, test func(name string) bool) []known {
	return slices.DeleteFunc(slices.Clone(all), func(k known) bool { return !test(k.name) })
}
