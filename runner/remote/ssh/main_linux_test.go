package ssh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"spell-lsp/runner/children"
	"spell-lsp/runner/remote/frame"
	"spell-lsp/runner/remote/supervisor"
)

// The test binary is the program on the target (agent HASH, and agent worker, as spell-lsp is), and a
// client of its own (client CONFIG).
func TestMain(m *testing.M) {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 2 && args[0] == "agent" && args[1] == "worker":
		err = supervisor.Work(context.Background(), work)
	case len(args) == 2 && args[0] == "agent":
		err = supervisor.Run(context.Background(), supervisor.Params{Hash: args[1], Worker: []string{"agent", "worker"}})
	case len(args) == 2 && args[0] == "client":
		err = client(args[1])
	default:
		// Processes that tests start: with the race detector each would sleep for a second at its end.
		os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A report is what the worker says when it is asked: who runs on the target.
type report struct {
	Type       string `json:"type"`
	Supervisor int    `json:"supervisor"`
	Worker     int    `json:"worker"`
	Daemon     int    `json:"daemon"`
	Folder     string `json:"folder"`
}

// work starts a daemon and reports it, for each message.
func work(ctx context.Context, c *frame.Conn) error {
	for {
		if _, err := c.Receive(ctx); err != nil {
			return nil //nolint:nilerr // the client is gone
		}
		out, err := exec.Command("sh", "-c", `(setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1' &)`).Output()
		if err != nil {
			return err
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil {
			return err
		}
		if err := c.Send(ctx, report{"report", os.Getppid(), os.Getpid(), pid, os.Getenv("TMPDIR")}); err != nil {
			return err
		}
	}
}

// ask asks the worker for its report.
func ask(ctx context.Context, l *Link) (r report, err error) {
	if err := l.Conn.Send(ctx, report{Type: "who"}); err != nil {
		return r, err
	}
	f, err := l.Conn.Receive(ctx)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(f.Message, &r)
}

// client connects, prints who runs on the target, and waits to be killed.
func client(config string) error {
	l, err := Dial(context.Background(), Target{Host: "target", Config: config, Binary: ownProgram})
	if err != nil {
		return err
	}
	r, err := ask(context.Background(), l)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return err
	}
	select {}
}

func ownProgram(string) (string, error) { return os.Executable() }

// gone waits until nothing of a report runs, and its folder is removed.
func (r report) gone(t *testing.T) {
	t.Helper()
	if r.Daemon == 0 || r.Folder == "" {
		t.Fatalf("the report is empty: %+v", r)
	}
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		_, err := os.Stat(r.Folder)
		if errors.Is(err, os.ErrNotExist) && children.Ends(r.Daemon) && children.Ends(r.Worker) && children.Ends(r.Supervisor) {
			return
		}
		if time.Since(start) > time.Minute {
			syscall.Kill(r.Daemon, syscall.SIGKILL)
			t.Fatalf("after a minute: folder %v, daemon ended %v, worker ended %v, supervisor ended %v",
				err, children.Ends(r.Daemon), children.Ends(r.Worker), children.Ends(r.Supervisor))
		}
	}
}

// says fails unless an error is of this package, with the cause and the text.
func says(t *testing.T, err error, cause Cause, text string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Cause != cause || !strings.Contains(err.Error(), text) {
		got := Cause(-1)
		if e != nil {
			got = e.Cause
		}
		t.Errorf("cause %d, want %d; it says\n%v\nwant %s", got, cause, err, text)
	}
}
