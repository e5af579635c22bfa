package powercapsim

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Now is the system's monotonic clock (CLOCK_MONOTONIC) in nanoseconds, the one
// that the Go runtime uses. All processes of a machine share it.
func Now() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0 // Linux has had this clock since 2.6
	}
	return t.Nano()
}

// sleepUntil returns when Now is t. It bypasses the Go scheduler, because handing
// over the thread's P and getting it back takes longer than an update. The price is
// that the garbage collector waits until t too.
func sleepUntil(t int64) {
	until := unix.NsecToTimespec(t)
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, uintptr(unsafe.Pointer(&until)), 0, 0, 0)
		if errno != unix.EINTR {
			return
		}
	}
}

// punctual makes the thread's sleeps end in time; with first, the process takes
// precedence over all others, so that this also holds when processors are busy. It
// returns the scheduling policy; "" is the default one.
func punctual(first bool) (schedule string) {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // in ns; the default is 50 µs
	if !first {
		return ""
	}
	// All threads get the policy, and new ones inherit it: now and then the Go
	// scheduler needs another thread to let this one continue.
	fifo := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 10}
	if ofAllThreads(func(tid int) error { return unix.SchedSetAttr(tid, &fifo, 0) }) == nil {
		return "SCHED_FIFO"
	}
	for nice := -20; nice < 0; nice++ {
		if ofAllThreads(func(tid int) error { return unix.Setpriority(unix.PRIO_PROCESS, tid, nice) }) == nil {
			return fmt.Sprintf("nice %d", nice)
		}
	}
	return ""
}

func ofAllThreads(set func(tid int) error) error {
	tasks, err := os.ReadDir("/proc/self/task")
	for _, task := range tasks {
		tid, _ := strconv.Atoi(task.Name()) // the kernel writes numbers
		err = errors.Join(err, set(tid))
	}
	return err
}

// processCPU is the running time of all threads of a process
// (clock_getcpuclockid(3)).
func processCPU(pid int) (time.Duration, error) {
	const schedClock = 2 // CPUCLOCK_SCHED, include/linux/posix-timers.h
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|schedClock), &t); err != nil {
		return 0, err
	}
	return time.Duration(t.Nano()), nil
}
