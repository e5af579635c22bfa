package bisect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"spell-lsp/runner"
	"spell-lsp/runner/remote/slurm"
	"spell-lsp/spell/bisection"
	"spell-lsp/spell/record"
)

// Turns measures commits on the nodes of a cluster. It is [slurm.Turns]; tests have another.
type Turns interface {
	Add(context.Context, runner.Params) (int, error)
	Measure(context.Context, []slurm.Sequence, func(runner.Step)) ([]slurm.Turn, []slurm.Failure, error)
	Close()
}

const (
	// arrayCycles is how many cycles of the same commits are measured at a time, at least: enough for the third look
	// of package bisection, at nine, by which most commits are decided.
	arrayCycles = 10
	// leastTurns is how many of them a task has, at least: one forwards and one backwards.
	leastTurns = 2
)

// A fleet is one array of tasks: each measures commits in turns on its own node.
type fleet struct {
	*meter
	turns  Turns
	builds map[string]int // numbers, by commit
	of     [][]string     // the commits of each task
	list   []slurm.Sequence
	asked  []string // the commits whose cycles the search waits for
	faults []error  // why there are not all cycles of these
}

// takeOnNodes measures cycles of the commits. Other nodes measure commits that may be placed next. If the nodes of the
// first fail, those of the others are tried.
func (m *meter) takeOnNodes(ctx context.Context, commits []string) error {
	before := len(m.kept.Cycles)
	err := m.takeArray(ctx, commits)
	if err != nil && ctx.Err() == nil && len(m.kept.Cycles) > before && !errors.As(err, new(*bisection.SkipError)) {
		return m.takeArray(ctx, commits)
	}
	return err
}

func (m *meter) takeArray(ctx context.Context, commits []string) error {
	t, err := m.p.Turns()
	if err != nil {
		return err
	}
	defer t.Close()
	f := &fleet{meter: m, turns: t, builds: make(map[string]int), asked: commits}
	lists, err := f.choose(ctx)
	if err != nil || len(lists) == 0 {
		return err
	}
	f.spread(lists)
	turns, failures, err := t.Measure(ctx, f.list, func(s runner.Step) { m.p.Progress(Step{Doing: s.Doing}) })
	kept := errors.Join(f.keepTurns(turns), f.keepFailures(ctx, failures))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if kept != nil || err != nil && m.kept.unused(commits) < 0 {
		return errors.Join(err, kept)
	}
	return f.whyNone(err)
}

// mostFaults are as many as are worth reading.
const mostFaults = 3

// whyNone says why there is no cycle of the commits that were asked for. If there is one, it tells the reasons why
// others are missing, and err, and is nil.
func (f *fleet) whyNone(err error) error {
	list := f.faults
	if err != nil {
		list = append(list, err)
	}
	said := make(map[string]bool)
	list = slices.DeleteFunc(list, func(err error) bool {
		known := said[err.Error()]
		said[err.Error()] = true
		return known
	})
	list = list[:min(len(list), mostFaults)]
	switch {
	case f.kept.unused(f.asked) >= 0:
		for _, err := range list {
			f.p.Progress(Step{Missing: err})
		}
		return nil
	case len(list) == 0:
		return fmt.Errorf("no node has measured %s", f.h.entries[f.asked[len(f.asked)/2]].Short)
	}
	return errors.Join(list...)
}

// mostAhead is how many commits are measured at a time: those of four steps of a search.
const mostAhead = 15

// choose builds the commits that were asked for, and others that may be placed next, as far as there are nodes. It
// returns what can be measured; nothing if the first ones cannot.
func (f *fleet) choose(ctx context.Context) (lists [][]string, err error) {
	if ok, err := f.build(ctx, f.asked); !ok || err != nil {
		return nil, err
	}
	lists = [][]string{f.asked}
	if len(f.asked) < 3 {
		return lists, nil
	}
	most := min(f.p.Nodes, mostAhead)
	for _, next := range f.ahead[:min(len(f.ahead), most)] {
		with := []string{f.h.good.Hash, next, f.h.bad.Hash}
		if slices.Contains(f.asked, next) || f.kept.has(with) || len(lists) == most {
			continue
		}
		ok, err := f.build(ctx, with)
		if err != nil {
			return nil, err
		}
		if ok {
			lists = append(lists, with)
		}
	}
	return lists, nil
}

// build builds commits, each once. ok is false if one of them cannot be measured, which is kept.
func (f *fleet) build(ctx context.Context, commits []string) (ok bool, err error) {
	for _, commit := range commits {
		if _, built := f.builds[commit]; built {
			continue
		}
		f.p.Progress(Step{Doing: "building " + f.h.entries[commit].Short})
		p, err := f.checkout(ctx, commit)
		number := 0
		if err == nil {
			number, err = f.turns.Add(ctx, p)
			err = f.skipped(ctx, commit, err)
		}
		if skip := (*bisection.SkipError)(nil); errors.As(err, &skip) {
			return false, f.skip(commits, skip)
		}
		if err != nil {
			return false, err
		}
		f.builds[commit] = number
	}
	return true, nil
}

