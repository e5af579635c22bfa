package main

import (
	"os"
	"syscall"
)

// peakMemory is the most memory in bytes that a process which ended had
// resident.
func peakMemory(p *os.ProcessState) float64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return 1024 * float64(usage.Maxrss)
}
