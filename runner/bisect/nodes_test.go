package bisect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spell-lsp/runner"
	"spell-lsp/runner/remote/slurm"
	"spell-lsp/spell/bisection"
	"spell-lsp/spell/record"
)

// A fakeCluster measures by a fake, on nodes each of which draws another power.
type fakeCluster struct {
	*fake
	arrays [][]slurm.Sequence
	built  [][]string                                     // what commits of each array cost
	node   func(sequence int, runs []*record.Run) error   // if not nil, changes the runs of a turn, or has them fail
	after  func(turns []slurm.Turn) ([]slurm.Turn, error) // if not nil, says what comes of an array
}

// power is that of the node of a task.
func power(sequence int) float64 { return 1 + float64(sequence%5) }

// fakeTurns are those of one array.
type fakeTurns struct {
	*fakeCluster
	params []runner.Params
	costs  []string
}

func (f *fakeCluster) turns() (Turns, error) { return &fakeTurns{fakeCluster: f}, nil }

func (f *fakeTurns) Close() {}

func (f *fakeTurns) Add(ctx context.Context, p runner.Params) (int, error) {
	text, err := os.ReadFile(filepath.Join(p.Dir, "cost"))
	if err != nil || strings.HasPrefix(string(text), "broken") {
		_, err = f.ofCost(p, text, err)
		return 0, err
	}
	f.params, f.costs = append(f.params, p), append(f.costs, string(text))
	return len(f.costs) - 1, ctx.Err()
}

func (f *fakeTurns) Measure(_ context.Context, list []slurm.Sequence, progress func(runner.Step)) (turns []slurm.Turn, failures []slurm.Failure, err error) {
	f.arrays, f.built = append(f.arrays, list), append(f.built, f.costs)
	progress(runner.Step{Doing: "Slurm job 7"})
	for i, s := range list {
	task:
		for n := range s.Turns {
			t := slurm.Turn{Sequence: i, Number: n}
			order := slices.Clone(s.Builds)
			if n%2 == 1 {
				slices.Reverse(order)
			}
			for _, build := range order {
				p := f.params[build]
				p.Rounds = s.Rounds
				run, err := f.ofCost(p, []byte(f.costs[build]), nil)
				if err != nil {
					failures = append(failures, slurm.Failure{Sequence: i, Build: build, Err: err})
					break task
				}
				for _, series := range []record.Energy{run.Tests[0].EnergyJ, run.Components[0].EnergyJ} {
					for d := range series {
						series[d] *= power(i)
					}
				}
				for _, values := range [][]float64{run.Tests[0].RoundEnergyJ["cpu"], run.Components[0].RoundEnergyJ["cpu"]} {
					for k := range values {
						values[k] *= power(i)
					}
				}
				idle := run.Tests[0].Unattributed[record.Idle].EnergyJ
				idle["cpu"] *= power(i)
				t.Runs = append(t.Runs, run)
			}
			if f.node != nil {
				if err := f.node(i, t.Runs); err != nil {
					failures = append(failures, slurm.Failure{Sequence: i, Build: -1, Err: err})
					break
				}
			}
			turns = append(turns, t)
		}
	}
	if f.after != nil {
		turns, err = f.after(turns)
	}
	return turns, failures, err
}

// onNodes are the parameters of a search on so many nodes.
func (r repo) onNodes(n int, good, bad string) (Params, *fakeCluster) {
	f := &fakeCluster{fake: useFake(r.t)}
	f.before = func(int, runner.Params) { r.t.Error("it measures on this machine") }
	p := r.params(good, bad)
	p.Nodes, p.Turns = n, f.turns
	return p, f
}