// spread divides the nodes among lists of commits.
func (f *fleet) spread(lists [][]string) {
	cycles := arrayCycles
	if f.p.MaxRounds > 0 {
		cycles = min(cycles, f.p.MaxRounds/bisection.BlockRounds)
	}
	for i, commits := range lists {
		tasks := f.p.Nodes / len(lists)
		if i < f.p.Nodes%len(lists) {
			tasks++
		}
		tasks = max(1, min(tasks, cycles/leastTurns))
		s := slurm.Sequence{Rounds: bisection.BlockRounds, Turns: leastTurns * ((cycles + leastTurns*tasks - 1) / (leastTurns * tasks))}
		for _, commit := range commits {
			s.Builds = append(s.Builds, f.builds[commit])
		}
		for range tasks {
			f.of, f.list = append(f.of, commits), append(f.list, s)
		}
	}
}

// keepTurns keeps what was measured. What a node of another kind has measured does not count, nor a turn in which GOOD
// or BAD does not pass.
func (f *fleet) keepTurns(turns []slurm.Turn) error {
	if f.kept.Go == nil {
		turns = mostOfAKindFirst(turns)
	}
	var list []cycle
	for _, t := range turns {
		commits := slices.Clone(f.of[t.Sequence])
		if t.Number%2 == 1 {
			slices.Reverse(commits)
		}
		if err := f.kept.settle(commits, t.Runs, f.p.Component != ""); err != nil {
			if f.kept.Quantity != "" {
				err = fmt.Errorf("%w (of a cluster, ask for nodes of one kind: constraint)", err)
			}
			f.fault(t.Sequence, err)
			continue
		}
		list = f.addCycle(list, t.Sequence, f.cycleOf(commits, t.Runs))
	}
	return f.keep(list...)
}

// mostOfAKindFirst puts turns of the kind of node that most are of before others: the first one says what is compared.
func mostOfAKindFirst(turns []slurm.Turn) []slurm.Turn {
	type kind struct {
		host  record.Host
		meter string
	}
	of := func(t slurm.Turn) kind {
		k := kind{t.Runs[0].Host, t.Runs[0].Meter.Name}
		k.host.Go = "" // that of a commit
		return k
	}
	count := make(map[kind]int)
	for _, t := range turns {
		count[of(t)]++
	}
	turns = slices.Clone(turns)
	slices.SortStableFunc(turns, func(a, b slurm.Turn) int { return count[of(b)] - count[of(a)] })
	return turns
}

// addCycle adds a cycle of a task to others. That GOOD or BAD cannot be measured is a fault of one task, as others may
// have measured it.
func (f *fleet) addCycle(list []cycle, task int, c cycle) []cycle {
	if c.Skip != nil && (c.Skip.Commit == f.h.good.Hash || c.Skip.Commit == f.h.bad.Hash) {
		f.fault(task, &bisection.SkipError{Commit: c.Skip.Commit, Reason: c.Skip.Reason})
		return list
	}
	return append(list, c)
}

// fault notes why a task has not measured a turn.
func (f *fleet) fault(task int, err error) {
	if slices.Equal(f.of[task], f.asked) {
		f.faults = append(f.faults, err)
	}
}

// keepFailures keeps which commits cannot be measured. Other failures are those of nodes.
func (f *fleet) keepFailures(ctx context.Context, failures []slurm.Failure) error {
	var list []cycle
	for _, failure := range failures {
		err, commits := failure.Err, f.of[failure.Sequence]
		for commit, number := range f.builds {
			if number == failure.Build {
				err = f.skipped(ctx, commit, err)
			}
		}
		if skip := (*bisection.SkipError)(nil); errors.As(err, &skip) {
			list = f.addCycle(list, failure.Sequence, cycle{Commits: commits, Skip: &skipped{skip.Commit, skip.Reason}})
		} else {
			f.fault(failure.Sequence, err)
		}
	}
	return f.keep(list...)
}

// turnsOnNodes measures two commits in turns.
func (m *meter) turnsOnNodes(ctx context.Context, parent, commit string) ([]turn, error) {
	for range 2 {
		if list := m.turns.of(parent, commit); len(list) >= explainTurns {
			return list, nil
		}
		if err := m.takeOnNodes(ctx, []string{parent, commit}); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("the nodes have measured the two commits in %d turns, which is too few", len(m.turns.of(parent, commit)))
}
