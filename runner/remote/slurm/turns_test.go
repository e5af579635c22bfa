package slurm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"spell-lsp/runner"
	"spell-lsp/spell/record"
)

// turnsOf has a task take turns; measured are the bundles in their order. With the number of a measurement, from 1,
// that one fails.
func turnsOf(t *testing.T, m *measurement, attempt string, failing int) (measured []int, err error) {
	t.Helper()
	a, _ := attemptOf(attempt + statusEnd)
	does := m.plan.Tasks[a.task]
	task := &task{attempt: a, does: does, dir: m.dir, left: does.rounds()}
	task.Node = fmt.Sprint("n", a.task)
	all, err := attempts(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		if b.task == a.task {
			task.left -= b.Rounds
		}
	}
	err = task.turns(func(number int) (*record.Run, error) {
		measured = append(measured, number)
		if len(measured) == failing {
			return nil, runner.ErrNoTest
		}
		r := rounds(does.Rounds)
		r.ID = fmt.Sprint(number)
		return r, nil
	})
	task.Ended, task.Fault = failing == 0, runner.FaultOf(err)
	if err := task.write(m.dir, nil); err != nil {
		t.Fatal(err)
	}
	return measured, err
}

// inTurns is an array of two tasks, each of which measures bundles 4 and 7 in four turns.
func inTurns(t *testing.T, says ...string) *measurement {
	m := submitted(t, says...)
	of := assignment{Bundles: []int{4, 7}, Rounds: 3, Turns: 4}
	m.plan.Tasks = []assignment{of, of}
	if err := touch(m.dir, time.Now()); err != nil {
		t.Fatal(err)
	}
	return m
}

// Why: turns are in an order that even drift does not change, and one that is put back in the queue goes on with the
// first turn that is not complete: what was measured of it was on another node, or long ago.
func TestTurnsGoOn(t *testing.T) {
	m := inTurns(t, "")
	first, err := turnsOf(t, m, "0.0", 6) // in the third turn
	if !errors.Is(err, runner.ErrNoTest) || !slices.Equal(first, []int{4, 7, 7, 4, 4, 7}) {
		t.Errorf("it measures %v, error %v", first, err)
	}
	second, err := turnsOf(t, m, "0.1", 0)
	if err != nil || !slices.Equal(second, []int{4, 7, 7, 4}) {
		t.Errorf("it goes on with %v, error %v", second, err)
	}
	done, err := attempts(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	turns, err := m.turns(done)
	if err != nil || len(turns) != 4 {
		t.Fatalf("%d turns, error %v", len(turns), err)
	}
	for i, turn := range turns {
		var got []string
		for _, run := range turn.Runs {
			got = append(got, run.ID)
		}
		if want := [][]string{{"4", "7"}, {"7", "4"}}[i%2]; turn.Number != i || turn.Sequence != 0 || !slices.Equal(got, want) {
			t.Errorf("turn %d has number %d and the runs %v, want %v", i, turn.Number, got, want)
		}
	}
}

// Why: a search must know which commit cannot be measured, and take it for no other one; and why Slurm ended a task.
func TestTurnsThatAreMissing(t *testing.T) {
	m := inTurns(t, "0|FAILED|None|n0\n1|TIMEOUT|None|n1\n")
	if _, err := turnsOf(t, m, "0.0", 4); err == nil {
		t.Fatal("no error")
	}
	if _, err := turnsOf(t, m, "1.0", 3); err == nil {
		t.Fatal("no error")
	}
	done, err := m.outcome(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done[1].Fault = nil // the task was ended before it could say anything
	turns, err := m.turns(done)
	if err != nil || len(turns) != 2 {
		t.Errorf("%d turns, error %v; want one of each task", len(turns), err)
	}
	f := m.failures(done)
	if len(f) != 2 || f[0].Sequence != 0 || f[0].Build != 4 || !errors.Is(f[0].Err, runner.ErrNoTest) || !strings.HasPrefix(f[0].Err.Error(), "n0: ") {
		t.Errorf("failures %+v", f)
	}
	if len(f) == 2 && (f[1].Sequence != 1 || f[1].Build != -1 || !strings.Contains(f[1].Err.Error(), "at its time limit")) {
		t.Errorf("the second failure is %+v", f[1])
	}
}

// Why: a commit without the test fails at once on two nodes, while others are still in the queue.
func TestFaultOfACommitEndsNothing(t *testing.T) {
	m := inTurns(t, "0|FAILED|None|n0\n1|PENDING|Resources|\n", "0|FAILED|None|n0\n1|COMPLETED|None|n1\n")
	m.plan.Tasks = append(m.plan.Tasks, m.plan.Tasks[0])
	for _, name := range []string{"0.0", "2.0"} {
		if _, err := turnsOf(t, m, name, 2); err == nil {
			t.Fatal("no error")
		}
	}
	looks := 0
	m.progress = func(runner.Step) {
		if looks++; looks == 2 {
			if _, err := turnsOf(t, m, "1.0", 0); err != nil {
				t.Error(err)
			}
		}
	}
	done, err := m.outcome(t.Context())
	if turns, lost := m.turns(done); err != nil || lost != nil || len(turns) != 4 {
		t.Errorf("%d turns, errors %v and %v", len(turns), err, lost)
	}
}

// Why: who interrupts while all tasks wait, and the queue is being asked, must be told no error of the queue.
func TestInterruptWhileNothingRuns(t *testing.T) {
	m := submitted(t, "0|PENDING|Resources|\n1|PENDING|Resources|\n")
	ctx, cancel := context.WithCancel(t.Context())
	m.progress = func(runner.Step) { cancel() }
	if r, err := m.finish(ctx); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("run %v, error %v", r, err)
	}
}
