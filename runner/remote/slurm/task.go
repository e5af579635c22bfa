package slurm

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"spell-lsp/runner"
	"spell-lsp/runner/remote"
	"spell-lsp/spell/record"
	"spell-lsp/spell/record/recordjson"
)

// maxRun limits a run, unpacked, in bytes.
const maxRun = 1 << 30

func writePacked(w io.Writer, r *record.Run) error {
	packed := gzip.NewWriter(w)
	return errors.Join(recordjson.Write(packed, r), packed.Close())
}

func readPacked(r io.Reader) (io.Reader, error) {
	unpacked, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	return io.LimitReader(unpacked, maxRun), nil
}

// RunTask runs the rounds of one task, those that earlier attempts did not complete. Slurm starts it in the
// folder of the measurement. Where the measurement fails, the folder has the error, too.
func RunTask(ctx context.Context, dir string) error {
	useLocalFolder()
	t, err := newTask(dir)
	if err != nil {
		return err
	}
	run, err := t.measure(ctx)
	if ctx.Err() != nil { // Slurm ends it: another attempt may follow, or it says why not
		return ctx.Err()
	}
	t.Ended, t.Fault = true, runner.FaultOf(err)
	if run != nil {
		t.Rounds = run.Rounds
	}
	return errors.Join(err, t.write(dir, run))
}

// useLocalFolder has temporary files on the node. sbatch gives a task the environment of the machine that submitted it:
// its folder may not be here.
func useLocalFolder() {
	for _, name := range []string{"GOTMPDIR", "TMPDIR"} {
		if info, err := os.Stat(os.Getenv(name)); os.Getenv(name) != "" && (err != nil || !info.IsDir()) {
			os.Unsetenv(name) //nolint:errcheck // the name is one
		}
	}
	if local := os.Getenv("SLURM_TMPDIR"); local != "" && os.Getenv("TMPDIR") == "" && os.Getenv("GOTMPDIR") == "" {
		os.Setenv("TMPDIR", local) //nolint:errcheck // as above
	}
}

// A task is an attempt that runs.
type task struct {
	attempt
	dir    string
	seed   uint32
	rounds int // that are missing
}

func newTask(dir string) (*task, error) {
	number, err := strconv.Atoi(os.Getenv("SLURM_ARRAY_TASK_ID"))
	if err != nil {
		return nil, errors.New("this is for tasks of a job that measure --on slurm submits")
	}
	var p plan
	if err := readJSON(filepath.Join(dir, planFile), &p); err != nil {
		return nil, fmt.Errorf("reading the plan: %w", err)
	}
	if number < 0 || number >= len(p.Rounds) {
		return nil, fmt.Errorf("there is no task %d in the plan of %d", number, len(p.Rounds))
	}
	all, err := attempts(dir)
	if err != nil {
		return nil, err
	}
	t := &task{dir: dir, attempt: attempt{task: number}, rounds: p.Rounds[number]}
	for _, a := range all {
		if a.task == number {
			t.rounds, t.number = t.rounds-a.Rounds, a.number+1
		}
	}
	t.seed = p.Seed + uint32(number)<<8 + uint32(t.number) // #nosec G115 -- another one for each
	if t.Node, err = nodeName(); err != nil {
		return nil, err
	}
	return t, t.write(dir, nil)
}

// nodeName is what Slurm calls this machine.
func nodeName() (string, error) {
	if name := os.Getenv("SLURMD_NODENAME"); name != "" {
		return name, nil
	}
	return os.Hostname()
}

// measure runs what is missing. A run is written after each round.
func (t *task) measure(ctx context.Context) (*record.Run, error) {
	if t.rounds <= 0 {
		return nil, nil
	}
	if err := wanted(t.dir, time.Now()); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	b, err := remote.ReadBundle(ctx, t.dir)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	b.Params().Rounds, b.Params().Seed = t.rounds, cmp.Or(t.seed, 1)
	run, err := b.Measure(ctx, func(r *record.Run) {
		t.Rounds = r.Rounds
		if err := errors.Join(t.write(t.dir, r), wanted(t.dir, time.Now())); err != nil {
			stop(err)
		}
	})
	if cause := context.Cause(ctx); cause != nil {
		return run, cause
	}
	return run, err
}
