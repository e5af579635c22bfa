package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/internal/powercapsim"
	"spell-lsp/internal/slurmtest"
	"spell-lsp/spell/comparison"
	"spell-lsp/spell/note"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
)

var tasks = flag.Int("tasks", 0, "measure on a cluster by an array job of that many tasks, and try all that takes long there")

// soaking skips what takes long on a cluster, unless it is asked for.
func soaking(t *testing.T) {
	t.Helper()
	if *tasks == 0 {
		t.Skip("it takes minutes: make soak-slurm runs it")
	}
}

// cluster is one whose nodes draw these watts in place of one, when a program books its energy.
func cluster(t *testing.T, load ...float64) *slurmtest.Cluster {
	t.Helper()
	long(t)
	var own []string
	for _, l := range load {
		dir := t.TempDir()
		zone := powercapsim.Zone{Name: "package-0", Watts: 0.1, Load: l}
		simulateBeside(t, powercapsim.Params{Dir: dir, Zones: []powercapsim.Zone{zone}, Accounts: filepath.Join(dir, "accounts")})
		if err := os.WriteFile(filepath.Join(dir, "load"), []byte(fmt.Sprint(l)), 0o600); err != nil {
			t.Fatal(err)
		}
		own = append(own, dir)
	}
	c := slurmtest.New(t, own...)
	t.Setenv("COUNTER_OF_NODE", c.Own)
	return c
}

