package slurm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
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
	job     *runner.Job
	id      string
	cluster string // that has the job; "" for the usual one
	dir     string
	keep    bool // the folder has rounds that could not be read
	plan    plan
	tasks   map[int]state     // as last seen
	gone    map[int]time.Time // when a task was first seen to be over without having said so, by task
}

const (
	// silent is how long squeue may fail in a row: a controller is restarted within that.
	silent = 10 * time.Minute
	// endPatience is how long a job may take to end after it was cancelled.
	endPatience = time.Minute
)

// errEnough says that no other task is needed.
var errEnough = errors.New("the first tasks have failed")

// follow looks at the job until all its tasks have ended.
func (m *measurement) follow(ctx context.Context) error {
	m.gone = make(map[int]time.Time)
	begun := time.Now()
	answered := begun
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
		pause := m.poll
		if time.Since(begun) > time.Minute {
			pause = m.pollLater
		}
		if wait(ctx, pause); ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// look asks the queue and reads what tasks have done, says so, and tells whether nothing more is expected.
func (m *measurement) look(ctx context.Context) (over bool, err error) {
	tasks, err := m.states(ctx)
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
	working := 0
	for i, s := range tasks {
		if s.state == "RUNNING" && !ended[i] {
			working++
		}
	}
	if rounds == 0 && (dear || working == 0 && faults >= min(2, len(m.plan.Rounds))) { // others would end as these did
		return true, errEnough
	}
	m.tell(rounds)
	return m.over(ended, time.Now()), nil
}

// over tells whether nothing more is expected of any task.
func (m *measurement) over(ended map[int]bool, now time.Time) bool {
	over := true
	for i := range m.plan.Rounds {
		s, known := m.tasks[i]
		if ended[i] {
			continue
		}
		if known && !s.over() && !s.stuck() {
			delete(m.gone, i)
			over = false
			continue
		}
		if m.gone[i].IsZero() {
			m.gone[i] = now
		}
		patience := m.late
		if known && s.state != "COMPLETED" {
			patience = m.settled
		}
		over = over && now.Sub(m.gone[i]) >= patience
	}
	return over
}

// manyNodes are too many to name.
const manyNodes = 4

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
	switch {
	case len(busy) > manyNodes:
		text += fmt.Sprintf(", on %d nodes", len(busy))
	case len(busy) > 0:
		text += ", on " + strings.Join(slices.Sorted(maps.Keys(busy)), ", ")
	}
	if waiting > 0 {
		text += fmt.Sprintf(", %d waiting (%s)", waiting, strings.Join(slices.Sorted(maps.Keys(reasons)), ", "))
	}
	m.job.Progress(runner.Step{Doing: text, Fraction: float64(rounds) / float64(all)})
}

// result ends the job, and makes a run of all complete rounds. cause is why following it ended.
func (m *measurement) result(ctx context.Context, cause error) (*record.Run, error) {
	done, err := m.attempts()
	if cause != nil || err != nil || !m.allEnded(done) {
		m.end(context.WithoutCancel(ctx))
		done, err = m.attempts()
	}
	if err != nil {
		return nil, errors.Join(cause, m.unread(err))
	}
	var parts []pooling.Part
	var lost error
	for i := range done {
		if done[i].Rounds == 0 {
			continue
		}
		r, err := done[i].read(m.dir)
		if err != nil {
			lost = errors.Join(lost, m.unread(err))
			continue
		}
		parts = append(parts, pooling.Part{Node: done[i].Node, Run: r})
	}
	why := m.missing(done)
	if ctx.Err() == nil && cause != nil && !errors.Is(cause, errEnough) {
		why = append(why, note.EndedEarly(cause.Error()))
	}
	if lost != nil {
		why = append(why, note.EndedEarly(lost.Error()))
	}
	p := m.job.Params
	run, err := pooling.Pool(parts, pooling.Options{Analysis: p.Analysis, IncludeFailed: p.IncludeFailed, Seed: uint64(m.plan.Seed)})
	if errors.Is(err, pooling.ErrNothing) {
		return nil, m.failure(ctx, errors.Join(cause, lost), done, why)
	}
	run.Partial = len(why) > 0
	run.Notes = append(run.Notes, why...)
	return run, ctx.Err()
}

