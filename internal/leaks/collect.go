package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/internal/leaks/contest"
	"spell-lsp/internal/leaks/score"
)

// A benchmark has all that results are made with. The two functions that make cases and the
// one that measures are replaced in tests.
type benchmark struct {
	state state
	// toolchain is what every result depends on: the Go release and the machine.
	toolchain string
	// seeding and measuring are the versions of the code that draws and that measures.
	seeding, measuring string

	// draw puts a leak into a program and checks it. The seed puts the places for leaks into
	// an order; places before from are left out.
	draw func(ctx context.Context, p Program, seed uint64, from int) (draw, error)
	// real lists the leaks that authors have repaired.
	real func() []Case
	// text reads a file of a program.
	text func(ctx context.Context, p Program, file string) (string, error)
	// measure writes a run record, and profiles, of a program to a folder.
	measure func(ctx context.Context, p Program, profiles bool, into string) error
}

// results are the trials, and what was lost on the way to them.
type results struct {
	trials    []score.Trial
	discarded map[string]int // seeded leaks that did not pass the checks, by reason
	failures  []string       // leaks that could not be measured or ordered
}

// A draw is the result of drawing a leak. It is kept.
type draw struct {
	Case      *Case          `json:"case"`      // nil if no place that was tried passed the checks
	Discarded map[string]int `json:"discarded"` // places that did not, by reason
	Next      int            `json:"next"`      // the first place that was not tried; 0 = there are no more
}

// A slot is a leak that is yet to be made: the next one of a program, or a real one.
type slot struct {
	program Program
	real    *Case
}

func (s slot) String() string {
	if s.real != nil {
		return s.real.Leak.name()
	}
	return s.program.String()
}

// slots lists leaks in the order in which they are made, in turns: one of each program,
// then a real one.
func slots(programs []Program, cases []Case, turns int) []slot {
	var list []slot
	for turn := range turns {
		for _, p := range programs {
			list = append(list, slot{program: p})
		}
		if turn < len(cases) {
			list = append(list, slot{real: &cases[turn]})
		}
	}
	return list
}

// maxTurns ends a benchmark of modules in which few places pass the checks, as a multiple of
// the leaks that are wanted.
const maxTurns = 3

// collect makes leaks and measures them until there are as many as were asked for, or no
// more, or the context ends. What fails is counted, and left out.
func (b *benchmark) collect(ctx context.Context, programs []Program, o options) *results {
	r := &results{discarded: make(map[string]int)}
	var cases []Case
	for _, c := range b.real() {
		if score.HeldOut(c.Leak.Module) == o.heldOut {
			cases = append(cases, c)
		}
	}
	next := make(map[string]int) // place by program; -1 if it has no more
	for _, s := range slots(programs, cases, maxTurns*o.sample) {
		if len(r.trials) == o.sample || ctx.Err() != nil {
			break
		}
		c := s.real
		if c == nil {
			if next[s.program.String()] < 0 {
				continue
			}
			harness.Progress("%d of %d: %s", len(r.trials)+1, o.sample, s)
			d, err := b.drawn(ctx, s.program, o.seed, next[s.program.String()])
			if d.Next == 0 {
				d.Next = -1
			}
			next[s.program.String()], c = d.Next, d.Case
			for reason, n := range d.Discarded {
				r.discarded[reason] += n
			}
			r.failed(ctx, s, err)
		}
		if c == nil {
			continue
		}
		harness.Progress("%d of %d: measuring %s", len(r.trials)+1, o.sample, c.Leak.name())
		trial, err := b.try(ctx, c, o.rounds)
		if err == nil {
			r.trials = append(r.trials, trial)
		}
		r.failed(ctx, s, err)
	}
	return r
}

// failed notes what went wrong with a slot, unless that was an interrupt.
func (r *results) failed(ctx context.Context, s slot, err error) {
	if err != nil && ctx.Err() == nil {
		harness.Progress("%s: %v", s, err)
		r.failures = append(r.failures, fmt.Sprintf("%s: %v", s, err))
	}
}

// name tells the leak from all others.
func (l *Leak) name() string {
	where := fmt.Sprintf("%s:%d", l.File, l.Line)
	if l.Real {
		where = "repaired after " + l.Version
	}
	return fmt.Sprintf("`%s` (%s)", strings.Join(l.Functions, "`, `"), where)
}

