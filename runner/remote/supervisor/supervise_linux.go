package supervisor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"spell-lsp/runner/children"
	"spell-lsp/runner/remote/frame"
	"spell-lsp/runner/scratch"
)

// Run is the supervisor's process: it starts the worker with the standard streams, and returns when
// everything that the worker started has ended. The error says why that was not in order.
func Run(ctx context.Context, p Params) error {
	if err := verify(p.Hash); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming the parent of daemons (prctl PR_SET_CHILD_SUBREAPER): %w", err)
	}
	signals := takeSignals()
	folder, err := scratch.New()
	if err != nil {
		return err
	}
	defer folder.Remove()
	s, err := start(p.Worker, folder.Dir)
	if err != nil {
		return err
	}
	select {
	case <-s.ended:
		err = failure(s.status)
	case err = <-s.lost:
	case sig := <-signals:
		err = fmt.Errorf("it was told to end (%v)", sig)
	case <-ctx.Done():
		err = ctx.Err()
	}
	return errors.Join(err, s.end())
}

// takeSignals takes the signals that end a process from whoever had them: a second one must not end
// the supervisor before its work is done. A broken standard error must not, either.
func takeSignals() <-chan os.Signal {
	list := []os.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT}
	signal.Reset(list...)
	signals := make(chan os.Signal, len(list))
	signal.Notify(signals, list...)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // not ignored: the worker would inherit that
	return signals
}

// A supervised worker runs.
type supervised struct {
	in     *os.File           // its standard input
	mark   string             // in the environment of it and its descendants
	ended  chan struct{}      // closed when it has ended
	status syscall.WaitStatus // how it ended; set before ended is closed
	lost   chan error         // why the client's stream is at its end; nil where it was closed
}

func start(args []string, folder string) (*supervised, error) {
	in, feed, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s := &supervised{in: feed, mark: markVariable + "=" + rand.Text(), ended: make(chan struct{}), lost: make(chan error, 1)}
	cmd := exec.Command("/proc/self/exe", args...) //nolint:noctx // it has a second to end, and is killed with its descendants
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), s.mark, "TMPDIR="+folder, "GOTMPDIR="+folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, feed.Close())
	}
	go s.reap(cmd.Process.Pid)
	go func() { s.lost <- pass(os.Stdin, feed) }()
	return s, nil
}

// reap waits for all children, and reports the end of one. Without children there are no descendants,
// and will be none.
func (s *supervised) reap(worker int) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return
		case pid == worker:
			s.status = status
			close(s.ended)
		}
	}
}

// pass copies the client's stream to the worker until it ends (nil), is silent, or the worker hangs.
func pass(from io.Reader, to *os.File) error {
	read, failed := make(chan []byte), make(chan error, 1)
	go func() {
		for {
			buffer := make([]byte, 64<<10)
			n, err := from.Read(buffer)
			if n > 0 {
				read <- buffer[:n]
			}
			if err != nil {
				failed <- err
				return
			}
		}
	}()
	quiet := time.NewTimer(frame.Patience)
	for {
		select {
		case <-quiet.C:
			return errors.New("the client has sent nothing for too long")
		case err := <-failed:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("reading from the client: %w", err)
		case text := <-read:
			if err := give(to, text); err != nil {
				return err
			}
			quiet.Reset(frame.Silence)
		}
	}
}

// give writes to the worker, whose connection never waits for anybody: only one that hangs takes
// nothing.
func give(to *os.File, text []byte) error {
	err := to.SetWriteDeadline(time.Now().Add(frame.Silence))
	if err == nil {
		_, err = to.Write(text)
	}
	if err != nil {
		return fmt.Errorf("the worker takes nothing any more: %w", err)
	}
	return nil
}

// end closes the worker's stream, gives it time to end, and kills all that is left.
func (s *supervised) end() (err error) {
	s.in.Close() // so that the worker's context is cancelled
	select {
	case <-s.ended:
	case <-time.After(grace):
		err = fmt.Errorf("the worker is killed, as it did not end within %v", grace)
	}
	if left := children.EndDescendants(s.mark, killing); len(left) > 0 {
		err = errors.Join(err, fmt.Errorf("these processes cannot be killed: %s", strings.Join(left, ", ")))
	}
	return err
}

// failure says how a worker ended, nil if in order.
func failure(status syscall.WaitStatus) error {
	switch {
	case status.Signaled():
		return fmt.Errorf("the worker was killed by %s", unix.SignalName(status.Signal()))
	case status.ExitStatus() != 0:
		return fmt.Errorf("the worker ended with exit code %d", status.ExitStatus())
	}
	return nil
}
