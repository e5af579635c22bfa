package main

import (
	"os"
	"syscall"
)

// peakMemory is the peak resident memory of an ended process, in bytes.
func peakMemory(p *os.ProcessState) float64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return 1024 * float64(usage.Maxrss)
}
