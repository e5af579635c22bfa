//go:build !linux

package wire

import "context"

// waiter polls, which works on most systems. On Windows it returns nil.
func waiter(pid int) func(ctx context.Context) bool { return pollingWaiter(pid) }
