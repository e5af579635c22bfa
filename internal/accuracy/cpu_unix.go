//go:build unix

package main

import (
	"syscall"
	"time"
)

// ownCPU is the running time of this process.
func ownCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