// drawn draws a leak, if that was not done before.
func (b *benchmark) drawn(ctx context.Context, p Program, seed uint64, from int) (d draw, err error) {
	key := struct {
		Program            Program
		Seed               uint64
		From               int
		Seeding, Toolchain string
	}{p, seed, from, b.seeding, b.toolchain}
	dir, err := b.state.keep("drawn", key, func(dir string) error {
		d, err := b.draw(ctx, p, seed, from)
		if err != nil {
			return err
		}
		return writeJSON(filepath.Join(dir, "draw.json"), d)
	})
	if err != nil {
		return d, err
	}
	return d, readJSON(filepath.Join(dir, "draw.json"), &d)
}

// try measures a case and looks where each contestant has the leak.
func (b *benchmark) try(ctx context.Context, c *Case, rounds int) (score.Trial, error) {
	leaky, err := b.measured(ctx, c.Leaky, true, rounds)
	if err != nil {
		return score.Trial{}, err
	}
	clean, err := b.measured(ctx, c.Clean, false, rounds)
	if err != nil {
		return score.Trial{}, fmt.Errorf("without the leak: %w", err)
	}
	e, err := readEvidence(leaky, clean)
	if err != nil {
		return score.Trial{}, err
	}
	t, err := judge(c, e)
	if err == nil && !c.Leak.Real {
		t.LineRank, err = b.lineRank(ctx, c, e)
	}
	return t, err
}

func (b *benchmark) lineRank(ctx context.Context, c *Case, e *contest.Evidence) (int, error) {
	leaky, err := b.text(ctx, c.Leaky, c.Leak.File)
	if err != nil {
		return 0, err
	}
	clean, err := b.text(ctx, c.Clean, c.Leak.File)
	if err != nil {
		return 0, err
	}
	return lineRank(&c.Leak, e, leaky, clean), nil
}

// measured returns the folder with the measurements of a program.
func (b *benchmark) measured(ctx context.Context, p Program, profiles bool, rounds int) (string, error) {
	key := struct {
		Program              Program
		Profiles             bool
		Rounds               int
		Measuring, Toolchain string
	}{p, profiles, rounds, b.measuring, b.toolchain}
	return b.state.keep("measured", key, func(dir string) error { return b.measure(ctx, p, profiles, dir) })
}

// judge finds the leak in the order of each contestant.
func judge(c *Case, e *contest.Evidence) (score.Trial, error) {
	t := score.Trial{
		Name: c.Leak.name(), Module: c.Leak.Module, Kind: c.Leak.Kind, Real: c.Leak.Real,
		CostJ: costJ(c, e), Places: make(map[string]contest.Place),
	}
	if all := contest.TotalJ(e.Leaky); all > 0 {
		t.Share = t.CostJ / all
	}
	executed := contest.Executed(e.Leaky)
	if !slices.ContainsFunc(c.Leak.Functions, func(id string) bool { return slices.Contains(executed, id) }) {
		return t, errors.New("no function of the leak was executed in a test that passed")
	}
	for _, contestant := range contest.All() {
		order, err := contestant.Order(e)
		if err != nil {
			return t, fmt.Errorf("%s: %w", contestant.Name, err)
		}
		t.Places[contestant.Name] = order.Find(c.Leak.Functions)
	}
	return t, nil
}

// costJ is the energy of a leak. That of a seeded leak follows from the CPU time of runs in
// turns, which says more than the difference of two measurements at different times.
func costJ(c *Case, e *contest.Evidence) float64 {
	leaky, clean := contest.TotalJ(e.Leaky), contest.TotalJ(e.Clean)
	if c.Leak.Real {
		return max(0, leaky-clean)
	}
	return c.Leak.Cost * clean
}

// writeLosses lists what is in no table.
func (r *results) writeLosses(b *strings.Builder) {
	if len(r.discarded) > 0 {
		b.WriteString("\n## Leaks that were drawn and discarded\n\n")
	}
	for _, reason := range slices.Sorted(maps.Keys(r.discarded)) {
		fmt.Fprintf(b, "- %s: %d\n", reason, r.discarded[reason])
	}
	if len(r.failures) > 0 {
		b.WriteString("\n## Leaks that could not be measured\n\n")
	}
	for _, failure := range r.failures {
		fmt.Fprintf(b, "- %s\n", strings.Join(strings.Fields(failure), " "))
	}
}
