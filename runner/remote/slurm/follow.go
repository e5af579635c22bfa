package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"spell-lsp/runner"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/pooling"
)

// A measurement is a job that was submitted.
type measurement struct {
	*Site
	job   *runner.Job
	id    string
	dir   string
	plan  plan
	tasks map[int]state // as last seen
	gone  map[int]int   // how often a task was seen to be over without having said so, by task
}

const (
	// silent is how long squeue may fail in a row: a controller is restarted within that.
	silent = 10 * time.Minute
	// late is how often a task must be seen to be over, without having said so, until nothing more is expected: a
	// shared folder may show files of other machines a minute late.
	late = 30
	// settled is how often a task must be seen in a state that is an end, if it is not put back in the queue.
	settled = 3
	// endPatience is how long a job may take to end after it was cancelled.
	endPatience = time.Minute
)

// errEnough says that no other task is needed.
var errEnough = errors.New("the measurement has failed")

// follow looks at the job until all its tasks have ended.
func (m *measurement) follow(ctx context.Context) error {
	m.gone = make(map[int]int)
	answered := time.Now()
	for {
		if err := touch(m.dir, time.Now()); err != nil {
			return err
		}
		over, err := m.look(ctx)
		switch {
		case err == nil:
			answered = time.Now()
		case errors.Is(err, errEnough) || ctx.Err() != nil || time.Since(answered) > silent:
			return err
		}
		if over {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(m.poll):
		}
	}
}

// look asks the queue and reads what tasks have done, says so, and tells whether nothing more is expected.
func (m *measurement) look(ctx context.Context) (over bool, err error) {
	tasks, err := states(ctx, m.Options, m.id)
	if err != nil {
		return false, err
	}
	m.tasks = tasks
	done, err := attempts(m.dir)
	if err != nil {
		return false, err
	}
	ended, rounds, faults, dear := make(map[int]bool), 0, 0, false
	for _, a := range done {
		rounds += a.Rounds
		ended[a.task] = ended[a.task] || a.Ended
		if a.Fault != nil {
			faults, dear = faults+1, dear || a.Fault.ProbesShare > 0
		}
	}
	if dear || rounds == 0 && faults >= min(2, len(m.plan.Rounds)) { // others would end as these did
		return true, errEnough
	}
	over = true
	for i := range m.plan.Rounds {
		switch s, known := tasks[i]; {
		case ended[i]:
		case known && !s.over():
			over, m.gone[i] = false, 0
		default:
			m.gone[i]++
			over = over && (m.gone[i] >= late || m.gone[i] >= settled && known && s.over() && s.state != "COMPLETED")
		}
	}
	m.tell(rounds)
	return over, nil
}

// tell says what the job does.
func (m *measurement) tell(rounds int) {
	all, waiting, busy := 0, 0, map[string]bool{}
	for _, n := range m.plan.Rounds {
		all += n
	}
	reasons := map[string]bool{}
	for _, s := range m.tasks {
		switch s.state {
		case "PENDING":
			waiting++
			reasons[s.reason] = true
		case "RUNNING":
			busy[s.node] = true
		}
	}
	text := fmt.Sprintf("Slurm job %s: %d of %d rounds", m.id, rounds, all)
	if len(busy) > 0 {
		text += ", on " + strings.Join(slices.Sorted(maps.Keys(busy)), ", ")
	}
	if waiting > 0 {
		text += fmt.Sprintf(", %d waiting (%s)", waiting, strings.Join(slices.Sorted(maps.Keys(reasons)), ", "))
	}
	m.job.Progress(runner.Step{Doing: text, Fraction: float64(rounds) / float64(all)})
}

// result ends the job, and makes a run of all complete rounds. cause is why following it ended.
func (m *measurement) result(ctx context.Context, cause error) (*record.Run, error) {
	if cause != nil {
		m.end(context.WithoutCancel(ctx))
	}
	done, err := attempts(m.dir)
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	var parts []pooling.Part
	complete := make(map[int]int)
	faults := make(map[int]*attempt)
	for i := range done {
		a := &done[i]
		if a.Fault != nil {
			faults[a.task] = a
		}
		if a.Rounds == 0 {
			continue
		}
		r, err := a.read(m.dir)
		if err != nil {
			cause = errors.Join(cause, err)
			continue
		}
		parts, complete[a.task] = append(parts, pooling.Part{Node: a.Node, Run: r}), complete[a.task]+r.Rounds
	}
	missing, why := m.missing(complete, faults)
	p := m.job.Params
	run, err := pooling.Pool(parts, pooling.Options{Analysis: p.Analysis, IncludeFailed: p.IncludeFailed, Seed: uint64(m.plan.Seed)})
	if errors.Is(err, pooling.ErrNothing) {
		return nil, m.failure(ctx, cause, faults, missing)
	}
	run.Partial = len(why) > 0
	run.Notes = append(run.Notes, why...)
	return run, ctx.Err()
}

// missing says why rounds are missing, by task.
func (m *measurement) missing(complete map[int]int, faults map[int]*attempt) (why []string, notes []note.Note) {
	seen := make(map[string]bool)
	for i, n := range m.plan.Rounds {
		if complete[i] >= n {
			continue
		}
		s, known := m.tasks[i]
		text, node := "", s.node
		switch {
		case faults[i] != nil:
			text, node = faults[i].Fault.Text, faults[i].Node
		case known && s.over() && s.state != "COMPLETED":
			text = s.ended()
		case known && !s.over():
			text = "the job was ended before"
		default:
			text = "the task ended and left nothing" + said(m.dir)
		}
		if key := node + ": " + text; !seen[key] {
			seen[key] = true
			why, notes = append(why, text), append(notes, note.NodeEnded(node, text))
		}
	}
	return why, notes
}

// failure is the error where no round is complete.
func (m *measurement) failure(ctx context.Context, cause error, faults map[int]*attempt, missing []string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, task := range slices.Sorted(maps.Keys(faults)) {
		return fmt.Errorf("%s: %w", faults[task].Node, faults[task].Fault.Err())
	}
	if len(missing) > 0 {
		return &Error{fmt.Errorf("job %s: %s", m.id, missing[0])}
	}
	return cmp.Or(cause, pooling.ErrNothing)
}

// end cancels the job, and waits until its tasks have ended.
func (m *measurement) end(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, endPatience)
	defer stop()
	m.job.Progress(runner.Step{Doing: "ending Slurm job " + m.id, Fraction: -1})
	for cancel(ctx, m.Options, m.id) != nil && ctx.Err() == nil {
		wait(ctx, m.poll)
	}
	for ctx.Err() == nil {
		tasks, err := states(ctx, m.Options, m.id)
		if err == nil && !slices.ContainsFunc(slices.Collect(maps.Values(tasks)), func(s state) bool { return !s.over() }) {
			return
		}
		wait(ctx, m.poll)
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
