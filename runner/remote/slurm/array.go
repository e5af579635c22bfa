package slurm

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"spell-lsp/runner"
	"spell-lsp/runner/remote"
	"spell-lsp/runner/remote/dist"
	"spell-lsp/spell/regularfile"
)

// An array is a job, first as it is filled, and then as it is followed.
type array struct {
	*Site
	dir      string
	bundles  int // how many it has
	name     string
	progress func(runner.Step)
	plan     plan
	id       string
	cluster  string            // that has the job; "" for the usual one
	keep     bool              // the folder has rounds that could not be read
	tasks    map[int]state     // as last seen
	gone     map[int]time.Time // when a task was first seen to be over without having said so, by task
}

// newArray makes the folder of an array. remove must be called.
func (s *Site) newArray() (*array, error) {
	s.tidy(time.Now())
	dir, err := os.MkdirTemp(s.Dir, ownFolder)
	if err != nil {
		return nil, err
	}
	return &array{Site: s, dir: dir, plan: plan{Seed: rand.Uint32()}}, nil // #nosec G404 -- of an order
}

// remove removes the folder, unless it has rounds that could not be read.
func (a *array) remove() {
	if !a.keep {
		os.RemoveAll(a.dir) //nolint:errcheck // a later measurement tries again
	}
}

// add writes the bundle of a job, and returns its number.
func (a *array) add(ctx context.Context, j runner.Job) (number int, err error) {
	if err := touch(a.dir, time.Now()); err != nil {
		return 0, err
	}
	task := *j.Task
	j.Task = &task
	j.Params.Calm = false // it needs rounds in turns with others on one node
	if j.Params.Seed != 0 {
		a.plan.Seed = j.Params.Seed
	}
	number, a.bundles = a.bundles, a.bundles+1 // also if it cannot be written: a part of it may be there
	if a.name == "" {
		a.name = jobName(&j)
	}
	return number, remote.WriteBundle(ctx, a.dir, number, a.Name, a.Ignored, j)
}

// A share is what an array does for one measurement.
type share struct {
	job   runner.Job
	tasks []int
}

// share adds a job, and tasks that divide its rounds.
func (a *array) share(ctx context.Context, j runner.Job) (*share, error) {
	bundle, err := a.add(ctx, j)
	if err != nil {
		return nil, err
	}
	rounds := j.Params.Rounds
	if rounds == 0 {
		rounds = roundsByNode * a.Nodes
	}
	m := &share{job: j}
	for _, t := range divided(bundle, rounds, a.Nodes) {
		m.tasks = append(m.tasks, len(a.plan.Tasks))
		a.plan.Tasks = append(a.plan.Tasks, t)
	}
	return m, nil
}

// jobName is what squeue shows.
func jobName(j *runner.Job) string {
	return "spell-lsp:" + strings.Map(func(c rune) rune {
		if c <= ' ' || c > '~' {
			return '_'
		}
		return c
	}, j.Workspace.Module)
}

// carryOut submits the array and waits until it has ended. It returns what its tasks have done, also where cause says
// why it ended early. Nil says that nothing is known of them.
func (a *array) carryOut(ctx context.Context, progress func(runner.Step)) (done []attempt, cause error) {
	a.progress = progress
	if err := errors.Join(a.complete(), ctx.Err()); err != nil {
		return nil, err
	}
	var err error
	// Slurm may have taken a job before it says so.
	if a.id, a.cluster, err = submit(context.WithoutCancel(ctx), a.dir, a.name, len(a.plan.Tasks), a.Options); err != nil {
		return nil, err
	}
	return a.outcome(ctx)
}

// outcome waits until the job has ended. It returns what carryOut does.
func (a *array) outcome(ctx context.Context) (done []attempt, cause error) {
	cause = a.follow(ctx)
	done, err := a.attempts()
	if cause != nil || err != nil || !a.allEnded(done) {
		a.end(context.WithoutCancel(ctx))
		done, err = a.attempts()
	}
	if err != nil {
		return nil, errors.Join(cause, a.unread(err))
	}
	return done, cause
}

// complete writes what the folder lacks: the program, its script, and the plan.
func (a *array) complete() error {
	program, err := dist.Find(runtime.GOARCH)
	if err != nil {
		return err
	}
	return errors.Join(
		touch(a.dir, time.Now()),
		copyFile(program, filepath.Join(a.dir, programFile)),
		os.WriteFile(filepath.Join(a.dir, scriptFile), []byte(scriptOf(a.dir)), 0o700), // #nosec G306 -- Slurm reads it
		writeJSON(filepath.Join(a.dir, planFile), a.plan),
	)
}

// scriptOf names the program in full: a task whose folder cannot be entered is in another one.
func scriptOf(dir string) string {
	program := "'" + strings.ReplaceAll(filepath.Join(dir, programFile), "'", `'\''`) + "'"
	return "#!/bin/sh\nexec " + program + " slurm-task\n"
}

func copyFile(from, to string) error {
	r, err := regularfile.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700) // #nosec G302 -- it is executed
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}
