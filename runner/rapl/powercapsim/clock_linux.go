package powercapsim

import "golang.org/x/sys/unix"

// Now is the system's monotonic clock (CLOCK_MONOTONIC) in nanoseconds, the one
// that the Go runtime uses. All processes of a machine share it.
func Now() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0 // Linux has had this clock since 2.6
	}
	return t.Nano()
}
