package runner

import (
	"fmt"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

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
func killGroup(cmd *exec.Cmd) error {
	if syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) == nil {
		return nil
	}
	return cmd.Process.Kill() // it may have joined another group
}

// awaitExit waits until a child of this thread has ended, and leaves it to be
// waited for. A child that is stopped and does not go on within patience is killed;
// stopped says so. One that has asked to be traced (PTRACE_TRACEME) would stand
// still at its next signal, as this thread is its tracer: it is let go.
func awaitExit(pid int, patience time.Duration, kill func()) (stopped string) {
	late := make(chan string, 1)
	var timer *time.Timer
	goesOn := func() {
		if timer != nil {
			timer.Stop()
		}
	}
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WSTOPPED|unix.WCONTINUED|unix.WNOWAIT, nil)
		what, signal := info.Code, childSignal(&info)
		switch {
		case err == unix.EINTR:
		case err == nil && what == childTrapped && detach(pid, signal):
		case err == nil && (what == childStopped || what == childTrapped):
			unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOHANG, nil) //nolint:errcheck // so that it is not told again
			goesOn()
			timer = time.AfterFunc(patience, func() {
				late <- fmt.Sprintf("it was stopped by %s, and nothing let it go on", unix.SignalName(signal))
				kill()
			})
		case err == nil && what == childContinued:
			unix.Waitid(unix.P_PID, pid, nil, unix.WCONTINUED|unix.WNOHANG, nil) //nolint:errcheck // likewise
			goesOn()
		default:
			goesOn()
			select {
			case stopped = <-late:
			default:
			}
			return stopped
		}
	}
}

// What has happened to a child (sigaction(2), CLD_TRAPPED and so on).
const childTrapped, childStopped, childContinued = 4, 5, 6

// childSignal is the signal that stopped a child, si_status. The systems that are
// supported have 64 bits.
func childSignal(info *unix.Siginfo) syscall.Signal {
	return syscall.Signal((*[7]int32)(unsafe.Pointer(info))[6])
}

// detach ends the tracing of a child by this thread, and hands it the signal at which
// it stands still.
func detach(pid int, signal syscall.Signal) bool {
	if signal == syscall.SIGTRAP {
		signal = 0
	}
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_DETACH, uintptr(pid), 0, uintptr(signal), 0, 0)
	return errno == 0
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
