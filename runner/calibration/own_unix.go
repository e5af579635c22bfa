//go:build unix

package calibration

import (
	"time"

	"golang.org/x/sys/unix"
)

// ownCPU is the CPU time of this process.
func ownCPU() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0 // its own is then that of others, and refused
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
