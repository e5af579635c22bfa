package burn

import (
	"syscall"
	"unsafe"
)

// onCPU is the processor that this thread runs on (getcpu(2)).
func onCPU() uint32 {
	const getcpu = 309
	var cpu uint32
	syscall.RawSyscall(getcpu, uintptr(unsafe.Pointer(&cpu)), 0, 0) //nolint:errcheck // Linux has this call
	return cpu
}