// attempts reads what tasks have done. A shared folder that fails is asked again for some seconds.
func (m *measurement) attempts() (done []attempt, err error) {
	for range 5 {
		if done, err = attempts(m.dir); err == nil {
			return done, nil
		}
		wait(context.Background(), m.poll)
	}
	return nil, err
}

// unread keeps the folder, and says where it is.
func (m *measurement) unread(err error) error {
	m.keep = true
	return &Error{fmt.Errorf("job %s: complete rounds cannot be read, they are kept in %s: %w", m.id, m.dir, err)}
}

// remove removes the folder, unless it has rounds that could not be read.
func (m *measurement) remove() {
	if !m.keep {
		os.RemoveAll(m.dir) //nolint:errcheck // a later measurement tries again
	}
}

// allEnded tells whether every task has said that it ended.
func (m *measurement) allEnded(done []attempt) bool {
	ended := make(map[int]bool)
	for _, a := range done {
		ended[a.task] = ended[a.task] || a.Ended
	}
	for i := range m.plan.Rounds {
		if !ended[i] {
			return false
		}
	}
	return true
}

// missing says why rounds are missing, each reason once for a node. A task that ended without a fault had its reason,
// which its run has, too.
func (m *measurement) missing(done []attempt) (notes []note.Note) {
	seen := make(map[string]bool)
	for i, n := range m.plan.Rounds {
		text, node, started, complete := "", "", false, 0
		for _, a := range done {
			if a.task != i {
				continue
			}
			started, complete, node = true, complete+a.Rounds, a.Node
			switch {
			case a.Fault != nil:
				text = a.Fault.Text
			case a.Ended:
				complete = n
			}
		}
		if complete >= n {
			continue
		}
		s, known := m.tasks[i]
		switch {
		case text != "":
		case known && (s.over() && s.state != "COMPLETED" || s.stuck()):
			text, node = s.ended(), s.node
		case known && !s.over():
			text, node = "the job was ended before", s.node
		default:
			text = "the task ended and left nothing"
		}
		if !started && (!known || s.over()) {
			text += m.unstarted()
		}
		if key := node + ": " + text; !seen[key] {
			seen[key] = true
			notes = append(notes, note.NodeEnded(node, text))
		}
	}
	return notes
}

// unstarted is what is known of tasks that wrote no status: what they printed, if they could.
func (m *measurement) unstarted() string {
	if text := said(m.dir); text != "" {
		return text
	}
	return ". It could not use " + m.Dir + ": nodes must share that folder with this machine, and may execute programs in it (another one: dir=DIR)"
}

// failure is the error where no round is complete.
func (m *measurement) failure(ctx context.Context, cause error, done []attempt, why []note.Note) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, a := range done {
		if a.Fault != nil {
			return fmt.Errorf("%s: %w", a.Node, a.Fault.Err())
		}
	}
	if cause != nil && !errors.Is(cause, errEnough) {
		return &Error{fmt.Errorf("job %s: %w", m.id, cause)}
	}
	for _, n := range why {
		return &Error{fmt.Errorf("job %s: %s", m.id, n.Args["reason"])}
	}
	return &Error{fmt.Errorf("job %s: %w", m.id, pooling.ErrNothing)}
}

// end cancels the job, and waits until its tasks have ended.
func (m *measurement) end(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, endPatience)
	defer stop()
	m.job.Progress(runner.Step{Doing: "ending Slurm job " + m.id, Fraction: -1})
	for m.cancel(ctx) != nil && ctx.Err() == nil {
		wait(ctx, m.poll)
	}
	for ctx.Err() == nil {
		tasks, err := m.states(ctx)
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
