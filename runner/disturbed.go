package runner

import (
	"fmt"

	"spell-lsp/runner/execution"
)

const (
	maxSleepNS = 50_000_000
	maxSteal   = 0.01 // of the time of all processors
)

// disturbed says whether the machine slept, or its host took processors away, between two
// moments; "" if not.
func disturbed(a, b execution.Moment, cores int) string {
	if slept := b.AsleepNS - a.AsleepNS; slept > maxSleepNS {
		return fmt.Sprintf("suspend: the machine slept for %.1f s", float64(slept)/1e9)
	}
	length := float64(b.AwakeNS-a.AwakeNS) * float64(cores)
	if stolen := float64(b.StealNS-a.StealNS) / max(length, 1); stolen > maxSteal && stolen <= 1 {
		return fmt.Sprintf("steal: the host took %.1f %% of the processors' time", 100*stolen)
	}
	return ""
}
