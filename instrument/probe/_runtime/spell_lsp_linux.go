//go:build amd64 || arm64

package runtime

import (
	kernel "syscall_package"
	"unsafe"
)

// spellThreadCPU is the CPU time of this thread in ns (clock_gettime(2),
// CLOCK_THREAD_CPUTIME_ID).
//
//go:nosplit
func spellThreadCPU() int64 {
	const threadClock = 3
	var t [2]int64 // struct timespec of 64-bit systems
	kernel.Syscall6(spellClockGettime, threadClock, uintptr(unsafe.Pointer(&t)), 0, 0, 0, 0)
	return t[0]*1e9 + t[1]
}
