package slurm

import (
	"context"
	"errors"
	"fmt"

	"spell-lsp/runner"
	"spell-lsp/spell/record"
)

// Turns measure several builds in turns, each for some rounds. All of a turn is measured on one node, so that
// differences between nodes cancel out.
type Turns struct{ array *array }

// Turns makes ready to measure in turns. Close must be called.
func (s *Site) Turns() (*Turns, error) {
	a, err := s.newArray()
	return &Turns{a}, err
}

// Close removes what was written.
func (t *Turns) Close() { t.array.remove() }

// errBuilt says that a measurement is built, which is all that was asked for.
var errBuilt = errors.New("the measurement is only built")

// A builder is a site that keeps jobs for later.
type builder struct {
	*Site
	array  *array
	number int
}

func (b *builder) Measure(ctx context.Context, j runner.Job) (_ *record.Run, err error) {
	if b.number, err = b.array.add(ctx, j); err != nil {
		return nil, err
	}
	return nil, errBuilt
}

// Add builds what is to be measured, and returns its number. Errors are those of [runner.Measure].
func (t *Turns) Add(ctx context.Context, p runner.Params) (number int, err error) {
	b := &builder{Site: t.array.Site, array: t.array}
	p.Site = b
	if _, err = runner.Measure(ctx, p); errors.Is(err, errBuilt) {
		err = nil
	}
	return b.number, err
}

// A Sequence is what one task measures.
type Sequence struct {
	Builds []int // by their numbers, in the order of the first turn; the second has it backwards, and so on
	Rounds int   // of each in a turn
	Turns  int
}

// A Turn is what was measured in one.
type Turn struct {
	Sequence int // by its place
	Runs     []*record.Run
	Number   int // of the turn in its sequence, from 0: that of an odd one is backwards
}

// A Failure says why a sequence has not all its turns.
type Failure struct {
	Sequence int
	Build    int // whose measurement failed; -1: Slurm ended the task
	Err      error
}

// Measure measures each of the sequences by a task of its own. What is complete is returned in any case. Errors are
// of what concerns all tasks: those of Slurm, and that of ctx.
func (t *Turns) Measure(ctx context.Context, list []Sequence, progress func(runner.Step)) (turns []Turn, failures []Failure, err error) {
	a := t.array
	for _, s := range list {
		a.plan.Tasks = append(a.plan.Tasks, assignment{Bundles: s.Builds, Rounds: s.Rounds, Turns: s.Turns})
	}
	done, cause := a.carryOut(ctx, progress)
	if done == nil {
		return nil, nil, cause
	}
	turns, lost := a.turns(done)
	switch {
	case ctx.Err() != nil:
		cause = ctx.Err()
	case errors.Is(cause, errEnough):
		cause = nil
	case cause != nil:
		cause = &Error{fmt.Errorf("job %s: %w", a.id, cause)}
	}
	return turns, a.failures(done), errors.Join(cause, lost)
}

// turns reads the complete turns. err is of those that cannot be read.
func (a *array) turns(done []attempt) (turns []Turn, err error) {
	seen := make(map[[2]int]bool) // a task that lost its node may have gone on there
	for i := range done {
		d := &done[i]
		of := &a.plan.Tasks[d.task]
		for n := range d.Rounds / of.inTurn() {
			turn := Turn{Sequence: d.task, Number: d.First + n}
			if seen[[2]int{d.task, turn.Number}] {
				continue
			}
			seen[[2]int{d.task, turn.Number}] = true
			for place := range of.Bundles {
				run, unread := readRun(a.dir, d.ofTurn(turn.Number, place))
				if unread != nil {
					err = errors.Join(err, a.unread(unread))
					break
				}
				turn.Runs = append(turn.Runs, run)
			}
			if len(turn.Runs) == len(of.Bundles) {
				turns = append(turns, turn)
			}
		}
	}
	return turns, err
}

// failures says why turns are missing.
func (a *array) failures(done []attempt) (list []Failure) {
	faulty := make(map[int]bool)
	for i := range done {
		if d := &done[i]; d.Fault != nil {
			faulty[d.task] = true
			list = append(list, Failure{Sequence: d.task, Build: d.Bundle, Err: fmt.Errorf("%s: %w", d.Node, d.Fault.Err())})
		}
	}
	for i := range a.plan.Tasks {
		if faulty[i] {
			continue
		}
		for _, n := range a.missing([]int{i}, done) {
			list = append(list, Failure{Sequence: i, Build: -1, Err: &Error{fmt.Errorf("job %s: %s", a.id, n.Args["reason"])}})
		}
	}
	return list
}
