//go:build !linux

package unprivileged

import "errors"

// WithoutPerf is as on Linux.
const WithoutPerf = "without-perf"

// ExecWithoutPerf is for Linux, the only system whose kernel has perf_event_open(2).
func ExecWithoutPerf([]string) error { return errors.ErrUnsupported }
