//go:build !unix

package main

import "time"

// ownCPU is not known.
func ownCPU() time.Duration { return 0 }
