package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"spell-lsp/runner/children"
	"spell-lsp/runner/remote/frame"
)

// Work is the worker's process: it runs the worker on the standard streams, and kills what the worker
// left running. From then on standard output is standard error: a text among the frames would end the
// connection.
func Work(ctx context.Context, work Worker) error {
	mark := os.Getenv(markVariable)
	if mark == "" {
		return errors.New("the worker is started by the supervisor only (spell-lsp agent)")
	}
	out, err := takeOutput()
	if err != nil {
		return err
	}
	conn := frame.New(os.Stdin, out)
	err = do(ctx, work, conn)
	conn.Close()
	if left := children.EndDescendants(markVariable+"="+mark, killing); len(left) > 0 {
		err = errors.Join(err, fmt.Errorf("these processes cannot be killed: %s", strings.Join(left, ", ")))
	}
	return err
}

// takeOutput returns standard output, and puts standard error into its place.
func takeOutput() (*os.File, error) {
	fd, err := unix.FcntlInt(os.Stdout.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = unix.Dup3(int(os.Stderr.Fd()), int(os.Stdout.Fd()), 0)
	}
	if err != nil {
		return nil, fmt.Errorf("taking standard output: %w", err)
	}
	return os.NewFile(uintptr(fd), "standard output"), nil
}

// do runs the worker until it returns, or until its time is over when the client is gone.
func do(ctx context.Context, work Worker, conn *frame.Conn) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	result := make(chan error, 1)
	go func() { result <- work(ctx, conn) }()
	select {
	case err := <-result:
		return err
	case <-conn.Done():
	}
	cancel(conn.Err())
	select {
	case err := <-result:
		return err
	case <-time.After(grace):
		return fmt.Errorf("the worker went on for a second after the end of the connection (%w)", conn.Err())
	}
}
