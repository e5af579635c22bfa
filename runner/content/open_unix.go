//go:build unix

package content

import "syscall"

const nonblocking = syscall.O_NONBLOCK
