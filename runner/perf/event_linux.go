package perf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"spell-lsp/runner/perfevent"
)

// A descriptor is an open event of the kernel.
type descriptor int

// openEvent opens an event that counts everything on one processor.
func openEvent(pmuType uint32, config uint64, cpu int) (event, error) {
	attr := unix.PerfEventAttr{
		Type:        pmuType,
		Config:      config,
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
	}
	fd, err := perfevent.Open(&attr, perfevent.Every, cpu)
	if err != nil {
		return nil, err
	}
	return descriptor(fd), nil
}

// read reads the three numbers of the read format: count, time enabled and time
// running, both times in ns.
func (d descriptor) read() (reading, error) {
	var buf [24]byte
	for {
		n, err := unix.Read(int(d), buf[:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return reading{}, err
		case n != len(buf):
			return reading{}, fmt.Errorf("the kernel gave %d bytes of %d: the event is in error", n, len(buf))
		}
		return reading{
			count:   binary.NativeEndian.Uint64(buf[0:]),
			enabled: time.Duration(binary.NativeEndian.Uint64(buf[8:])),
			running: time.Duration(binary.NativeEndian.Uint64(buf[16:])),
		}, nil
	}
}

func (d descriptor) close() error { return unix.Close(int(d)) }
