//go:build linux && (amd64 || arm64)

package burn

import (
	"syscall"
	"time"
	"unsafe"
)

// threadCPU is the CPU time of this thread (clock_gettime(2),
// CLOCK_THREAD_CPUTIME_ID). The Go scheduler is not told of the call: it is short.
func threadCPU() time.Duration {
	const threadClock = 3
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&t)), 0) //nolint:errcheck // Linux has this clock
	return time.Duration(t.Nano())
}
