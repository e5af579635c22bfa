package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"spell-lsp/spell/store"
)

// A child is a process of the command whose end is waited for.
type child struct {
	*exec.Cmd
	data   string // its store; "" is one of its own
	errout bytes.Buffer
	ended  chan struct{}
}

func start(t *testing.T, c *child) *child {
	t.Helper()
	c.Env = append(os.Environ(), append(c.Env, store.Variable+"="+cmp.Or(c.data, t.TempDir()))...)
	c.Stderr = &c.errout
	if err := startUnprotected(c.Cmd); err != nil {
		t.Fatal(err)
	}
	c.ended = make(chan struct{})
	go func() {
		c.Wait() // the exit code is looked at
		close(c.ended)
	}()
	t.Cleanup(func() { c.Process.Kill(); <-c.ended })
	return c
}

// startUnprotected starts a process that a closed terminal ends, though these tests
// may run under nohup: signals that are caught have their default in a child.
func startUnprotected(cmd *exec.Cmd) error {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	return cmd.Start()
}

// command is a child that runs spell-lsp.
func command(t *testing.T, args ...string) *child {
	t.Helper()
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return &child{Cmd: exec.CommandContext(context.Background(), file, args...)}
}

// startStuck starts one of stuckCommands and waits until it says that it is stuck.
func startStuck(t *testing.T, name, says string, args ...string) (*child, lines) {
	t.Helper()
	c := &child{Cmd: exec.CommandContext(context.Background(), os.Args[0], args...)}
	c.Env = []string{stuckVariable + "=" + name}
	pipe, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := lines{bufio.NewScanner(pipe)}
	start(t, c)
	out.expect(t, says)
	return c, out
}

// lines are those that a process writes.
type lines struct{ *bufio.Scanner }

func (l lines) expect(t *testing.T, want string) {
	t.Helper()
	if !l.Scan() || l.Text() != want {
		t.Fatalf("it said %q, want %q", l.Text(), want)
	}
}

func (c *child) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := c.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// interrupted checks that the process ends, and as one that was interrupted.
func (c *child) interrupted(t *testing.T) {
	t.Helper()
	select {
	case <-c.ended:
	case <-time.After(patience):
		t.Fatal("the signal was swallowed: the process is still there")
	}
	if code := c.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d; it said %q", c.ProcessState, exitInterrupted, c.errout.String())
	}
}

func (c *child) running() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// openPipe makes a pipe of one page, whose ends stay open until the test is over.
func openPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	if _, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize()); err != nil {
		t.Fatal(err)
	}
	return r, w
}

