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
	does assignment
	dir  string
	seed uint32
	left int // rounds that are missing
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
	if number < 0 || number >= len(p.Tasks) {
		return nil, fmt.Errorf("there is no task %d in the plan of %d", number, len(p.Tasks))
	}
	all, err := attempts(dir)
	if err != nil {
		return nil, err
	}
	t := &task{dir: dir, attempt: attempt{task: number}, does: p.Tasks[number], left: p.Tasks[number].rounds()}
	t.Bundle = -1
	for _, a := range all {
		if a.task == number {
			t.left, t.number = t.left-a.Rounds, a.number+1
		}
	}
	t.seed = p.Seed + uint32(number)<<16 + uint32(t.number)<<8 // #nosec G115 -- another one for each
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

// measure runs what is missing.
func (t *task) measure(ctx context.Context) (*record.Run, error) {
	if t.left <= 0 {
		return nil, nil
	}
	if err := wanted(t.dir, time.Now()); err != nil {
		return nil, err
	}
	if t.does.Turns > 0 {
		return nil, t.takeTurns(ctx)
	}
	t.Bundle = t.does.Bundles[0]
	b, err := remote.ReadBundle(ctx, t.dir, t.Bundle)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	run, err := t.rounds(ctx, b, t.left, func(r *record.Run) {
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

// rounds runs some rounds of a bundle.
func (t *task) rounds(ctx context.Context, b *remote.Bundled, n int, kept func(*record.Run)) (*record.Run, error) {
	b.Params().Rounds, b.Params().Seed = n, cmp.Or(t.seed, 1)
	t.seed++
	return b.Measure(ctx, kept)
}

// takeTurns runs the turns that are missing. Their runs are written once a turn is complete: blocks of a turn must be
// near in time, and on one node.
func (t *task) takeTurns(ctx context.Context) error {
	of := make(map[int]*remote.Bundled)
	for _, number := range t.does.Bundles {
		b, err := remote.ReadBundle(ctx, t.dir, number)
		if err != nil {
			return err
		}
		defer b.Close()
		of[number] = b
	}
	return t.turns(func(number int) (*record.Run, error) { return t.rounds(ctx, of[number], t.does.Rounds, nil) })
}

// turns takes turns by a function that measures a bundle.
func (t *task) turns(measure func(number int) (*record.Run, error)) error {
	t.First = t.does.Turns - t.left/t.does.inTurn()
	for turn := t.First; turn < t.does.Turns; turn++ {
		if err := t.takeTurn(turn, measure); err != nil {
			return err
		}
	}
	return nil
}

func (t *task) takeTurn(turn int, measure func(number int) (*record.Run, error)) error {
	var runs []*record.Run
	for _, number := range t.does.order(turn) {
		t.Bundle = number
		run, err := measure(number)
		if err == nil && run.Rounds < t.does.Rounds {
			err = fmt.Errorf("%d of %d rounds were complete", run.Rounds, t.does.Rounds)
		}
		if err != nil {
			return err
		}
		runs = append(runs, run)
	}
	for place, run := range runs {
		if err := writeRun(t.dir, t.ofTurn(turn, place), run); err != nil {
			return err
		}
	}
	t.Rounds += len(runs) * t.does.Rounds
	t.Bundle = -1
	return errors.Join(t.write(t.dir, nil), wanted(t.dir, time.Now()))
}
