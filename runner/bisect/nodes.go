package bisect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"spell-lsp/runner"
	"spell-lsp/runner/remote/slurm"
	"spell-lsp/spell/bisection"
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
	faults []error // why there are not all cycles of the first commits
}

// takeOnNodes measures cycles of the commits. On nodes that would have nothing to do it measures commits that may be
// placed next.
func (m *meter) takeOnNodes(ctx context.Context, commits []string) error {
	t, err := m.p.Turns()
	if err != nil {
		return err
	}
	defer t.Close()
	f := &fleet{meter: m, turns: t, builds: make(map[string]int)}
	lists, err := f.choose(ctx, commits)
	if err != nil || len(lists) == 0 {
		return err
	}
	f.spread(lists)
	turns, failures, err := t.Measure(ctx, f.list, func(s runner.Step) { m.p.Progress(Step{Doing: s.Doing}) })
	if err := errors.Join(f.keepTurns(turns), f.keepFailures(ctx, failures)); err != nil {
		return err
	}
	if err != nil && (ctx.Err() != nil || m.kept.unused(commits) < 0) {
		return err
	}
	return f.whyNone(commits)
}

// whyNone says why there is no cycle of the commits; nil if there is one.
func (f *fleet) whyNone(commits []string) error {
	if f.kept.unused(commits) >= 0 {
		return nil
	}
	said := make(map[string]bool)
	var list []error
	for _, err := range f.faults {
		if !said[err.Error()] {
			said[err.Error()] = true
			list = append(list, err)
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("no node has measured %s", f.h.entries[commits[len(commits)/2]].Short)
	}
	return errors.Join(list...)
}

// choose builds the commits, and others that may be placed next for as long as there are nodes. It returns what can
// be measured; nothing if the first ones cannot.
func (f *fleet) choose(ctx context.Context, commits []string) (lists [][]string, err error) {
	if ok, err := f.build(ctx, commits); !ok || err != nil {
		return nil, err
	}
	lists = [][]string{commits}
	if len(commits) < 3 {
		return lists, nil
	}
	for _, next := range f.ahead {
		with := []string{f.h.good.Hash, next, f.h.bad.Hash}
		if len(lists) >= f.p.Nodes {
			break
		}
		if slices.Contains(commits, next) || f.kept.has(with) {
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
		if err == nil {
			f.builds[commit], err = f.turns.Add(ctx, p)
			err = f.skipped(ctx, commit, err)
		}
		if skip := (*bisection.SkipError)(nil); errors.As(err, &skip) {
			delete(f.builds, commit)
			return false, f.skip(commits, skip)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// spread divides the nodes among lists of commits.
func (f *fleet) spread(lists [][]string) {
	for i, commits := range lists {
		tasks := f.p.Nodes / len(lists)
		if i < f.p.Nodes%len(lists) {
			tasks++
		}
		tasks = max(1, min(tasks, arrayCycles/leastTurns))
		s := slurm.Sequence{Rounds: bisection.BlockRounds, Turns: leastTurns * ((arrayCycles + leastTurns*tasks - 1) / (leastTurns * tasks))}
		for _, commit := range commits {
			s.Builds = append(s.Builds, f.builds[commit])
		}
		for range tasks {
			f.of, f.list = append(f.of, commits), append(f.list, s)
		}
	}
}

// keepTurns keeps what was measured. What a node of another kind has measured does not count.
func (f *fleet) keepTurns(turns []slurm.Turn) error {
	var list []cycle
	for _, t := range turns {
		commits := slices.Clone(f.of[t.Sequence])
		if t.Number%2 == 1 {
			slices.Reverse(commits)
		}
		if err := f.kept.settle(commits, t.Runs, f.p.Component != ""); err != nil {
			f.faults = append(f.faults, err)
			continue
		}
		list = append(list, f.cycleOf(commits, t.Runs))
	}
	return f.keep(list...)
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
			list = append(list, cycle{Commits: commits, Skip: &skipped{skip.Commit, skip.Reason}})
		} else {
			f.faults = append(f.faults, err)
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
