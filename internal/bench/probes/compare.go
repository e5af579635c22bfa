package main

import (
	"context"
	"os"
	"slices"
	"strconv"
	"time"
)

// A kind says how a program is run: as it is, or as a mode of a measurement does.
type kind int

const (
	asIs kind = iota
	withProbes
	withSamples
	kinds
)

func (k kind) String() string { return [kinds]string{"plain", "with probes", "with samples"}[k] }

// A comparison has the CPU times and outcomes of runs of several kinds.
type comparison struct {
	cpu         [kinds][]time.Duration // by round, of one execution of all tests
	compared    int                    // number of tests with the same outcome in all plain runs
	differences []string               // tests with another outcome in a run of another kind
}

const (
	shortest  = 200 * time.Millisecond // CPU time under which a program's tests are repeated
	maxRepeat = 100
)

// compare runs the tests in turns, in each kind. Before that each program runs twice
// plain, to find the tests with stable outcomes and the number of repetitions, and
// once with probes, like the warm-up of a measurement.
func (b *bench) compare(ctx context.Context, s *suite, rounds int, how ...kind) (*comparison, error) {
	var seen [kinds][]outcomes
	for range 2 {
		run, _, err := b.runAll(ctx, s, asIs)
		if err != nil {
			return nil, err
		}
		seen[asIs] = append(seen[asIs], run)
	}
	if err := b.repeats(ctx, s, seen[asIs][0]); err != nil {
		return nil, err
	}
	if _, _, err := b.runAll(ctx, s, withProbes); err != nil {
		return nil, err
	}
	c, order := &comparison{}, slices.Clone(how)
	for range rounds {
		for _, k := range order {
			run, cpu, err := b.runAll(ctx, s, k)
			if err != nil {
				return nil, err
			}
			seen[k], c.cpu[k] = append(seen[k], run), append(c.cpu[k], cpu)
		}
		slices.Reverse(order) // so that a machine that becomes slower favours none
	}
	same := alike(seen[asIs])
	c.compared = len(same) - len(s.programs)
	for _, k := range how {
		for _, run := range seen[k] {
			c.differences = append(c.differences, same.differences(run, k)...)
		}
	}
	return c, nil
}

// runAll runs every program once and returns the CPU time of one execution of
// all tests.
func (b *bench) runAll(ctx context.Context, s *suite, k kind) (outcomes, time.Duration, error) {
	run := make(outcomes)
	var cpu time.Duration
	for _, p := range s.programs {
		e, err := b.runTests(ctx, s, p, k)
		if err != nil {
			return nil, 0, err
		}
		run.add(p.Path, e)
		cpu += e.cpu / time.Duration(p.repeat)
	}
	return run, cpu, nil
}

// runTests runs the tests of one package as a measurement does.
func (b *bench) runTests(ctx context.Context, s *suite, p *program, k kind) (*execution, error) {
	args := []string{"-test.paniconexit0", "-test.timeout=" + programTimeout.String(), "-test.parallel=1", testVerbose, "-test.count=" + strconv.Itoa(p.repeat)}
	r := invocation{file: p.plain, dir: p.Dir, args: args, sampled: k == withSamples}
	if k != withProbes {
		return b.execute(ctx, r)
	}
	return s.counting.execute(func(variable string, files []*os.File) (*execution, error) {
		r.file, r.env, r.inherited = p.probed, []string{variable}, files
		return b.execute(ctx, r)
	})
}

// repeats finds how often the tests of each program must run to take long enough.
// Programs that end with another status when they are repeated run once. once are the
// outcomes of a single execution.
func (b *bench) repeats(ctx context.Context, s *suite, once outcomes) error {
	for _, p := range s.programs {
		e, err := b.runTests(ctx, s, p, asIs)
		if err != nil {
			return err
		}
		if e.cpu >= shortest {
			continue
		}
		p.repeat = min(maxRepeat, int(shortest/max(e.cpu, time.Millisecond))+1)
		if e, err = b.runTests(ctx, s, p, asIs); err != nil {
			return err
		}
		if e.status != once[p.Path] {
			p.repeat = 1
		}
	}
	return nil
}
