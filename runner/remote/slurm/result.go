package slurm

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/pooling"
	"spell-lsp/spell/regularfile"
)

// result makes a run of all complete rounds of a share. done and cause are those of carryOut.
func (a *array) result(ctx context.Context, m *share, done []attempt, cause error) (*record.Run, error) {
	if done == nil {
		return nil, cause
	}
	done = slices.DeleteFunc(slices.Clone(done), func(d attempt) bool { return !slices.Contains(m.tasks, d.task) })
	var parts []pooling.Part
	var lost error
	for i := range done {
		if done[i].Rounds == 0 {
			continue
		}
		r, err := done[i].read(a.dir)
		if err != nil {
			lost = errors.Join(lost, a.unread(err))
			continue
		}
		parts = append(parts, pooling.Part{Node: done[i].Node, Run: r})
	}
	why := a.missing(m.tasks, done)
	if ctx.Err() == nil && cause != nil && !errors.Is(cause, errEnough) {
		why = append(why, note.EndedEarly(cause.Error()))
	}
	if lost != nil {
		why = append(why, note.EndedEarly(lost.Error()))
	}
	p := m.job.Params
	run, err := pooling.Pool(parts, pooling.Options{Analysis: p.Analysis, IncludeFailed: p.IncludeFailed, Seed: uint64(a.plan.Seed)})
	if errors.Is(err, pooling.ErrNothing) {
		return nil, a.failure(ctx, errors.Join(cause, lost), done, why)
	}
	run.Partial = len(why) > 0
	run.Notes = append(run.Notes, why...)
	return run, ctx.Err()
}

// attempts reads what tasks have done. A shared folder that fails is asked again for some seconds.
func (a *array) attempts() (done []attempt, err error) {
	for range 5 {
		if done, err = attempts(a.dir); err == nil {
			return done, nil
		}
		wait(context.Background(), a.poll)
	}
	return nil, err
}

// unread keeps the folder, and says where it is.
func (a *array) unread(err error) error {
	a.keep = true
	return &Error{fmt.Errorf("job %s: complete rounds cannot be read, they are kept in %s: %w", a.id, a.dir, err)}
}

// allEnded tells whether every task has said that it ended.
func (a *array) allEnded(done []attempt) bool {
	ended := make(map[int]bool)
	for _, d := range done {
		ended[d.task] = ended[d.task] || d.Ended
	}
	for i := range a.plan.Tasks {
		if !ended[i] {
			return false
		}
	}
	return true
}

// missing says why rounds of some tasks are missing, each reason once for a node. A task that ended without a fault had its reason,
// which its run has, too.
func (a *array) missing(tasks []int, done []attempt) (notes []note.Note) {
	seen := make(map[string]bool)
	for _, i := range tasks {
		n := a.plan.Tasks[i].rounds()
		text, node, started, complete := "", "", false, 0
		for _, d := range done {
			if d.task != i {
				continue
			}
			started, complete, node = true, complete+d.Rounds, d.Node
			switch {
			case d.Fault != nil:
				text = d.Fault.Text
			case d.Ended:
				complete = n
			}
		}
		if complete >= n {
			continue
		}
		s, known := a.tasks[i]
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
			text += a.unstarted()
		}
		if key := node + ": " + text; !seen[key] {
			seen[key] = true
			notes = append(notes, note.NodeEnded(node, text))
		}
	}
	return notes
}

// unstarted is what is known of tasks that wrote no status: what they printed, if they could.
func (a *array) unstarted() string {
	if text := said(a.dir); text != "" {
		return text
	}
	return ". It could not use " + a.Dir + ": nodes must share that folder with this machine, and may execute programs in it (another one: dir=DIR)"
}

// failure is the error where no round is complete.
func (a *array) failure(ctx context.Context, cause error, done []attempt, why []note.Note) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, d := range done {
		if d.Fault != nil {
			return fmt.Errorf("%s: %w", d.Node, d.Fault.Err())
		}
	}
	if cause != nil && !errors.Is(cause, errEnough) {
		return &Error{fmt.Errorf("job %s: %w", a.id, cause)}
	}
	for _, n := range why {
		return &Error{fmt.Errorf("job %s: %s", a.id, n.Args["reason"])}
	}
	return &Error{fmt.Errorf("job %s: %w", a.id, pooling.ErrNothing)}
}

// said is what tasks printed, as far as it tells why none of them measured.
func said(dir string) string {
	names, _ := filepath.Glob(filepath.Join(dir, "output.*")) // the pattern is right
	slices.Sort(names)
	for _, name := range names {
		if text, err := regularfile.Read(name, regularfile.MaxSettings); err == nil && len(strings.TrimSpace(string(text))) > 0 {
			return quoted(string(text))
		}
	}
	return ""
}
