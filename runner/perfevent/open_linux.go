package perfevent

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Every is the process or the processor of an event that counts in all of them.
const Every = -1

// Open opens an event of a thread (or Every) on a processor (or Every). The descriptor is not
// inherited by programs that this one starts.
func Open(attr *unix.PerfEventAttr, thread, cpu int) (descriptor int, err error) {
	attr.Size = uint32(unsafe.Sizeof(*attr))
	const noGroup = -1
	fd, err := unix.PerfEventOpen(attr, thread, cpu, noGroup, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return 0, fmt.Errorf("perf_event_open: %w", err)
	}
	return fd, nil
}
