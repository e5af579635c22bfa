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

// awaitExit waits until a child has ended, and leaves it to be waited for.
func awaitExit(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// monotonic is the clock of the probes' times, in ns.
func monotonic() int64 { return clock(unix.CLOCK_MONOTONIC) }

// threadNS is the CPU time of the thread that calls.
func threadNS() int64 { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

func clock(id int32) int64 {
	var t unix.Timespec
	unix.ClockGettime(id, &t) //nolint:errcheck // every Linux has these
	return t.Nano()
}

// machineNow is what is known of the machine. CLOCK_BOOTTIME goes on while it
// sleeps.
func machineNow(stealNS int64) machineMoment {
	awake := monotonic()
	return machineMoment{awake, clock(unix.CLOCK_BOOTTIME) - awake, stealNS}
}
