//go:build !linux

package wire

import "context"

// endOf is polled, the way that most systems have; on Windows it is nil.
func endOf(pid int) func(ctx context.Context) bool { return polled(pid, parentInterval) }
