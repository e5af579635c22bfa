package execution

import (
	"errors"
	"fmt"
	"os"
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

// exitCode is that of a shell.
func exitCode(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.ExitCode()
}

// killGroup kills the command and all that it started and that is still in
// its group, also after the command itself has ended.
func killGroup(cmd *exec.Cmd) error {
	if syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) == nil {
		return nil
	}
	return cmd.Process.Kill() // it may have joined another group
}

// awaitExit waits until a child of this thread has ended, and leaves it a zombie. A child that
// stays stopped for longer than patience is killed; stopped says so. A child that asked to be
// traced (PTRACE_TRACEME) in any of its threads has this thread as its tracer: it would stop at
// its next signal, and even a killed one would not end. It is detached.
func awaitExit(pid int, patience time.Duration, kill func()) (stopped string) {
	late := make(chan string, 1)
	timer := time.NewTimer(0)
	defer func() { timer.Stop() }()
	for {
		e := nextEvent(pid)
		switch {
		case e.code == childTrapped && detach(e.id, e.signal):
		case e.id != pid: // a thread, which would keep the process from ending
			unix.Waitid(unix.P_PID, e.id, nil, unix.WEXITED|unix.WSTOPPED|unix.WALL|unix.WNOHANG, nil) //nolint:errcheck // it may be gone
		case e.code == childStopped, e.code == childTrapped:
			unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOHANG, nil) //nolint:errcheck // so that it is not told again
			timer.Stop()
			timer = time.AfterFunc(patience, func() {
				late <- fmt.Sprintf("it was stopped by %s, and nothing let it go on", unix.SignalName(e.signal))
				kill()
			})
		case e.code == childContinued:
			unix.Waitid(unix.P_PID, pid, nil, unix.WCONTINUED|unix.WNOHANG, nil) //nolint:errcheck // likewise
			timer.Stop()
		default:
			select {
			case stopped = <-late:
			default:
			}
			return stopped
		}
	}
}

// A childEvent is a change of state of a child, or of a thread of it.
type childEvent struct {
	id     int
	code   int32 // sigaction(2), si_code
	signal syscall.Signal
}

const childTrapped, childStopped, childContinued = 4, 5, 6 // CLD_TRAPPED and so on

// nextEvent waits for the next event of a child of this thread, without consuming it. Where
// there will be none, the code is 0.
func nextEvent(pid int) childEvent {
	const events = unix.WEXITED | unix.WSTOPPED | unix.WCONTINUED | unix.WNOWAIT
	for {
		// Only a wait for all children reports threads; up to Linux 4.6 no wait does.
		e, err := waitFor(unix.P_ALL, 0, events|unix.WALL|unix.WNOTHREAD)
		if errors.Is(err, unix.EINVAL) {
			e, err = waitFor(unix.P_PID, pid, events)
		}
		if err == nil && e.id != pid && !isThread(pid, e.id) {
			// Another child of this thread, for which another goroutine waits.
			time.Sleep(time.Millisecond)
			e, err = waitFor(unix.P_PID, pid, events|unix.WNOHANG)
		}
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return childEvent{id: pid}
		case e.id != 0:
			return e
		}
	}
}

func waitFor(kind, id, options int) (childEvent, error) {
	var info unix.Siginfo
	if err := unix.Waitid(kind, id, &info, options, nil); err != nil {
		return childEvent{}, err
	}
	// si_pid, si_uid and si_status stand behind the header of 16 bytes (64-bit systems).
	fields := (*[7]int32)(unsafe.Pointer(&info))
	return childEvent{int(fields[4]), info.Code, syscall.Signal(fields[6])}, nil
}

func isThread(pid, id int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", pid, id))
	return err == nil
}

// detach ends the tracing of a child by this thread, and delivers the signal at which it
// stopped.
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

// machineNow reads the clocks. CLOCK_BOOTTIME goes on while the machine sleeps.
func machineNow(stealNS int64) Moment {
	awake := monotonic()
	return Moment{awake, clock(unix.CLOCK_BOOTTIME) - awake, stealNS}
}
