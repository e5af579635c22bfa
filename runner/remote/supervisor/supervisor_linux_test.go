package supervisor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"spell-lsp/runner/children"
	"spell-lsp/runner/remote/frame"
	"spell-lsp/spell/capture"
)

// The arguments with which the test binary is one of the processes.
const (
	asSupervisor = "supervisor"
	asWorker     = "worker"
)

func TestMain(m *testing.M) {
	err := errors.New("unknown role")
	switch {
	case len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-"):
		// Processes that tests start: with the race detector each would sleep for a second at its end.
		os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
		os.Exit(m.Run())
	case os.Args[1] == asSupervisor:
		err = Run(context.Background(), Params{Hash: os.Args[2], Worker: []string{asWorker}})
	case os.Args[1] == asWorker:
		err = Work(context.Background(), worker)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// An order is what the test tells the worker.
type order struct {
	Type string `json:"type"`
}

// A report is the answer to the order "spawn".
type report struct {
	Type   string `json:"type"`
	Worker int    `json:"worker"`
	PIDs   []int  `json:"pids"`
	// Unmarked is a daemon without the variable that marks descendants.
	Unmarked int    `json:"unmarked"`
	Folder   string `json:"folder"`
}

// worker does what it is told.
func worker(ctx context.Context, c *frame.Conn) error {
	fmt.Println("printed by the worker") // no frame: it must not reach the client's stream
	for {
		f, err := c.Receive(ctx)
		if err != nil {
			return nil //nolint:nilerr // the client is gone
		}
		switch f.Type {
		case "spawn":
			err = c.Send(ctx, spawn())
		case "hang":
			c.Send(ctx, order{"hangs"})
			select {}
		case "stop":
			err = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		case "fail":
			return errors.New("the worker has failed")
		case "end":
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// sleepers starts processes that leave their parent in every way, print their numbers and stay.
const sleepers = `p='echo $$; exec sleep 1000 >/dev/null 2>&1'
sh -c "$p" &
setsid sh -c "trap '' HUP TERM INT; $p" &
(setsid sh -c "(setsid sh -c '$p') &" &)
`

const unmarked = `env -i setsid sh -c 'echo $$; exec /bin/sleep 1000 >/dev/null 2>&1' &`

func spawn() report {
	r := report{Type: "spawned", Worker: os.Getpid(), Folder: os.Getenv("TMPDIR"), PIDs: started(sleepers), Unmarked: started(unmarked)[0]}
	if err := os.WriteFile(filepath.Join(r.Folder, "kept"), nil, 0o600); err != nil {
		panic(err)
	}
	return r
}

// started runs a script and reads the numbers of the processes that it starts.
func started(script string) (pids []int) {
	out, err := exec.Command("sh", "-c", script).Output()
	if err != nil {
		panic(err)
	}
	for _, text := range strings.Fields(string(out)) {
		pid, err := strconv.Atoi(text)
		if err != nil {
			panic(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// all are the numbers of all processes below the supervisor.
func (r *running) all() []int { return append([]int{r.Worker, r.Unmarked}, r.PIDs...) }

// A gate passes what is written until it is shut, and then drops it.
type gate struct {
	*os.File
	shut atomic.Bool
}

func (g *gate) Write(p []byte) (int, error) {
	if g.shut.Load() {
		return len(p), nil
	}
	return g.File.Write(p)
}

// A running supervisor, and the client's side of its connection.
type running struct {
	*exec.Cmd
	conn   *frame.Conn
	in     *gate // what the supervisor reads
	stderr capture.Output
	report
}

func ownHash(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// launch starts a supervisor in a cache folder of its own, with a worker that has started processes.
func launch(t *testing.T) *running {
	t.Helper()
	r := &running{Cmd: exec.Command("/proc/self/exe", asSupervisor, ownHash(t))}
	inRead, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, outWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Stdin, r.Stdout, r.Stderr, r.in = inRead, outWrite, &r.stderr, &gate{File: in}
	r.Env = append(os.Environ(), "TMPDIR=", "GOTMPDIR=", "XDG_CACHE_HOME="+t.TempDir())
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	inRead.Close()
	outWrite.Close()
	r.conn = frame.New(out, r.in)
	t.Cleanup(func() {
		r.Process.Kill()
		r.conn.Close()
		for _, pid := range r.all() {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	r.order(t, "spawn")
	f, err := r.conn.Receive(t.Context())
	if err != nil {
		t.Fatalf("%v: %s", err, r.stderr.String())
	}
	if err := json.Unmarshal(f.Message, &r.report); err != nil || len(r.PIDs) != 3 {
		t.Fatalf("%s: %v", f.Message, err)
	}
	for _, pid := range r.all() {
		if children.Ends(pid) {
			t.Fatalf("process %d does not run", pid)
		}
	}
	return r
}

func (r *running) order(t *testing.T, kind string) {
	t.Helper()
	if err := r.conn.Send(t.Context(), order{kind}); err != nil {
		t.Fatal(err)
	}
}

// allGone fails unless everything has ended, and the folder is removed.
func (r *running) allGone(t *testing.T) {
	t.Helper()
	for _, pid := range r.all() {
		if !children.Ends(pid) {
			t.Errorf("process %d still runs", pid)
		}
	}
	if _, err := os.Stat(r.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder %s is still there: %v", r.Folder, err)
	}
}

// maybeKilled is what the supervisor says where a busy machine does not let the worker end in time.
const maybeKilled = "the worker is killed, as it did not end within 1s"

// Why: whatever ends a measurement for another machine, nothing may go on there: no test program, no
// daemon of one, no file. Each case ends it in another way.
func TestNothingIsLeft(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(t *testing.T, r *running)
		says string // on standard error; "" for nothing
	}{
		{"the client ends", func(_ *testing.T, r *running) { r.conn.Close() }, maybeKilled},
		{"the client is silent", func(_ *testing.T, r *running) { r.in.shut.Store(true) }, "the client has sent nothing for too long"},
		{"the worker is done", func(t *testing.T, r *running) { r.order(t, "end") }, ""},
		{"the worker fails", func(t *testing.T, r *running) { r.order(t, "fail") }, "the worker has failed\nthe worker ended with exit code 1"},
		{"the worker is killed", func(_ *testing.T, r *running) { syscall.Kill(r.Worker, syscall.SIGKILL) }, "the worker was killed by SIGKILL"},
		{"the worker hangs when the client ends", func(t *testing.T, r *running) {
			r.order(t, "hang")
			if f, err := r.conn.Receive(t.Context()); err != nil || f.Type != "hangs" {
				t.Errorf("%v, %v", f, err)
			}
			r.conn.Close()
		}, "the worker is killed, as it did not end within 1s"},
		{"the worker is stopped when the client ends", func(_ *testing.T, r *running) {
			syscall.Kill(r.Worker, syscall.SIGSTOP)
			r.conn.Close()
		}, "the worker is killed, as it did not end within 1s"},
		{"the worker takes nothing", func(_ *testing.T, r *running) {
			syscall.Kill(r.Worker, syscall.SIGSTOP)
			go r.in.File.Write(make([]byte, 1<<20)) // more than a pipe holds
		}, "the worker takes nothing any more"},
		{"SIGTERM", func(_ *testing.T, r *running) { r.Process.Signal(syscall.SIGTERM) }, "it was told to end (terminated)"},
		{"SIGTERM and SIGHUP, as at a logout", func(_ *testing.T, r *running) {
			r.Process.Signal(syscall.SIGTERM)
			r.Process.Signal(syscall.SIGHUP)
		}, "it was told to end ("},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := launch(t)
			c.end(t, r)
			r.Wait() // what it says is looked at
			r.allGone(t)
			said := strings.ReplaceAll(r.stderr.String(), "printed by the worker\n", "")
			if c.says == maybeKilled && said == "" {
				return
			}
			if !strings.Contains(said, c.says) || c.says == "" && said != "" {
				t.Errorf("it says %q, want %q", said, c.says)
			}
		})
	}
}

// Why: the supervisor itself may be killed (out of memory, kill -9). The worker must not go on, nor what
// it started; the folder is left for the next measurement.
func TestAKilledSupervisorTakesTheWorkerAlong(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		t.Run(fmt.Sprintf("hangs %v", hangs), func(t *testing.T) {
			r := launch(t)
			if hangs {
				r.order(t, "hang")
				if _, err := r.conn.Receive(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			r.Process.Kill()
			r.Wait()
			for _, pid := range append(r.PIDs, r.Worker) {
				awaitEnd(t, pid)
			}
		})
	}
}

func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	for start := time.Now(); !children.Ends(pid); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatalf("process %d still runs", pid)
		}
	}
}

// Why: a copy that was damaged on its way, or that somebody replaced, must not run.
func TestAnotherProgramThanWasSentDoesNotRun(t *testing.T) {
	err := Run(t.Context(), Params{Hash: strings.Repeat("0", 64), Worker: []string{asWorker}})
	if err == nil || !strings.Contains(err.Error(), "is not what was sent: its SHA-256 is "+ownHash(t)) {
		t.Error(err)
	}
}

// Why: a worker that a user starts by hand would wait for frames from a terminal.
func TestAWorkerNeedsItsSupervisor(t *testing.T) {
	t.Setenv(markVariable, "")
	if err := Work(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "started by the supervisor only") {
		t.Error(err)
	}
}

// Why: a folder that cannot be used must be named before anything runs.
func TestNoFolder(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", asSupervisor, ownHash(t))
	cmd.Env = append(os.Environ(), "GOTMPDIR=", "TMPDIR=/nonexistent")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "TMPDIR=/nonexistent") {
		t.Errorf("%v: %s", err, out)
	}
}

// Why: the client reads frames from standard output; a stream that cannot be read is not silence.
func TestReadingFromTheClientFails(t *testing.T) {
	_, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	err = pass(io.MultiReader(strings.NewReader("x"), failing{}), to)
	if err == nil || !strings.Contains(err.Error(), "reading from the client: torn") {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("torn") }
