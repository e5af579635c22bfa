package checking

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"spell-lsp/internal/bench/harness"
	"spell-lsp/internal/leaks/seeding"
)

// What a leak adds to the CPU time of all tests, relative to that without it: what is aimed
// at, and what is accepted.
const (
	minCost  = 0.10
	wantCost = 0.18
	maxCost  = 0.28
)

// lateCost stands for the cost of a leak with which the tests take more than three times as long.
const lateCost = 2

// minWaste is the least that one execution of a site wastes: an allocation.
const minWaste = 50 * time.Nanosecond

// maxTries is how many strengths are tried for a site.
const maxTries = 5

// A Reason says why a site was thrown away.
type Reason string

// The reasons. The first one is told from the counts of coverage alone.
const (
	TooFrequent Reason = "executed too often"
	NoBuild     Reason = "does not build"
	Fails       Reason = "changes the outcome of a test"
	TooDear     Reason = "costs more than 28 % at the least strength"
	TooCheap    Reason = "costs less than 10 % at the greatest strength"
	NoStrength  Reason = "no strength found"
	NotAgain    Reason = "costs something else when measured again"
)

// A trial is the module with a leak of some strength, as far as that concerns the tests.
type trial struct {
	strength int
	text     []byte
	programs []*program // those that use the package with the leak
	files    []string   // their executables with the leak
}

// Check looks for a strength with which the site's leak has the right cost. If there is
// none, leak is nil and reason says why.
func (m *Module) Check(ctx context.Context, site seeding.Site) (leak *Leak, reason Reason, err error) {
	kind := kindOf(site)
	guess := wantCost * float64(m.total) / (float64(kind.Unit) * float64(m.counts.at(m.source(site), site.Offset)))
	if guess*float64(kind.Unit)/float64(max(kind.Unit, minWaste)) < 1.0/8 { // the units are rough
		return nil, TooFrequent, nil
	}
	strength := clamp(guess/2, kind) // too much would take longer to find out than too little
	for range maxTries {
		t, err := m.try(ctx, site, strength)
		if err != nil {
			return nil, "", err
		}
		if t == nil {
			return nil, NoBuild, nil
		}
		cost, same, err := m.cost(ctx, t, max(1, min(5, int(time.Second/max(m.total, 1)))), false)
		if err != nil {
			return nil, "", err
		}
		next, reason := adjust(kind, strength, cost, same)
		switch {
		case reason != "":
			return nil, reason, nil
		case next == strength:
			return m.confirm(ctx, site, t)
		}
		strength = next
	}
	return nil, NoStrength, nil
}

// adjust is the strength to try after one that had a cost: the same if that is accepted. A
// reason says that there is none. Same is false if a test ended in another way.
func adjust(kind seeding.Kind, strength int, cost float64, same bool) (next int, reason Reason) {
	if !same && strength == 1 {
		return 0, Fails
	}
	if !same { // it may have taken too long
		return max(1, strength/20), ""
	}
	next = clamp(float64(strength)*wantCost/max(cost, wantCost/20), kind)
	switch {
	case cost > 0.13 && cost < 0.24, next == strength && cost >= minCost && cost <= maxCost:
		return strength, ""
	case next == strength && cost > maxCost:
		return 0, TooDear
	case next == strength:
		return 0, TooCheap
	}
	return next, ""
}

func kindOf(site seeding.Site) seeding.Kind {
	all := seeding.Kinds()
	return all[slices.IndexFunc(all, func(k seeding.Kind) bool { return k.Name == site.Kind })]
}

func clamp(strength float64, k seeding.Kind) int { return int(max(1, min(strength, float64(k.Max)))) }

// try builds the programs that a leak concerns; t is nil if they do not build.
func (m *Module) try(ctx context.Context, site seeding.Site, strength int) (t *trial, err error) {
	t = &trial{strength: strength}
	if t.text, err = seeding.Apply(m.sources, site, strength); err != nil {
		return nil, err
	}
	source := m.source(site)
	file := filepath.Join(m.dir, filepath.FromSlash(site.File))
	if err := os.WriteFile(file, t.text, 0o644); err != nil {
		return nil, fmt.Errorf("writing the leak: %w", err)
	}
	defer func() {
		if restoring := os.WriteFile(file, source.Text, 0o644); restoring != nil && err == nil {
			err = fmt.Errorf("taking the leak out: %w", restoring)
		}
	}()
	for i := range m.programs {
		p := &m.programs[i]
		if !p.deps[source.Types.Path()] {
			continue
		}
		executable := filepath.Join(m.sandbox.dir, fmt.Sprintf("leaky%d.test", i))
		if err := m.compile(ctx, *p, executable); err != nil {
			return nil, ctx.Err()
		}
		t.programs, t.files = append(t.programs, p), append(t.files, executable)
	}
	return t, nil
}

// cost executes the tests several times with the leak and, in turns, without it; otherwise
// the times of the first runs stand for those without. It is relative to the CPU
// time of all tests. Same is false if a test ends in another way than without the leak.
func (m *Module) cost(ctx context.Context, t *trial, times int, inTurns bool) (cost float64, same bool, err error) {
	for i, p := range t.programs {
		var leaky, plain []time.Duration
		for range times {
			e, err := m.sandbox.execute(ctx, t.files[i], p.dir, 3*p.elapsed+10*time.Second)
			switch {
			case err != nil:
				return 0, false, err
			case e.late:
				return lateCost, true, nil
			case e.outcome != p.outcome:
				return 0, false, nil
			}
			leaky = append(leaky, e.cpu)
			if !inTurns {
				continue
			}
			if e, err = m.sandbox.execute(ctx, p.file, p.dir, programLimit); err != nil {
				return 0, false, err
			}
			plain = append(plain, e.cpu)
		}
		without := p.plain
		if inTurns {
			without = harness.Median(plain)
		}
		cost += float64(harness.Median(leaky)-without) / float64(m.total)
	}
	return cost, true, nil
}

// confirm measures a leak again, more often, and against the program without it.
func (m *Module) confirm(ctx context.Context, site seeding.Site, t *trial) (*Leak, Reason, error) {
	cost, same, err := m.cost(ctx, t, max(3, min(9, int(3*time.Second/max(m.total, 1)))), true)
	switch {
	case err != nil:
		return nil, "", err
	case !same:
		return nil, Fails, nil
	case cost < minCost || cost > maxCost:
		return nil, NotAgain, nil
	}
	return &Leak{Site: site, Strength: t.strength, Cost: cost, Text: t.text}, "", nil
}
