package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"spell-lsp/runner"
	"spell-lsp/spell/record"
)

// Why: one job must do for all modules that build; one that does not build, and one that has to be measured again in
// another mode, must not have the others wait for ever. Builds at the same time would slow a login node down.
func TestBatch(t *testing.T) {
	s := &Site{Options: Options{Nodes: 2, Dir: t.TempDir()}}
	b := newBatch(s, 4)
	var jobs [][]string
	b.carryOut = func(_ context.Context, a *array, all []request) {
		var names []string
		for _, r := range all {
			names = append(names, r.job.Workspace.Module)
		}
		slices.Sort(names)
		jobs = append(jobs, names)
		a.remove()
		for _, r := range all {
			r.answer <- Result{Run: rounds(len(r.tasks))}
		}
	}
	building := 0
	job := func(i int) (*record.Run, error) {
		task := &runner.Task{Params: runner.Params{Rounds: 1 + i}}
		task.Workspace.Module = fmt.Sprint("m", i)
		building++ // the race detector looks, too
		runtime.Gosched()
		if building != 1 {
			t.Errorf("%d are built at the same time", building)
		}
		building--
		return b.Measure(t.Context(), runner.Job{Task: task, Progress: func(runner.Step) {}})
	}
	broken := errors.New("it does not build")
	results := b.each(t.Context(), func(i int) (*record.Run, error) {
		switch i {
		case 1:
			return nil, broken
		case 3:
			if _, err := job(i); err != nil {
				t.Error(err)
			}
		}
		return job(i)
	})
	if len(jobs) != 2 || !slices.Equal(jobs[0], []string{"m0", "m2", "m3"}) || !slices.Equal(jobs[1], []string{"m3"}) {
		t.Errorf("the jobs are %v", jobs)
	}
	for i, want := range []int{1, 0, 2, 2} { // tasks
		if r := results[i]; i == 1 && !errors.Is(r.Err, broken) || i != 1 && (r.Err != nil || r.Run.Rounds != want) {
			t.Errorf("%d: error %v, run %v", i, r.Err, r.Run)
		}
	}
	empty(t, s.Dir)
}

// Why: where nothing builds, no job must be submitted.
func TestBatchOfNothing(t *testing.T) {
	s := &Site{Options: Options{Nodes: 2, Dir: t.TempDir()}}
	b := newBatch(s, 2)
	b.carryOut = func(context.Context, *array, []request) { t.Error("a job is submitted") }
	for _, r := range b.each(t.Context(), func(int) (*record.Run, error) { return nil, context.Canceled }) {
		if !errors.Is(r.Err, context.Canceled) {
			t.Error(r.Err)
		}
	}
	empty(t, s.Dir)
}

// Why: a disk that is full must leave no folder.
func TestBatchThatCannotBeWritten(t *testing.T) {
	s := &Site{Options: Options{Nodes: 2, Dir: t.TempDir()}}
	b := newBatch(s, 1)
	b.carryOut = func(context.Context, *array, []request) { t.Error("a job is submitted") }
	results := b.each(t.Context(), func(int) (*record.Run, error) {
		folder := filepath.Join(t.TempDir(), "gone")
		return b.Measure(t.Context(), runner.Job{Task: &runner.Task{}, Folders: []string{folder}, Base: folder, Progress: func(runner.Step) {}})
	})
	if !errors.Is(results[0].Err, os.ErrNotExist) {
		t.Error(results[0].Err)
	}
	empty(t, s.Dir)
}

// Why: who interrupts while modules are built must not find a job in the queue afterwards.
func TestNothingIsSubmittedAfterAnInterrupt(t *testing.T) {
	m := submitted(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m.id = ""
	if done, err := m.carryOut(ctx, m.progress); done != nil || m.id != "" || err == nil {
		t.Errorf("job %q, error %v", m.id, err)
	}
}
