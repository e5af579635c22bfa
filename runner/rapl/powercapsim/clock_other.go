//go:build !linux

package powercapsim

import "time"

var processStart = time.Now()

// Now is a monotonic clock in nanoseconds since the process started. On Linux
// all processes share one.
func Now() int64 { return int64(time.Since(processStart)) }
