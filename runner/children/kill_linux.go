package children

import (
	"errors"

	"golang.org/x/sys/unix"
)

// A handle refers to a process for as long as it is open, whatever becomes of its number. Where the
// kernel is older than 5.3, or a container refuses pidfd_open(2), it is the number, negated.
type handle int

func killer(pid int) (handle, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil && !errors.Is(err, unix.ESRCH) && unix.Kill(pid, 0) == nil {
		return handle(-pid), nil
	}
	return handle(fd), err
}

func (h handle) kill() error {
	if h < 0 {
		return unix.Kill(int(-h), unix.SIGKILL)
	}
	return unix.PidfdSendSignal(int(h), unix.SIGKILL, nil, 0)
}

func (h handle) close() {
	if h >= 0 {
		unix.Close(int(h)) //nolint:errcheck // nothing was written
	}
}