// Why: on a cluster each measurement waits in the queue, and nodes differ by more than commits do. What is compared
// must run on one node, and few arrays must do.
func TestCommitsOnNodes(t *testing.T) {
	r := newRepo(t)
	good := r.commits("1")
	r.commits("1", "1", "broken", "1", "1", "1", "fails", "1")
	culprit := r.commits("1.2")
	r.commits("1.2", "1.2", "broken", "1.2", "1.2", "1.2")
	p, f := r.onNodes(7, good, "HEAD")
	doing := make(map[string]bool)
	p.Progress = func(s Step) { doing[s.Doing] = true }
	got, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if got.Outcome != bisection.Culprit || got.Commits[0].Hash != culprit || got.Function == nil || got.Function.ID != "example.com/m.(*T).F" {
		t.Errorf("%+v", got)
	}
	if m := got.Made; m == nil || m.Change < 0.19 || m.Change > 0.21 {
		t.Errorf("it changed %+v", m)
	}
	if len(f.arrays) > 4 { // GOOD and BAD; two of candidates; the culprit and its parent
		t.Errorf("%d arrays: %v", len(f.arrays), f.built)
	}
	if n := len(f.arrays[1]); n != 7 {
		t.Errorf("the second array has %d tasks, want one for each node", n)
	}
	if !doing["Slurm job 7"] || !doing["building "+culprit[:7]] {
		t.Errorf("it tells %v", doing)
	}
	// The same search again measures nothing but what explains it, which is of no earlier start.
	f.arrays = nil
	again, err := Run(t.Context(), p)
	if err != nil || again.Outcome != bisection.Culprit || again.Kept != again.Rounds || len(f.arrays) != 1 || again.Function == nil {
		t.Errorf("%d arrays for what is known, %+v, %v", len(f.arrays), again, err)
	}
}

// Why: one node alone is what a small lab has, and its queue is as long.
func TestCommitsOnOneNode(t *testing.T) {
	r := newRepo(t)
	good := r.commits("1")
	r.commits("1")
	culprit := r.commits("1.2")
	r.commits("1.2")
	p, f := r.onNodes(1, good, "HEAD")
	got, err := Run(t.Context(), p)
	if err != nil || got.Outcome != bisection.Culprit || got.Commits[0].Hash != culprit {
		t.Errorf("%+v, %v", got, err)
	}
	for _, list := range f.arrays {
		if len(list) != 1 || list[0].Turns != arrayCycles {
			t.Errorf("an array of %+v", list)
		}
	}
}

// Why: of many nodes some fail, and some are of another kind. The others know the answer.
func TestNodesThatFail(t *testing.T) {
	r := newRepo(t)
	good := r.commits("1")
	r.commits("1")
	culprit := r.commits("1.2")
	r.commits("1.2")
	p, f := r.onNodes(4, good, "HEAD")
	f.node = func(sequence int, runs []*record.Run) error {
		switch sequence {
		case 1:
			return errors.New("n2: no counter")
		case 3:
			for _, run := range runs {
				run.Host.CPU = "another"
			}
		}
		return nil
	}
	got, err := Run(t.Context(), p)
	if err != nil || got.Outcome != bisection.Culprit || got.Commits[0].Hash != culprit {
		t.Errorf("%+v, %v", got, err)
	}
}

// Why: where no node can measure, the search must say why, once, and not go on for ever.
func TestNoNodeCanMeasure(t *testing.T) {
	r := newRepo(t)
	good := r.commits("1")
	bad := r.commits("1.2")
	for name, c := range map[string]struct {
		change func(*fakeCluster)
		want   string
	}{
		"no counter": {func(f *fakeCluster) { f.node = func(int, []*record.Run) error { return errors.New("no counter") } }, "no counter"},
		"Slurm fails": {func(f *fakeCluster) {
			f.after = func([]slurm.Turn) ([]slurm.Turn, error) { return nil, errors.New("it takes no job") }
		}, "it takes no job"},
		"no result": {func(f *fakeCluster) { f.after = func([]slurm.Turn) ([]slurm.Turn, error) { return nil, nil } }, "no node has measured " + bad[:7]},
	} {
		t.Run(name, func(t *testing.T) {
			p, f := r.onNodes(4, good, "HEAD")
			c.change(f)
			if _, err := Run(t.Context(), p); err == nil || err.Error() != c.want {
				t.Errorf("error %q, want %q", err, c.want)
			}
			if len(f.arrays) != 1 {
				t.Errorf("%d arrays", len(f.arrays))
			}
		})
	}
}

