package unprivileged

import (
	"fmt"
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/unix"
)

// WithoutPerf is the first argument that makes a test binary call ExecWithoutPerf.
const WithoutPerf = "without-perf"

// ExecWithoutPerf executes a command for which the kernel refuses perf_event_open(2), as in a
// container. It returns only if that fails.
func ExecWithoutPerf(command []string) error {
	file, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	const numberOfCall = 0 // offset in struct seccomp_data
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: numberOfCall},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_PERF_EVENT_OPEN, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up privileges: %w", err)
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return fmt.Errorf("filtering system calls: %w", errno)
	}
	return unix.Exec(file, command, os.Environ())
}
