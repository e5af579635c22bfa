package socket

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// peer is the process that opened a connection, and its user, as the kernel saw them then.
func peer(c *net.UnixConn) (user, pid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var credentials *unix.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		credentials, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err := errors.Join(err, failed); err != nil {
		return 0, 0, err
	}
	return int(credentials.Uid), int(credentials.Pid), nil
}
