package wire

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// waiter returns a function that waits until a process has ended, and then returns true,
// or until ctx ends. It uses a pidfd: waiting costs nothing, and the number of the
// process may be reused. It returns nil for a process that does not exist or belongs to
// another user.
func waiter(pid int) func(ctx context.Context) bool {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil
	case err != nil: // before Linux 5.10, or forbidden in a container
		return pollingWaiter(pid)
	}
	if err := unix.PidfdSendSignal(fd, 0, nil, 0); errors.Is(err, unix.EPERM) {
		_ = unix.Close(fd)
		return nil
	}
	process := os.NewFile(uintptr(fd), "process")
	return func(ctx context.Context) bool {
		defer context.AfterFunc(ctx, func() { _ = process.Close() })() // wakes the reader
		defer process.Close()
		raw, err := process.SyscallConn()
		if err != nil {
			return false
		}
		ended := false
		_ = raw.Read(func(fd uintptr) bool { // ended has the result
			state := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(state, 0)
			ended = err == nil && n > 0
			return ended
		})
		return ended
	}
}
