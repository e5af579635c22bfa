package runner

import (
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ownGroup makes the command the leader of a process group, which is killed
// as a whole when the command's context ends, and makes the command itself
// die with this process.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = time.Second // for what left the group and holds the output open
}

// killGroup kills the command and all that it started and that is still in
// its group, also after the command itself has ended.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// programCPU reads the CPU time of all threads of a process, with a system
// call of its own (clock_getcpuclockid(3)).
func programCPU(pid int) (time.Duration, error) {
	const schedClock = 2 // CPUCLOCK_SCHED, include/linux/posix-timers.h
	var t unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|schedClock), &t)
	return time.Duration(t.Nano()), err
}

// monotonic is the clock of the probes' times, in ns.
func monotonic() int64 {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) //nolint:errcheck // every Linux has it
	return t.Nano()
}
