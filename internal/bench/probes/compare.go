package main

import (
	"context"
	"os"
	"strconv"
	"time"
)

// A comparison has the CPU times and outcomes of plain and instrumented runs.
type comparison struct {
	plain, probed []time.Duration // CPU time by round, of one execution of all tests
	compared      int             // number of tests with the same outcome in all plain runs
	differences   []string        // tests with another outcome in a run with probes
}

const (
	shortest  = 200 * time.Millisecond // CPU time under which a program's tests are repeated
	maxRepeat = 100
)

// compare runs the tests in turns, plain and with probes. Before that each program
// runs twice plain, to find the tests with stable outcomes and the number of
// repetitions, and once with probes, like the warm-up of a measurement.
func (b *bench) compare(ctx context.Context, s *suite, rounds int) (*comparison, error) {
	var plain, probed []outcomes
	for range 2 {
		run, _, err := b.runAll(ctx, s, false)
		if err != nil {
			return nil, err
		}
		plain = append(plain, run)
	}
	if err := b.repeats(ctx, s, plain[0]); err != nil {
		return nil, err
	}
	if _, _, err := b.runAll(ctx, s, true); err != nil {
		return nil, err
	}
	c := &comparison{}
	for round := range 2 * rounds {
		withProbes := round%4 == 1 || round%4 == 2 // plain, probed, probed, plain
		run, cpu, err := b.runAll(ctx, s, withProbes)
		if err != nil {
			return nil, err
		}
		if withProbes {
			probed, c.probed = append(probed, run), append(c.probed, cpu)
		} else {
			plain, c.plain = append(plain, run), append(c.plain, cpu)
		}
	}
	same := alike(plain)
	c.compared = len(same) - len(s.programs)
	for _, run := range probed {
		c.differences = append(c.differences, same.differences(run)...)
	}
	return c, nil
}

// runAll runs every program once and returns the CPU time of one execution of
// all tests.
func (b *bench) runAll(ctx context.Context, s *suite, withProbes bool) (outcomes, time.Duration, error) {
	run := make(outcomes)
	var cpu time.Duration
	for _, p := range s.programs {
		e, err := b.runTests(ctx, s, p, withProbes)
		if err != nil {
			return nil, 0, err
		}
		run.add(p.Path, e)
		cpu += e.cpu / time.Duration(p.repeat)
	}
	return run, cpu, nil
}

// runTests runs the tests of one package as a measurement does, with or
// without probes.
func (b *bench) runTests(ctx context.Context, s *suite, p *program, withProbes bool) (*execution, error) {
	args := []string{"-test.paniconexit0", "-test.timeout=" + programTimeout.String(), "-test.parallel=1", testVerbose, "-test.count=" + strconv.Itoa(p.repeat)}
	if !withProbes {
		return b.execute(ctx, p.plain, p.Dir, args, nil, nil)
	}
	return s.counting.execute(func(variable string, files []*os.File) (*execution, error) {
		return b.execute(ctx, p.probed, p.Dir, args, []string{variable}, files)
	})
}

// repeats finds how often the tests of each program must run to take long enough.
// Programs that end with another status when they are repeated run once. once are the
// outcomes of a single execution.
func (b *bench) repeats(ctx context.Context, s *suite, once outcomes) error {
	for _, p := range s.programs {
		e, err := b.runTests(ctx, s, p, false)
		if err != nil {
			return err
		}
		if e.cpu >= shortest {
			continue
		}
		p.repeat = min(maxRepeat, int(shortest/max(e.cpu, time.Millisecond))+1)
		if e, err = b.runTests(ctx, s, p, false); err != nil {
			return err
		}
		if e.status != once[p.Path] {
			p.repeat = 1
		}
	}
	return nil
}