// booking is a module whose test uses 25 joules in each round, as Booked in x.go says, however fast the machine is: it books half a
// joule at a time, and waits until the counter has it. The sampler divides what a counter gains between two readings by their times,
// so a test that ends between the two loses some of one step only.
func booking(t *testing.T) string {
	t.Helper()
	dir := module(t, map[string]string{
		"go.mod": "module example.com/booking\n\ngo 1.26\n\nrequire example.com/burn v0.0.0\n\nreplace example.com/burn => ./burn\n",
		"x.go":   "package booking\n\n// Booked is how long F draws 50 W, in nanoseconds.\nconst Booked = 500_000_000\n\nfunc F(n int) (sum int) {\n\tfor i := range n {\n\t\tsum += i % 7\n\t}\n\treturn sum\n}\n",
		"x_test.go": `package booking

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/burn"
)

// number is that of a file of the node.
func number(t *testing.T, file string) float64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(os.Getenv("COUNTER_OF_NODE"), file))
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func counter(t *testing.T) float64 { return number(t, "class/powercap/intel-rapl:0/energy_uj") }

// wait waits in the third round of a task until the test of the cluster has done what it does. A round may run the
// test several times, so rounds are those that the task says are complete.
func wait(t *testing.T) {
	gate := os.Getenv("GATE")
	files, _ := filepath.Glob(filepath.Join(os.Getenv("SHARED"), "*", os.Getenv("SLURM_ARRAY_TASK_ID")+".*.json"))
	complete := 0
	for _, file := range files {
		var status struct{ Rounds int }
		text, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(text, &status) != nil {
			t.Fatal(file, err)
		}
		complete += status.Rounds
	}
	for gate != "" && complete == 2 {
		_, waits := os.Stat(os.Getenv("SHARED"))
		if _, err := os.Stat(gate); err == nil || waits != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestF(t *testing.T) {
	if _, err := os.ReadFile("testdata/x"); err != nil {
		t.Fatal(err)
	}
	wait(t)
	accounts, err := burn.Open(filepath.Join(os.Getenv("COUNTER_OF_NODE"), "accounts"))
	if err != nil {
		t.Fatal(err)
	}
	F(1_000_000)
	const step = 10_000_000
	for range Booked / step {
		before := counter(t)
		accounts.Book(nil, 0, 50, step)
		for counter(t) < before+step/20*number(t, "load")*0.99 {
			time.Sleep(time.Millisecond)
		}
	}
}
`,
		"testdata/x": "x",
	})
	if err := powercapsim.WriteBurn(filepath.Join(dir, "burn")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// onCluster starts a measurement of a folder on the cluster. It keeps its files in the folder shared.
func onCluster(t *testing.T, c *slurmtest.Cluster, shared, options, dir string, args ...string) *measuring {
	t.Helper()
	file, err := static()
	if err != nil {
		t.Fatal(err)
	}
	on := fmt.Sprintf("slurm:dir=%s,%s", shared, options)
	args = append([]string{"--on", on, "--format", "json", "--warmup", "0", "--meter", "rapl", "--powercap-root", powercapsim.Root(c.Own)}, args...)
	return startMeasuringBy(t, file, t.TempDir(), dir, args...)
}

// deviations are those of a run's nodes, and the rounds of each.
func deviations(r *record.Run) (list []string) {
	for _, n := range r.Nodes {
		text := fmt.Sprintf("%s %d", n.Name, n.Rounds)
		if n.Deviation != 0 {
			text += fmt.Sprintf(" %+.1f", n.Deviation)
		}
		list = append(list, text)
	}
	return list
}

// empty waits until a folder has nothing in it.
func empty(t *testing.T, dir string) {
	t.Helper()
	eventually(t, "nothing is left in "+dir, func() bool {
		entries, err := os.ReadDir(dir)
		return err == nil && len(entries) == 0
	})
}

// codes are those of notes.
func codes(list []note.Note) (codes []note.Code) {
	for _, n := range list {
		codes = append(codes, n.Code)
	}
	return codes
}

// Why: a lab measures on four nodes to have its rounds in a quarter of the time. All must count, and a node that draws
// more than the others must not go unnoticed.
func TestMeasureOnACluster(t *testing.T) {
	c := cluster(t, 1, 1, 1, 3)
	shared, dir, gate := t.TempDir(), booking(t), filepath.Join(t.TempDir(), "gate")
	t.Setenv("GATE", gate)
	t.Setenv("SHARED", shared)
	m := onCluster(t, c, shared, "nodes=4", dir, "--rounds", "12")
	m.until(t, ": 8 of 12 rounds, on node1, node2, node3, node4")
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run := m.result(t, exitDone)
	empty(t, shared)
	if run.Rounds != 12 || run.Partial || run.Meter.Source != record.Measured || len(run.Tests) != 1 || run.Tests[0].Outcome != record.Pass {
		t.Errorf("%d rounds, partial %v, %s, tests %v", run.Rounds, run.Partial, run.Meter.Source, outcomes(run))
	}
	if n := len(run.Nodes); n != 4 || run.Nodes[3].Deviation < 1 || run.Nodes[3].Rounds != 3 {
		t.Errorf("nodes %v, want four, of which node4 draws three times as much; rounds %v", deviations(run), run.Tests[0].RoundEnergyJ)
	}
	if !slices.Contains(codes(run.Notes), note.NodeDiffersCode) {
		t.Errorf("no note says that node4 differs: %v", run.Notes)
	}
}

// Why: the figures of four nodes must be those that one would have given.
func TestClusterIsLikeOneNode(t *testing.T) {
	soaking(t)
	c := cluster(t, 1, 1, 1, 1)
	shared, dir := t.TempDir(), booking(t)
	one := onCluster(t, c, shared, "nodes=1", dir, "--rounds", "12").result(t, exitDone)
	four := onCluster(t, c, shared, "nodes=4,at-once=2", dir, "--rounds", "12").result(t, exitDone)
	empty(t, shared)
	if diff := cmp.Diff(outcomes(one), outcomes(four)); diff != "" || one.Rounds != 12 || four.Rounds != 12 || one.Partial || four.Partial {
		t.Errorf("rounds %v and %v, notes %v and %v, outcomes (-one node +four):\n%s", deviations(one), deviations(four), one.Notes, four.Notes, diff)
	}
	compared, err := comparison.Compare(one, four, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range compared.Tests {
		if v := test.EnergyJ.Verdict; v == comparison.Better || v == comparison.Worse {
			t.Errorf("%s is %s on four nodes: %v J and %v J", test.Name, v, test.EnergyJ.Base, test.EnergyJ.Head)
		}
	}
}

// Why: an array of many tasks is what a cluster is good at. All of them must count, and each once.
func TestArrayOfManyTasks(t *testing.T) {
	soaking(t)
	c := cluster(t, 1, 1, 1, 1)
	shared := t.TempDir()
	run := onCluster(t, c, shared, fmt.Sprintf("nodes=%d,at-once=2", *tasks), booking(t), "--rounds", fmt.Sprint(*tasks)).result(t, exitDone)
	if empty(t, shared); run.Rounds != *tasks || run.Partial || run.Tests[0].Rounds != *tasks {
		t.Errorf("%d rounds of %d (%v), partial %v", run.Rounds, *tasks, deviations(run), run.Partial)
	}
}

// Why: schedulers interrupt: jobs are put back in the queue for more urgent ones, or are cancelled. No complete
// round may be lost, none may count twice, and what is missing must be said.
func TestClusterInterrupts(t *testing.T) {
	dir := booking(t)
	for name, in := range map[string]struct {
		interrupt func(t *testing.T, c *slurmtest.Cluster, m *measuring, id string)
		code      int
		rounds    int
		soak      bool
		options   string
		want      string // of the reason; "" is any
	}{
		"put back in the queue": {func(t *testing.T, c *slurmtest.Cluster, _ *measuring, id string) {
			c.Do(t, "scontrol", "requeue", id+"_0")
			c.Do(t, "scontrol", "requeue", id+"_1")
		}, exitDone, 12, false, "", ""},
		"for a more urgent job": {func(t *testing.T, c *slurmtest.Cluster, _ *measuring, _ string) {
			c.Do(t, "sbatch", "--partition="+slurmtest.Urgent, "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap=true")
		}, exitDone, 12, true, "", ""},
		"by its time limit":     {func(*testing.T, *slurmtest.Cluster, *measuring, string) {}, exitDone, 4, true, ",time=1", "Slurm ended it at its time limit"},
		"cancelled by somebody": {func(t *testing.T, c *slurmtest.Cluster, _ *measuring, id string) { c.Do(t, "scancel", id+"_1") }, exitDone, 8, true, "", "somebody cancelled it"},
		"cancelled here":        {func(_ *testing.T, _ *slurmtest.Cluster, m *measuring, _ string) { m.Process.Signal(os.Interrupt) }, exitInterrupted, 4, false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if in.soak {
				soaking(t)
			}
			c, shared, gate := cluster(t, 1, 1), t.TempDir(), filepath.Join(t.TempDir(), "gate")
			t.Setenv("GATE", gate)
			t.Setenv("SHARED", shared)
			m := onCluster(t, c, shared, "nodes=2"+in.options, dir, "--rounds", "12")
			m.until(t, ": 4 of 12 rounds")
			_, rest, _ := strings.Cut(m.said[len(m.said)-1], "Slurm job ")
			id, _, _ := strings.Cut(rest, ":")
			in.interrupt(t, c, m, id)
			eventually(t, "a task is interrupted", func() bool {
				states := c.Do(t, "squeue", "--noheader", "--array", "--states=all", "--jobs="+id, "--format=%T")
				return strings.Contains(states, "PENDING") || strings.Contains(states, "CANCELLED") || strings.Contains(states, "TIMEOUT")
			})
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			run := m.result(t, in.code)
			i := slices.IndexFunc(run.Notes, func(n note.Note) bool { return n.Code == note.NodeEndedCode })
			notes := i >= 0
			if notes && !strings.Contains(fmt.Sprint(run.Notes[i].Args["reason"]), in.want) {
				t.Errorf("the reason is %v, want %q", run.Notes[i].Args, in.want)
			}
			if partial := in.rounds < 12; run.Rounds != in.rounds || run.Partial != partial || notes != partial {
				t.Errorf("%d rounds, partial %v, a reason %v; want %d, %v", run.Rounds, run.Partial, notes, in.rounds, partial)
			}
			empty(t, shared)
			eventually(t, "no job goes on", func() bool {
				jobs := c.Jobs(t)
				return !strings.Contains(jobs, "RUNNING") && !strings.Contains(jobs, "PENDING")
			})
		})
	}
}

// Why: many modules, or versions of one, must not be as many jobs, each followed by a program of its own. One that does
// not build is no reason to lose the others.
func TestModulesByOneJob(t *testing.T) {
	c, shared := cluster(t, 1, 1), t.TempDir()
	first, second := booking(t), module(t, map[string]string{
		"go.mod": "module example.com/second\n\ngo 1.26\n", "x_test.go": "package second\n\nimport \"testing\"\n\nfunc TestG(t *testing.T) { G() }\n",
		"x.go": "package second\n\nfunc G() (sum int) {\n\tfor i := range 1_000_000 {\n\t\tsum += i % 7\n\t}\n\treturn sum\n}\n",
	})
	broken := module(t, map[string]string{"go.mod": "module example.com/broken\n\ngo 1.26\n", "x_test.go": "package broken\n\nimport \"nowhere\"\n"})
	m := onCluster(t, c, shared, "nodes=2", first, "-C", broken, "-C", second, "--rounds", "2", "--no-calm", "--meter", "model") // a simulated counter stands still on a busy machine
	if code := m.end(); code != exitNothing || !strings.Contains(strings.Join(append(m.said, m.last), "\n"), broken+": ") {
		t.Errorf("exit code %d, it said %q", code, m.last)
	}
	var names []string
	for d := json.NewDecoder(&m.out); d.More(); {
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			t.Fatal(err)
		}
		run, err := recordjson.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if run.Rounds != 2 || run.Partial || run.Tests[0].Outcome != record.Pass { // one node may have had both tasks
			t.Errorf("%s: %d rounds of %v, partial %v, %v", run.Workspace.Module, run.Rounds, deviations(run), run.Partial, outcomes(run))
		}
		names = append(names, run.Workspace.Module)
	}
	if want := []string{"example.com/booking", "example.com/second"}; !slices.Equal(names, want) {
		t.Errorf("the runs are of %v, want %v", names, want)
	}
	if jobs := c.Jobs(t); strings.Count(jobs, "\n") != 3 || strings.Count(jobs, "_0|") != 1 {
		t.Errorf("the jobs are\n%s\nwant one of four tasks", jobs)
	}
	empty(t, shared)
}

// Why: several modules at a time would disturb each other, and files of pages cannot be told apart.
func TestModulesThatCannotBeMeasuredTogether(t *testing.T) {
	dir := booking(t)
	for want, args := range map[string][]string{
		"need a cluster (--on slurm)":  nil,
		"-o cannot be used":            {"-o", "x", "--on", "slurm"},
		"--format html cannot be used": {"--format", "html", "--on", "slurm"},
		"there is no option \"color\"": {"--on", "slurm:color=red"},
		"/nowhere: ":                   {"-C", "/nowhere", "--on", "slurm"},
	} {
		m := startMeasuring(t, dir, append([]string{"-C", dir}, args...)...)
		if code := m.end(); code != exitInput || !strings.Contains(m.last, want) {
			t.Errorf("%q: exit code %d, it said %q, want %q", args, code, m.last, want)
		}
	}
}

// Why: what Slurm refuses must be said in its words, with what can be done, and nothing may lie about.
func TestClusterRefuses(t *testing.T) {
	c := cluster(t, 1)
	dir := booking(t)
	for name, in := range map[string]struct {
		options string
		args    []string
		code    int
		want    string
	}{
		"no permission":        {"partition=" + slurmtest.Closed, nil, exitNothing, "Invalid user id"},
		"no such partition":    {"partition=none", nil, exitNothing, "invalid partition"},
		"node without counter": {"nodes=1", []string{"--powercap-root", "/nowhere"}, exitNothing, "node1: "},
		"no such option":       {"color=red", nil, exitInput, "there is no option \"color\""},
	} {
		t.Run(name, func(t *testing.T) {
			shared := t.TempDir()
			m := onCluster(t, c, shared, in.options, dir, append([]string{"--rounds", "1"}, in.args...)...)
			if code := m.end(); code != in.code || !strings.Contains(strings.Join(append(m.said, m.last), "\n"), in.want) {
				t.Errorf("exit code %d, want %d; it said %q, want %q", code, in.code, m.last, in.want)
			}
			empty(t, shared)
		})
	}
}

// Why: somebody at a laptop has heard of --on slurm. The error must say where it can be used.
func TestNoSlurmHere(t *testing.T) {
	bin := t.TempDir()
	for _, tool := range []string{"go", "git"} {
		if file, err := exec.LookPath(tool); err == nil {
			if err := os.Symlink(file, filepath.Join(bin, tool)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("PATH", bin)
	m := startMeasuring(t, booking(t), "--on", "slurm")
	if code := m.end(); code != exitNothing || !strings.Contains(m.last, "there is no sbatch here") {
		t.Errorf("exit code %d, it said %q", code, m.last)
	}
}
