package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"spell-lsp/internal/recordtest"
	"spell-lsp/runner"
	"spell-lsp/spell"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
)

// rounds is a run of that many.
func rounds(n int) *record.Run {
	return recordtest.Program(recordtest.Part{ID: "m.F", Joules: slices.Repeat([]float64{5}, n)})
}

// A measurement is a share of an array that was submitted.
type measurement struct {
	*array
	*share
}

// submitted is a job of two tasks with three rounds each, about which squeue says these lines, one after another and
// then the last one.
func submitted(t *testing.T, says ...string) *measurement {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the commands of the test are scripts")
	}
	bin, dir := t.TempDir(), t.TempDir()
	for i, text := range says {
		if err := os.WriteFile(filepath.Join(bin, fmt.Sprint("says.", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range map[string]string{
		"squeue":  `n=$(cat n 2>/dev/null || echo 0); [ -e says.$((n+1)) ] && echo $((n+1)) >n; grep -q Invalid says.$n && { cat says.$n >&2; exit 1; }; cat says.$n`,
		"scancel": `echo "$@" >>cancelled; for f in says.*; do printf '0|CANCELLED|None|n1\n1|CANCELLED|None|n2\n' >$f; done`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\ncd "+bin+"\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	task := &runner.Task{Params: runner.Params{Analysis: spell.Options{Order: spell.ByWeightedEnergy}}}
	m := &measurement{
		&array{Site: &Site{Options: Options{Nodes: 2}, poll: time.Microsecond, pollLater: time.Microsecond}, dir: dir, id: "7", progress: func(runner.Step) {}},
		&share{job: runner.Job{Task: task}},
	}
	m.divide(6, 2)
	return m
}

// divide gives the measurement so many rounds on so many nodes.
func (m *measurement) divide(rounds, nodes int) {
	m.plan.Tasks, m.share.tasks = divided(0, rounds, nodes), nil
	for i := range m.plan.Tasks {
		m.share.tasks = append(m.share.tasks, i)
	}
}

// done writes what an attempt has done.
func (m *measurement) done(t *testing.T, name string, s status) {
	t.Helper()
	a, _ := attemptOf(name + statusEnd)
	a.status = s
	var run *record.Run
	if s.Rounds > 0 {
		run = rounds(s.Rounds)
	}
	if err := a.write(m.dir, run); err != nil {
		t.Fatal(err)
	}
}

// end follows the job to its end.
func (m *measurement) finish(ctx context.Context) (*record.Run, error) {
	done, cause := m.outcome(ctx)
	return m.result(ctx, m.share, done, cause)
}

// empty wants a folder with nothing in it.
func empty(t *testing.T, dir string) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left: %v, error %v", entries, err)
	}
}

// reasons are why rounds are missing.
func reasons(r *record.Run) string {
	var list []string
	for _, n := range r.Notes {
		if n.Code == note.NodeEndedCode {
			list = append(list, fmt.Sprint(n.Args["node"], ": ", n.Args["reason"]))
		}
	}
	return strings.Join(list, "; ")
}

// Why: a task that is put back in the queue goes on where it was. Rounds of all its attempts count, and it is not over
// while it waits.
func TestAttemptsAddUp(t *testing.T) {
	m := submitted(t, "0|RUNNING|None|n1\n1|COMPLETED|None|n2\n", "0|PENDING|BeginTime|\n1|COMPLETED|None|n2\n", "0|COMPLETED|None|n3\n1|COMPLETED|None|n2\n")
	m.done(t, "0.0", status{Node: "n1", Rounds: 1})
	m.done(t, "0.1", status{Node: "n3", Rounds: 2, Ended: true})
	m.done(t, "1.0", status{Node: "n2", Rounds: 3, Ended: true})
	r, err := m.finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Rounds != 6 || r.Partial || len(r.Nodes) != 3 {
		t.Errorf("%d rounds of %v, partial %v; want 6 of three nodes", r.Rounds, r.Nodes, r.Partial)
	}
}

// Why: what Slurm ends must not look like a measurement that went well. The rounds that are there count, and the
// reason is said with what to do.
func TestTasksThatSlurmEnds(t *testing.T) {
	for state, want := range map[string]string{
		"TIMEOUT":       "n2: Slurm ended it at its time limit (TIMEOUT): ask for more time (time=MINUTES)",
		"OUT_OF_MEMORY": "n2: Slurm ended it for its memory (OUT_OF_MEMORY): ask for more (mem=MEGABYTES)",
		"CANCELLED":     "n2: somebody cancelled it (CANCELLED)",
		"NODE_FAIL":     "n2: its node failed (NODE_FAIL)",
		"PREEMPTED":     "n2: Slurm ended it (PREEMPTED)",
	} {
		t.Run(state, func(t *testing.T) {
			m := submitted(t, "0|COMPLETED|None|n1\n1|"+state+"|None|n2\n")
			m.done(t, "0.0", status{Node: "n1", Rounds: 3, Ended: true})
			m.done(t, "1.0", status{Node: "n2", Rounds: 1})
			r, err := m.finish(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if r.Rounds != 4 || !r.Partial || reasons(r) != want {
				t.Errorf("%d rounds, partial %v, because %q; want 4 and %q", r.Rounds, r.Partial, reasons(r), want)
			}
		})
	}
}

// Why: without any round there is nothing to show, and the exit code tells a script so.
func TestTimeLimitBeforeTheFirstRound(t *testing.T) {
	m := submitted(t, "0|TIMEOUT|None|n1\n1|TIMEOUT|None|n2\n")
	m.done(t, "0.0", status{Node: "n1"})
	_, err := m.finish(t.Context())
	if refused := (*Error)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), "job 7: Slurm ended it at its time limit") {
		t.Errorf("error %v", err)
	}
}

// Why: a program that cannot start leaves no status. What the node said is all that there is; where it could not say
// anything, the folder is not there.
func TestTaskThatCannotStart(t *testing.T) {
	for name, says := range map[string]string{
		"forgotten": "slurm_load_jobs error: Invalid job id specified\n",
		"failed":    "0|FAILED|NonZeroExitCode|n1\n1|FAILED|NonZeroExitCode|n2\n",
	} {
		t.Run(name, func(t *testing.T) {
			m := submitted(t, says)
			if _, err := m.finish(t.Context()); err == nil || !strings.Contains(err.Error(), "nodes must share that folder") {
				t.Errorf("without a word: %v", err)
			}
			if err := os.WriteFile(filepath.Join(m.dir, "output.0"), []byte("./spell-lsp: cannot execute binary file\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := m.finish(t.Context()); err == nil || !strings.Contains(err.Error(), "; it says:\n./spell-lsp: cannot execute binary file") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// Why: two nodes without a counter fail within a second, while two others are in their first round.
func TestFaultsOfSomeNodesEndNothing(t *testing.T) {
	m := submitted(t, "0|FAILED|None|n1\n1|FAILED|None|n2\n2|RUNNING|None|n3\n", "0|FAILED|None|n1\n1|FAILED|None|n2\n2|RUNNING|None|n3\n")
	m.divide(9, 3)
	for _, name := range []string{"0.0", "1.0"} {
		m.done(t, name, status{Node: "n", Ended: true, Fault: &runner.Fault{Text: "no counter"}})
	}
	m.done(t, "2.0", status{Node: "n3"})
	looks := 0
	m.progress = func(runner.Step) {
		if looks++; looks == 3 {
			m.done(t, "2.0", status{Node: "n3", Rounds: 3, Ended: true})
		}
	}
	if r, err := m.finish(t.Context()); err != nil || r.Rounds != 3 || reasons(r) != "n: no counter" {
		t.Errorf("error %v, run %v", err, r)
	}
}

// Why: what is held waits until an administrator does something. A CI job would wait with it.
func TestTaskThatIsHeld(t *testing.T) {
	m := submitted(t, "0|PENDING|JobHeldAdmin|\n1|PENDING|BadConstraints|\n")
	if _, err := m.finish(t.Context()); err == nil || !strings.Contains(err.Error(), "it would wait for ever (JobHeldAdmin)") {
		t.Errorf("error %v", err)
	}
}

// Why: with a bound on time, a node may run fewer rounds than it was given. Nothing is missing then.
func TestFewerRoundsThanPlanned(t *testing.T) {
	m := submitted(t, "0|COMPLETED|None|n1\n1|COMPLETED|None|n2\n")
	m.done(t, "0.0", status{Node: "n1", Rounds: 2, Ended: true})
	m.done(t, "1.0", status{Node: "n2", Rounds: 1, Ended: true})
	if r, err := m.finish(t.Context()); err != nil || r.Rounds != 3 || r.Partial || reasons(r) != "" {
		t.Errorf("error %v, run %v", err, r)
	}
}

// Why: rounds that took hours must not be removed because a shared folder fails for a moment, or a file is damaged.
func TestRoundsThatCannotBeRead(t *testing.T) {
	m := submitted(t, "0|COMPLETED|None|n1\n1|COMPLETED|None|n2\n")
	m.done(t, "0.0", status{Node: "n1", Rounds: 3, Ended: true})
	m.done(t, "1.0", status{Node: "n2", Rounds: 3, Ended: true})
	if err := os.WriteFile(filepath.Join(m.dir, "1.0"+runEnd), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := m.finish(t.Context())
	if err != nil || r.Rounds != 3 || !r.Partial {
		t.Fatalf("error %v, run %v; want the three rounds that can be read", err, r)
	}
	if m.remove(); !m.keep {
		t.Error("the folder with the others is removed")
	}
	if i := slices.IndexFunc(r.Notes, func(n note.Note) bool { return n.Code == note.EndedEarlyCode }); i < 0 || !strings.Contains(fmt.Sprint(r.Notes[i].Args["error"]), m.dir) {
		t.Errorf("no note names the folder: %v", r.Notes)
	}
}

// Why: where the first nodes cannot measure, the others cannot either, and hours of a cluster would be wasted.
func TestFaultsEndTheJob(t *testing.T) {
	waits := "0|RUNNING|None|n1\n1|PENDING|Resources|\n"
	m := submitted(t, waits)
	m.done(t, "0.0", status{Node: "n1", Ended: true, Fault: &runner.Fault{Kind: "dear", ProbesShare: 0.4}})
	_, err := m.finish(t.Context())
	if err == nil || err.Error() != "n1: probes would take 40.0 % of the CPU time" {
		t.Errorf("error %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(strings.Split(os.Getenv("PATH"), ":")[0], "cancelled")); err != nil || string(text) != "7\n" {
		t.Errorf("cancelled %q, error %v; want job 7", text, err)
	}
}

// Why: one node without a counter is no reason to lose what the others measure.
func TestFaultOfOneNode(t *testing.T) {
	m := submitted(t, "0|FAILED|None|n1\n1|RUNNING|None|n2\n", "0|FAILED|None|n1\n1|COMPLETED|None|n2\n")
	m.done(t, "0.0", status{Node: "n1", Ended: true, Fault: &runner.Fault{Text: "no counter"}})
	m.done(t, "1.0", status{Node: "n2", Rounds: 3, Ended: true})
	r, err := m.finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Rounds != 3 || !r.Partial || reasons(r) != "n1: no counter" {
		t.Errorf("%d rounds, partial %v, because %q", r.Rounds, r.Partial, reasons(r))
	}
}

func TestCancelKeepsRounds(t *testing.T) {
	m := submitted(t, "0|RUNNING|None|n1\n1|PENDING|Resources|\n")
	m.done(t, "0.0", status{Node: "n1", Rounds: 2})
	ctx, cancel := context.WithCancel(t.Context())
	m.progress = func(s runner.Step) {
		if strings.Contains(s.Doing, "2 of 6 rounds, on n1, 1 waiting (Resources)") {
			cancel()
		}
	}
	r, err := m.finish(ctx)
	if !errors.Is(err, context.Canceled) || r == nil || r.Rounds != 2 || !r.Partial {
		t.Errorf("error %v, run %v; want 2 rounds", err, r)
	}
}

func TestPlans(t *testing.T) {
	for _, c := range []struct {
		rounds, nodes int
		want          []int
	}{{12, 4, []int{3, 3, 3, 3}}, {10, 4, []int{3, 3, 2, 2}}, {2, 4, []int{1, 1}}, {200, 200, slices.Repeat([]int{1}, 200)}} {
		var got []int
		for _, of := range divided(0, c.rounds, c.nodes) {
			got = append(got, of.Rounds)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d rounds on %d nodes: %v, want %v", c.rounds, c.nodes, got, c.want)
		}
	}
}

// Why: an attempt must run what is missing, no more, under a name of its own.
func TestAttemptRunsWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SLURM_ARRAY_TASK_ID", "1")
	t.Setenv("SLURMD_NODENAME", "n9")
	if err := writeJSON(filepath.Join(dir, planFile), plan{Tasks: []assignment{{Bundles: []int{0}, Rounds: 3}, {Bundles: []int{0}, Rounds: 5}}, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	for i, done := range []int{2, 1, 2} {
		task, err := newTask(dir)
		if err != nil {
			t.Fatal(err)
		}
		want := []int{5, 3, 2}[i]
		if task.left != want || task.name() != fmt.Sprint("1.", i) || task.Node != "n9" {
			t.Errorf("attempt %s on %s runs %d rounds, want %d", task.name(), task.Node, task.left, want)
		}
		if task.Rounds = done; task.write(dir, rounds(done)) != nil {
			t.Fatal("the status cannot be written")
		}
	}
}

// Why: sbatch hands the environment of a login node on, whose TMPDIR a node may not have.
func TestFolderOfTheNode(t *testing.T) {
	local, there := t.TempDir(), t.TempDir()
	for name, c := range map[string]struct{ gotmp, tmp, slurm, want string }{
		"it is here":            {"", there, local, there},
		"it is not here":        {"/nowhere/a", "/nowhere/b", local, local},
		"the node has none":     {"", "/nowhere/b", "", ""},
		"Go's own goes before":  {there, "", local, ""},
		"none was chosen there": {"", "", local, local},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOTMPDIR", c.gotmp)
			t.Setenv("TMPDIR", c.tmp)
			t.Setenv("SLURM_TMPDIR", c.slurm)
			if useLocalFolder(); os.Getenv("TMPDIR") != c.want {
				t.Errorf("TMPDIR is %q, want %q", os.Getenv("TMPDIR"), c.want)
			}
		})
	}
}

func TestTaskOfNoJob(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SLURM_ARRAY_TASK_ID", "")
	if err := RunTask(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "measure --on slurm submits") {
		t.Errorf("without a number: %v", err)
	}
	t.Setenv("SLURM_ARRAY_TASK_ID", "4")
	if err := RunTask(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "reading the plan") {
		t.Errorf("without a plan: %v", err)
	}
	if err := writeJSON(filepath.Join(dir, planFile), plan{Tasks: []assignment{{Bundles: []int{0}, Rounds: 3}}}); err != nil {
		t.Fatal(err)
	}
	if err := RunTask(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "no task 4 in the plan of 1") {
		t.Errorf("a task too many: %v", err)
	}
}

// Why: a job may wait for days in the queue, while the laptop of whoever asked was closed. It then must not measure
// for nobody.
func TestNobodyWaits(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	if err := wanted(dir, now); err == nil {
		t.Error("nobody was ever there, and it is wanted")
	}
	if err := touch(dir, now); err != nil {
		t.Fatal(err)
	}
	if err := wanted(dir, now.Add(forsaken-time.Second)); err != nil {
		t.Error(err)
	}
	if err := wanted(dir, now.Add(forsaken+time.Second)); err == nil || !strings.Contains(err.Error(), "2026-11-28T12:00:00Z") {
		t.Errorf("long after: %v", err)
	}
}

// Why: spell-lsp may be killed while its job runs. The next one removes what is left, but not what is in use.
func TestOldFoldersAreRemoved(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	for _, name := range []string{"spell-lsp-run-old", "spell-lsp-run-used", "spell-lsp-run-mine"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	later := now.Add(25 * time.Hour)
	if err := errors.Join(touch(filepath.Join(dir, "spell-lsp-run-old"), now), touch(filepath.Join(dir, "spell-lsp-run-used"), later)); err != nil {
		t.Fatal(err)
	}
	s := &Site{Options: Options{Dir: dir}}
	s.tidy(later)
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if want := []string{"spell-lsp-run-mine", "spell-lsp-run-used"}; !slices.Equal(left, want) {
		t.Errorf("left: %v, want %v", left, want)
	}
}

func TestStatesThatSqueueSays(t *testing.T) {
	got, err := parseStates("CLUSTER: lab\n0|PENDING|(Resources)|\n12|RUNNING|None|n[1]\n")
	if err != nil || got[0] != (state{"PENDING", "Resources", ""}) || got[12] != (state{"RUNNING", "None", "n[1]"}) {
		t.Errorf("%v, error %v", got, err)
	}
	for _, text := range []string{"0|PENDING\n", "x|RUNNING|None|n1\n"} {
		if got, err := parseStates(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
