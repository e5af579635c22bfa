package main

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// Why: the claim that the server uses no CPU time at rest needs a working
// measurement: CPU time that the kernel's other interface reports must be seen.
func TestCPUTimeIsSeen(t *testing.T) {
	before, err := cpuTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for first := used(t); used(t)-first < 100*time.Millisecond; {
		runtime.Gosched()
	}
	after, err := cpuTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if after-before < 50*time.Millisecond { // a tick of the kernel may be missing
		t.Errorf("of 100 ms that were used %v are seen", after-before)
	}
	if mb, err := residentMB(os.Getpid()); err != nil || mb < 1 {
		t.Errorf("resident are %g MB, %v", mb, err)
	}
}

func used(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
