//go:build !linux

package powercapsim

import (
	"errors"
	"time"
)

var processStart = time.Now()

// Now is a monotonic clock in nanoseconds since the process started. On Linux
// all processes share one.
func Now() int64 { return int64(time.Since(processStart)) }

func sleepUntil(t int64) { time.Sleep(time.Duration(t - Now())) }

func punctual(bool) (schedule string) { return "" }

// processCPU is known on Linux only; elsewhere the running time outside of functions
// is not booked.
func processCPU(int) (time.Duration, error) { return 0, errors.ErrUnsupported }