// unread is how many bytes are in a pipe.
func unread(t *testing.T, r *os.File) int {
	t.Helper()
	n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const matrixHead = "test,component,cpu_J,n,time_ms\n"

// someMatrix writes a matrix whose ranking is longer than a pipe takes.
func someMatrix(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(matrixHead)
	for i := range 500 {
		fmt.Fprintf(&b, "t,component%d,%d,1,1\n", i, i+1)
	}
	name := filepath.Join(t.TempDir(), "matrix.csv")
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// everyEnding runs a test with each signal that asks a process to end.
func everyEnding(t *testing.T, test func(*testing.T, os.Signal)) {
	t.Helper()
	long(t)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

// Who looks at a prompt that waits for input presses Ctrl-C. Each command that reads a
// run ends, also the one that would measure afterwards.
func TestInterruptWhileReading(t *testing.T) {
	t.Parallel()
	matrix := someMatrix(t)
	for name, args := range map[string][]string{
		"analyze":            {"analyze", "-"},
		"analyze csv":        {"analyze", "--input", "csv", "-"},
		"analyze spell":      {"analyze", "--input", "spell", "-"},
		"analyze trace":      {"analyze", "--input", "trace", "-"},
		"analyze binary":     {"analyze", "--input", "binary", "-"},
		"analyze json":       {"analyze", "--input", "json", "-"},
		"analyze gzoltar":    {"analyze", "--input", "gzoltar", "-"},
		"analyze suspicion":  {"analyze", "--coefficient", "ochiai", "-"},
		"analyze /dev/stdin": {"analyze", "/dev/stdin"},
		"report":             {"report", "-"},
		"report compare":     {"report", "--compare", "-", matrix},
		"compare base":       {"compare", "-", matrix},
		"compare head":       {"compare", matrix, "-"},
		"runs import":        {"runs", "import", "-"},
		"runs export":        {"runs", "export", "-"},
		"serve":              {"serve"},
	} {
		t.Run(name, func(t *testing.T) {
			everyEnding(t, func(t *testing.T, s os.Signal) {
				in, feed := openPipe(t)
				c := command(t, args...)
				c.Stdin = in
				start(t, c)
				if _, err := feed.WriteString("{"); err != nil {
					t.Fatal(err)
				}
				eventually(t, "the command reads", func() bool { return unread(t, in) == 0 || !c.running() })
				c.signal(t, s)
				c.interrupted(t)
			})
		})
	}
}

// A named pipe without a writer keeps whoever opens it waiting.
func TestInterruptWhileOpening(t *testing.T) {
	t.Parallel()
	everyEnding(t, func(t *testing.T, s os.Signal) {
		pipe := filepath.Join(t.TempDir(), "matrix.csv")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		c := start(t, command(t, "analyze", pipe))
		eventually(t, "the pipe is being opened", func() bool { return waitsIn(c.Process, "fifo", "wait_for_partner") })
		c.signal(t, s)
		c.interrupted(t)
	})
}

// waitsIn tells whether a thread of the process waits in a function of the kernel whose
// name has one of these parts.
func waitsIn(process *os.Process, parts ...string) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/wchan", process.Pid))
	for _, thread := range threads {
		where, _ := os.ReadFile(thread) // a thread may be gone
		for _, part := range parts {
			if strings.Contains(string(where), part) {
				return true
			}
		}
	}
	return false
}

// A pager that is not scrolled leaves the pipe full, and does not read on.
func TestInterruptWhileWriting(t *testing.T) {
	t.Parallel()
	matrix := someMatrix(t)
	for name, args := range map[string][]string{
		"analyze":     {"analyze", "--top", "500", matrix},
		"report":      {"report", "--format", "html", matrix},
		"compare":     {"compare", "--format", "json", matrix, matrix},
		"runs export": {"runs", "export", matrix},
	} {
		t.Run(name, func(t *testing.T) {
			everyEnding(t, func(t *testing.T, s os.Signal) {
				_, w := openPipe(t)
				c := command(t, args...)
				c.Stdout = w
				start(t, c)
				eventually(t, "the pipe is full", func() bool { return waitsIn(c.Process, "pipe_write") || !c.running() })
				c.signal(t, s)
				c.interrupted(t)
			})
		})
	}
}

// The end of a large input is not waited for.
func TestInterruptWhileReadingMuch(t *testing.T) {
	t.Parallel()
	everyEnding(t, func(t *testing.T, s os.Signal) {
		in, feed := openPipe(t)
		c := command(t, "analyze", "--input", "csv", "-")
		c.Stdin = in
		start(t, c)
		in.Close() // so that the writer sees the end of the process
		var fed atomic.Int64
		go func() {
			rows := bufio.NewWriterSize(feed, 1<<16)
			rows.WriteString(matrixHead)
			for i := 0; ; i++ {
				n, err := fmt.Fprintf(rows, "t%d,component,1,1,1\n", i)
				if err != nil {
					return
				}
				fed.Add(int64(n))
			}
		}()
		eventually(t, "a MiB is read", func() bool { return fed.Load() > 1<<20 || !c.running() })
		c.signal(t, s)
		c.interrupted(t)
	})
}

// An interrupt while the result is written leaves the old file, and nothing else.
func TestInterruptLeavesTheOldFile(t *testing.T) {
	t.Parallel()
	everyEnding(t, func(t *testing.T, s os.Signal) {
		dir := t.TempDir()
		file := filepath.Join(dir, "result")
		if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		c, _ := startStuck(t, "writing", "writing", file)
		c.signal(t, s)
		c.interrupted(t)
		if text, err := os.ReadFile(file); string(text) != "old" || err != nil {
			t.Errorf("the file has %q, error %v", text, err)
		}
		if list, err := os.ReadDir(dir); len(list) != 1 || err != nil {
			t.Errorf("the folder has %v, error %v", list, err)
		}
	})
}

// What hangs while it saves is killed by the second signal.
func TestSecondSignalKills(t *testing.T) {
	t.Parallel()
	everyEnding(t, func(t *testing.T, s os.Signal) {
		c, out := startStuck(t, "saving", "holding")
		c.signal(t, s)
		out.expect(t, "saving") // it does not end before it has saved
		other := syscall.SIGTERM
		if s == other {
			other = syscall.SIGINT
		}
		c.signal(t, other) // the same one may be an echo: timeout(1) sends two at a time
		c.interrupted(t)
	})
}

// Who presses Ctrl-C again and again ends it too. Once the second signal has been
// accepted, the next one kills a process that is slow to end.
func TestRepeatedSignalKills(t *testing.T) {
	t.Parallel()
	everyEnding(t, func(t *testing.T, s os.Signal) {
		c, out := startStuck(t, "saving", "holding")
		c.signal(t, s)
		out.expect(t, "saving")
		eventually(t, "the process ends", func() bool {
			c.Process.Signal(s) // it may just have ended
			return !c.running()
		})
		status := c.ProcessState.Sys().(syscall.WaitStatus)
		if status.ExitStatus() != exitInterrupted && status.Signal() != s {
			t.Errorf("ended with %v, want exit code %d or the signal", c.ProcessState, exitInterrupted)
		}
	})
}

// A command that has saved everything and still shows it needs one signal only.
func TestInterruptAfterSaving(t *testing.T) {
	t.Parallel()
	everyEnding(t, func(t *testing.T, s os.Signal) {
		c, _ := startStuck(t, "saved", "showing")
		c.signal(t, s)
		c.interrupted(t)
	})
}

// A measurement that was interrupted shows what there is. Where nobody reads that,
// the second signal ends it. By then the round that was complete is saved, and no
// process and no folder is left.
func TestSecondSignalKillsMeasurement(t *testing.T) {
	long(t)
	t.Parallel()
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	_, w := openPipe(t)
	data := t.TempDir()
	m := &measuring{temp: t.TempDir(), mark: fmt.Sprintf("SPELL_TEST=%s-%d", t.Name(), time.Now().UnixNano())}
	m.Cmd = exec.CommandContext(t.Context(), file, "measure", "--no-calm", "-C", stubborn(t), "--meter", "none", "--warmup", "0", "--rounds", "5", "--format", "html")
	m.Env = append(os.Environ(), "TMPDIR="+m.temp, store.Variable+"="+data, m.mark)
	m.Stdout = w
	stderr, err := m.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	m.stderr = bufio.NewScanner(stderr)
	if err := startUnprotected(m.Cmd); err != nil {
		t.Fatal(err)
	}
	m.stuck(t)
	if err := m.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pipe is full", func() bool { return waitsIn(m.Process, "pipe_write") })
	if err := m.Process.Signal(syscall.SIGTERM); err != nil { // another one, which is no echo
		t.Fatal(err)
	}
	if code := m.end(); code != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d", m.ProcessState, exitInterrupted)
	}
	m.gone(t)
	if left := m.scratch(); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
	if saved, _ := filepath.Glob(filepath.Join(data, "*", "*", "runs", "*")); len(saved) != 1 {
		t.Errorf("the round that was complete is not saved: %s", saved)
	}
}

// head closes the pipe when it has what it wants. There is nobody to tell then.
func TestOutputThatNobodyReads(t *testing.T) {
	t.Parallel()
	c := command(t, "report", "--format", "html", someMatrix(t))
	out, w := openPipe(t)
	c.Stdout = w
	start(t, c)
	w.Close()
	if _, err := io.ReadFull(out, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	out.Close()
	<-c.ended
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGPIPE || c.errout.Len() > 0 {
		t.Errorf("ended with %v, want SIGPIPE as other commands; it said %q", c.ProcessState, c.errout.String())
	}
}

// A command under nohup does not catch the signal of a closed terminal, whatever else
// it catches.
func TestNohup(t *testing.T) {
	t.Parallel()
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	in, feed := openPipe(t)
	c := &child{Cmd: exec.CommandContext(context.Background(), "sh", "-c", `trap "" HUP; exec "$0" analyze --input csv -`, file)}
	c.Stdin = in
	start(t, c)
	if _, err := feed.WriteString(matrixHead); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the command reads", func() bool { return unread(t, in) == 0 })
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "SigIgn:")
	mask, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	if ignored, err := strconv.ParseUint(mask, 16, 64); err != nil || ignored&1 == 0 {
		t.Errorf("SIGHUP is not ignored any more: %s, %v", mask, err)
	}
	c.signal(t, syscall.SIGHUP)
	if _, err := feed.WriteString("t,c,1,1,1\n"); err != nil {
		t.Fatal(err)
	}
	feed.Close()
	<-c.ended
	if code := c.ProcessState.ExitCode(); code != exitDone {
		t.Errorf("ended with %v: %s", c.ProcessState, c.errout.String())
	}
}
