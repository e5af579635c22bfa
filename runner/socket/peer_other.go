//go:build !linux

package socket

import (
	"errors"
	"net"
)

// Measuring works on Linux only; on other systems the package can be built.
func peer(*net.UnixConn) (user, pid int, err error) { return 0, 0, errors.ErrUnsupported }
