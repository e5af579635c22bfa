package runner

import "fmt"

// A machineMoment is what tells whether a machine was left alone since another.
type machineMoment struct{ awakeNS, asleepNS, stealNS int64 }

const (
	mostSleepNS = 50_000_000
	mostSteal   = 0.01 // of the processors' time
)

// disturbed says what took the machine away between two moments; "" if nothing
// did.
func (a machineMoment) disturbed(b machineMoment, cores int) string {
	if slept := b.asleepNS - a.asleepNS; slept > mostSleepNS {
		return fmt.Sprintf("suspend: the machine slept for %.1f s", float64(slept)/1e9)
	}
	length := float64(b.awakeNS-a.awakeNS) * float64(cores)
	if stolen := float64(b.stealNS-a.stealNS) / max(length, 1); stolen > mostSteal && stolen <= 1 {
		return fmt.Sprintf("steal: the host took %.1f %% of the processors' time", 100*stolen)
	}
	return ""
}
