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
	return spellClock(threadClock)
}

// spellRemap is mremap(2).
func spellRemap(at unsafe.Pointer, from, to, flags uintptr) (unsafe.Pointer, uintptr) {
	r, _, errno := kernel.Syscall6(spellMremap, uintptr(at), from, to, flags, 0, 0)
	return unsafe.Pointer(r), errno
}

// spellProgramCPU is the CPU time of the process in ns
// (CLOCK_PROCESS_CPUTIME_ID). It is for package testing.
//
//go:linkname spellProgramCPU
func spellProgramCPU() int64 {
	const processClock = 2
	return spellClock(processClock)
}

// spellWaited is the CPU time of the children that the process has waited for, and of
// theirs, in ns (getrusage(2), RUSAGE_CHILDREN), and whether it has no other children
// (waitid(2), which takes nothing away). It is for package testing.
//
//go:linkname spellWaited
//go:nosplit
func spellWaited() (ns int64, none bool) {
	const children, exited, now, leave, noChild = ^uintptr(0), 4, 1, 1 << 24, 10
	var usage [18]int64 // struct rusage of 64-bit systems: user and system time, each in seconds and microseconds
	kernel.Syscall6(spellGetrusage, children, uintptr(unsafe.Pointer(&usage)), 0, 0, 0, 0)
	_, _, errno := kernel.Syscall6(spellWaitid, 0, 0, 0, exited|now|leave, 0, 0)
	return (usage[0]+usage[2])*1e9 + (usage[1]+usage[3])*1e3, errno == noChild
}

//go:nosplit
func spellClock(id uintptr) int64 {
	var t [2]int64 // struct timespec of 64-bit systems
	kernel.Syscall6(spellClockGettime, id, uintptr(unsafe.Pointer(&t)), 0, 0, 0, 0)
	return t[0]*1e9 + t[1]
}
