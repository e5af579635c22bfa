package children

import "golang.org/x/sys/unix"

// A handle refers to a process for as long as it is open, whatever becomes of its number.
type handle int

func killer(pid int) (handle, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	return handle(fd), err
}

func (h handle) kill() error { return unix.PidfdSendSignal(int(h), unix.SIGKILL, nil, 0) }

func (h handle) close() { unix.Close(int(h)) } //nolint:errcheck // nothing was written
