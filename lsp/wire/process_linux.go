package wire

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// endOf gives a function that waits until a process has ended, and reports whether
// it has or ctx ended first. Waiting costs nothing, and another process that gets the
// number is not mistaken for it. It is nil for a process that is not there, or another
// user's.
func endOf(pid int) func(ctx context.Context) bool {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil
	case err != nil: // before Linux 5.10, or forbidden in a container
		return polled(pid, parentInterval)
	}
	if err := unix.PidfdSendSignal(fd, 0, nil, 0); errors.Is(err, unix.EPERM) {
		_ = unix.Close(fd)
		return nil
	}
	process := os.NewFile(uintptr(fd), "process")
	return func(ctx context.Context) bool {
		defer context.AfterFunc(ctx, func() { _ = process.Close() })() // wakes who waits
		defer process.Close()
		raw, err := process.SyscallConn()
		if err != nil {
			return false
		}
		ended := false
		_ = raw.Read(func(fd uintptr) bool { // ended says it
			state := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(state, 0)
			ended = err == nil && n > 0
			return ended
		})
		return ended
	}
}
