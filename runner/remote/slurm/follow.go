package slurm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"spell-lsp/runner"
)

const (
	// silent is how long squeue may fail in a row: a controller is restarted within that.
	silent = 10 * time.Minute
	// endPatience is how long a job may take to end after it was cancelled.
	endPatience = time.Minute
)

// errEnough says that no other task is needed.
var errEnough = errors.New("the first tasks have failed")

// follow looks at the job until all its tasks have ended.
func (a *array) follow(ctx context.Context) error {
	a.gone = make(map[int]time.Time)
	begun := time.Now()
	answered := begun
	for {
		if err := touch(a.dir, time.Now()); err != nil {
			return err
		}
		over, err := a.look(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			answered = time.Now()
		case errors.Is(err, errEnough) || time.Since(answered) > silent:
			return err
		}
		if over {
			return nil
		}
		pause := a.poll
		if time.Since(begun) > time.Minute {
			pause = a.pollLater
		}
		if wait(ctx, pause); ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// look asks the queue and reads what tasks have done, says so, and tells whether nothing more is expected.
func (a *array) look(ctx context.Context) (over bool, err error) {
	tasks, err := a.states(ctx)
	if err != nil {
		return false, err
	}
	a.tasks = tasks
	done, err := attempts(a.dir)
	if err != nil {
		return false, err
	}
	ended, rounds, faults, dear := make(map[int]bool), 0, 0, false
	for _, d := range done {
		rounds += d.Rounds
		ended[d.task] = ended[d.task] || d.Ended
		if of := a.plan.Tasks[d.task]; d.Fault != nil && (d.Bundle == of.Bundles[0] || d.Bundle < 0) { // others are those of one commit
			faults, dear = faults+1, dear || d.Fault.ProbesShare > 0
		}
	}
	working := 0
	for i, s := range tasks {
		if s.state == "RUNNING" && !ended[i] {
			working++
		}
	}
	if a.alike() && rounds == 0 && (dear || working == 0 && faults >= min(2, len(a.plan.Tasks))) { // others would end as these did
		return true, errEnough
	}
	a.tell(rounds)
	return a.over(ended, time.Now()), nil
}

// alike tells whether all tasks begin with the same bundle.
func (a *array) alike() bool {
	first := a.plan.Tasks[0].Bundles[0]
	return !slices.ContainsFunc(a.plan.Tasks, func(t assignment) bool { return t.Bundles[0] != first })
}

// over tells whether nothing more is expected of any task.
func (a *array) over(ended map[int]bool, now time.Time) bool {
	over := true
	for i := range a.plan.Tasks {
		s, known := a.tasks[i]
		if ended[i] {
			continue
		}
		if known && !s.over() && !s.stuck() {
			delete(a.gone, i)
			over = false
			continue
		}
		if a.gone[i].IsZero() {
			a.gone[i] = now
		}
		patience := a.late
		if known && s.state != "COMPLETED" {
			patience = a.settled
		}
		over = over && now.Sub(a.gone[i]) >= patience
	}
	return over
}

// manyNodes are too many to name.
const manyNodes = 4

// tell says what the job does.
func (a *array) tell(rounds int) {
	all, waiting, busy := 0, 0, map[string]bool{}
	for i := range a.plan.Tasks {
		all += a.plan.Tasks[i].rounds()
	}
	reasons := map[string]bool{}
	for _, s := range a.tasks {
		switch s.state {
		case "PENDING":
			waiting++
			reasons[s.reason] = true
		case "RUNNING":
			busy[s.node] = true
		}
	}
	text := fmt.Sprintf("Slurm job %s: %d of %d rounds", a.id, rounds, all)
	switch {
	case len(busy) > manyNodes:
		text += fmt.Sprintf(", on %d nodes", len(busy))
	case len(busy) > 0:
		text += ", on " + strings.Join(slices.Sorted(maps.Keys(busy)), ", ")
	}
	if waiting > 0 {
		text += fmt.Sprintf(", %d waiting (%s)", waiting, strings.Join(slices.Sorted(maps.Keys(reasons)), ", "))
	}
	a.progress(runner.Step{Doing: text, Fraction: float64(rounds) / float64(all)})
}

// end cancels the job, and waits until its tasks have ended.
func (a *array) end(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, endPatience)
	defer stop()
	a.progress(runner.Step{Doing: "ending Slurm job " + a.id, Fraction: -1})
	for a.cancel(ctx) != nil && ctx.Err() == nil {
		wait(ctx, a.poll)
	}
	for ctx.Err() == nil {
		tasks, err := a.states(ctx)
		if err == nil && !slices.ContainsFunc(slices.Collect(maps.Values(tasks)), func(s state) bool { return !s.over() }) {
			return
		}
		wait(ctx, a.poll)
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
