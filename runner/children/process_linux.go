package children

import "golang.org/x/sys/unix"

// cpuClock is the CPU time of all threads of a process (clock_getcpuclockid(3)).
func cpuClock(pid int) int64 {
	const schedClock = 2 // CPUCLOCK_SCHED, include/linux/posix-timers.h
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|schedClock), &t); err != nil {
		return 0
	}
	return t.Nano()
}

// waitedFor returns the CPU time in ns of the descendants that a child of this process has
// waited for. The child must have ended without having been waited for itself: the kernel's
// sum covers the child and these descendants (waitid(2)).
func waitedFor(pid int) (ns int64, known bool) {
	own := cpuClock(pid)
	var both unix.Rusage
	err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, &both)
	ns = both.Utime.Nano() + both.Stime.Nano() - own
	const rounding = 10_000 // ns; both are rounded to microseconds
	return max(0, ns), err == nil && own > 0 && ns > -rounding
}
