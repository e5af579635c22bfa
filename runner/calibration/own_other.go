//go:build !unix

package calibration

import "time"

// ownCPU is not asked for: how busy processors are is not known there.
func ownCPU() time.Duration { return 0 }