// Why: GOOD is measured everywhere. If it cannot be, that ends the search.
func TestGoodCannotBeMeasuredOnNodes(t *testing.T) {
	r := newRepo(t)
	good := r.commits("broken")
	r.commits("1")
	p, _ := r.onNodes(4, good, "HEAD")
	if _, err := Run(t.Context(), p); !errors.As(err, new(*ReferenceError)) || !strings.Contains(err.Error(), "GOOD ("+good[:7]+") cannot be measured") {
		t.Errorf("error %v", err)
	}
}

// Why: what a cluster has measured took long. A search that is interrupted must go on with it.
func TestInterruptedOnNodes(t *testing.T) {
	r := newRepo(t)
	good := r.commits("1")
	r.commits("1", "1")
	culprit := r.commits("1.2")
	r.commits("1.2")
	p, f := r.onNodes(3, good, "HEAD")
	ctx, cancel := context.WithCancel(t.Context())
	f.after = func(turns []slurm.Turn) ([]slurm.Turn, error) {
		if len(f.arrays) < 2 {
			return turns, nil
		}
		cancel()
		return turns[:len(turns)/2], ctx.Err()
	}
	if _, err := Run(ctx, p); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	f.after = nil
	kept := 0
	p.Progress = func(s Step) { kept += s.Kept }
	got, err := Run(t.Context(), p)
	if err != nil || got.Outcome != bisection.Culprit || got.Commits[0].Hash != culprit {
		t.Errorf("%+v, %v", got, err)
	}
	if least := (2*arrayCycles + 3*arrayCycles) * bisection.BlockRounds; kept < least {
		t.Errorf("%d rounds are kept, want at least %d", kept, least)
	}
}

// Why: on as many nodes as there are commits, each has one. If that of the middle one fails, the search must not end:
// the other nodes work.
func TestNodeOfTheMiddleFails(t *testing.T) {
	r := newRepo(t)
	good := r.commits("1")
	r.commits("1")
	culprit := r.commits("1.2")
	r.commits("1.2")
	r.commits("1.2")
	p, f := r.onNodes(3, good, "HEAD")
	f.node = func(sequence int, _ []*record.Run) error {
		if len(f.arrays) == 2 && sequence == 0 {
			return errors.New("n1: no counter")
		}
		return nil
	}
	got, err := Run(t.Context(), p)
	if err != nil || got.Outcome != bisection.Culprit || got.Commits[0].Hash != culprit {
		t.Errorf("%+v, %v", got, err)
	}
}

// Why: the first node that answers may be the odd one.
func TestFirstNodeIsOfAnotherKind(t *testing.T) {
	r := newRepo(t)
	good := r.commits("1")
	culprit := r.commits("1.2")
	p, f := r.onNodes(4, good, "HEAD")
	f.node = func(sequence int, runs []*record.Run) error {
		for _, run := range runs {
			if run.Host.CPU = "usual"; sequence == 0 {
				run.Host.CPU = "odd"
			}
		}
		return nil
	}
	missing := 0
	p.Progress = func(s Step) {
		if s.Missing != nil && strings.Contains(s.Missing.Error(), "than this (odd") {
			missing++
		}
	}
	got, err := Run(t.Context(), p)
	if err != nil || got.Outcome != bisection.Culprit || got.Commits[0].Hash != culprit || missing == 0 {
		t.Errorf("%+v, %v; told %d times", got, err, missing)
	}
}

// Why: what is wrong with GOOD and BAD must be said in the same words as on one machine.
func TestNoTestPassesOnNodes(t *testing.T) {
	for name, c := range map[string]struct{ bad, want string }{
		"it fails at BAD":        {"fails", "that passes at GOOD and at BAD; these do not: example.com/m.TestA"},
		"the module was renamed": {"module=example.com/other", "choose both before or both behind the commit that renamed it"},
	} {
		for _, component := range []string{"", "T.F"} {
			t.Run(name+component, func(t *testing.T) {
				r := newRepo(t)
				good := r.commits("1")
				r.commits(c.bad)
				p, _ := r.onNodes(4, good, "HEAD")
				p.Component = component
				if _, err := Run(t.Context(), p); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q", err, c.want)
				}
			})
		}
	}
}
