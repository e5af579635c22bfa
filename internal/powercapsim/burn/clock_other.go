//go:build !linux || !(amd64 || arm64)

package burn

import "time"

// threadCPU is not known here.
func threadCPU() time.Duration { return 0 }
