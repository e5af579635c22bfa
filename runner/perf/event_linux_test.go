package perf

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// This uses the real system call and its layout, with an event that every machine has:
// PERF_COUNT_SW_CPU_CLOCK counts the nanoseconds since it was opened. If the kernel refuses,
// the error must be one that has a remedy.
func TestKernelEvent(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// What the kernel counts holds the time between inner and the last reading, and lies
	// within that from outer on, however long this thread had to wait in between. Only the
	// rates of the two clocks differ, by far less than 10 %.
	outer := time.Now()
	e, err := openEvent(unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CPU_CLOCK, 0)
	if err != nil {
		if !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOSYS) {
			t.Fatalf("opening: %v", err)
		}
		return
	}
	inner := time.Now()
	first, err := e.read()
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond)
	least := time.Since(inner)
	second, err := e.read()
	if err != nil {
		t.Fatal(err)
	}
	most := time.Since(outer)
	if limit := most * 11 / 10; second.count <= first.count || second.count > uint64(limit) || second.enabled < least*9/10 || second.enabled > limit || second.running > second.enabled {
		t.Errorf("after %v to %v the kernel's clock went from %+v to %+v", least, most, first, second)
	}
	if err := e.close(); err != nil {
		t.Error(err)
	}
	if _, err := e.read(); err == nil {
		t.Error("a closed event can be read")
	}
}
