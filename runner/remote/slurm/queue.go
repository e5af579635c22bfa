package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Error says what Slurm refused, or how it ended a job before a round was complete.
type Error struct{ Err error }

func (e *Error) Error() string { return "Slurm: " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// commands are the ones of Slurm that are needed.
var commands = []string{"sbatch", "squeue", "scancel"}

// find returns an error if a command of Slurm is missing.
func find() error {
	for _, name := range commands {
		if _, err := exec.LookPath(name); err != nil {
			return &Error{fmt.Errorf("there is no %s here: run spell-lsp where jobs are submitted to the cluster (a login node)", name)}
		}
	}
	return nil
}

// patience is how long a command of Slurm may take: a busy controller answers late.
const patience = 2 * time.Minute

// call runs a command of Slurm. The error has what it printed.
func call(ctx context.Context, dir, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...) // #nosec G204 -- names are of commands
	var out, said bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, &out, &said, environment()
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w%s", name, err, quoted(said.String()))
	}
	return out.String(), nil
}

// environment leaves out filters that users have for what squeue shows them and scancel ends, and that sbatch waits.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "SQUEUE_") || strings.HasPrefix(v, "SCANCEL_") || strings.HasPrefix(v, "SBATCH_WAIT=")
	})
}

// quoted is what a command said, for the end of an error.
func quoted(text string) string {
	if text = strings.TrimSpace(text); text != "" {
		return "; it says:\n" + text
	}
	return ""
}

// submit submits the script of a folder as an array of so many tasks. It returns the job's number, and the cluster
// that took it, if Slurm names one.
func submit(ctx context.Context, dir, name string, tasks int, o Options) (id, cluster string, err error) {
	array := "0-" + strconv.Itoa(tasks-1)
	if o.AtOnce > 0 {
		array += "%" + strconv.Itoa(o.AtOnce)
	}
	args := append([]string{
		"--parsable", "--array=" + array, "--exclusive", "--nodes=1", "--ntasks=1", "--requeue", "--open-mode=append",
		"--job-name=" + name, "--chdir=" + dir, "--output=" + filepath.Join(dir, "output.%a"),
	}, o.Sbatch...)
	out, err := call(ctx, dir, "sbatch", append(args, scriptFile)...)
	if err != nil {
		return "", "", &Error{fmt.Errorf("it takes no job: %w", err)}
	}
	id, cluster, _ = strings.Cut(strings.TrimSpace(out), ";")
	if _, err := strconv.Atoi(id); err != nil {
		return "", "", &Error{fmt.Errorf("sbatch printed %q, which is no number of a job", out)}
	}
	return id, cluster, nil
}

// cancel ends the job. One that has ended is no error.
func (a *array) cancel(ctx context.Context) error {
	_, err := call(ctx, "", "scancel", append(a.ofCluster(), a.id)...)
	return err
}

// ofCluster is the option that says which cluster has the job.
func (a *array) ofCluster() []string {
	if a.cluster == "" {
		return nil
	}
	return []string{"--clusters=" + a.cluster}
}

// A state is what Slurm says of a task.
type state struct {
	state  string // PENDING, RUNNING, COMPLETED, TIMEOUT, ...
	reason string // why it waits
	node   string // "" before it has one
}

// over tells whether nothing more comes of a task, unless somebody puts it back in the queue.
func (s state) over() bool {
	return slices.Contains([]string{"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT"}, s.state)
}

// ended says why Slurm has ended a task.
func (s state) ended() string {
	switch s.state {
	case "TIMEOUT":
		return "Slurm ended it at its time limit (TIMEOUT): ask for more time (time=MINUTES)"
	case "OUT_OF_MEMORY":
		return "Slurm ended it for its memory (OUT_OF_MEMORY): ask for more (mem=MEGABYTES)"
	case "CANCELLED":
		return "somebody cancelled it (CANCELLED)"
	case "NODE_FAIL":
		return "its node failed (NODE_FAIL)"
	case "PENDING", "SPECIAL_EXIT":
		return "it would wait for ever (" + s.reason + ")"
	}
	return "Slurm ended it (" + s.state + ")"
}

// held begins the reasons for which a task waits until somebody does something.
var held = []string{
	"AssocMaxWall", "BadConstraints", "DependencyNeverSatisfied", "JobHeld", "PartitionNodeLimit", "PartitionTimeLimit", "QOSMaxWall",
	"ReservationDeleted", "launch_failed_requeued_held", "launch failed requeued held",
}

// stuck tells whether a task will not run by itself.
func (s state) stuck() bool {
	return s.state == "PENDING" && slices.ContainsFunc(held, func(reason string) bool { return strings.HasPrefix(s.reason, reason) }) || s.state == "SPECIAL_EXIT"
}

// states asks for all tasks of the job, by number. A task that Slurm does not know any more is missing.
func (a *array) states(ctx context.Context) (map[int]state, error) {
	args := append(a.ofCluster(), "--noheader", "--array", "--states=all", "--jobs="+a.id, "--format=%K|%T|%r|%N")
	out, err := call(ctx, "", "squeue", args...)
	if err != nil {
		if strings.Contains(err.Error(), "Invalid job id") { // it ended some time ago
			return map[int]state{}, nil
		}
		return nil, err
	}
	return parseStates(out)
}

func parseStates(out string) (map[int]state, error) {
	of := make(map[int]state)
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "CLUSTER:") {
			continue
		}
		f := strings.Split(line, "|")
		if len(f) != 4 {
			return nil, fmt.Errorf("squeue printed %q, which is not what it was asked for", line)
		}
		task, err := strconv.Atoi(f[0])
		if err != nil {
			return nil, errors.New("squeue names a task " + strconv.Quote(f[0]))
		}
		of[task] = state{state: f[1], reason: strings.Trim(f[2], "()"), node: strings.TrimPrefix(f[3], "(null)")}
	}
	return of, nil
}
