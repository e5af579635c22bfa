package wire

import (
	"context"
	"os"
	"syscall"
	"time"

	"go.uber.org/zap"
)

// pollInterval is how often the editor's process is looked for where the system does not
// report its end.
const pollInterval = 5 * time.Second

// WatchProcess hangs up when the process ends that the client names as the editor
// (processId, LSP 3.18, "initialize"). The end of the stream is not enough: a child of
// the editor may keep the stream open. A process that does not exist, or belongs to
// another user, is taken for one of another machine or container and is not watched.
func (c *Conn) WatchProcess(pid int) {
	if pid <= 0 || pid == os.Getpid() {
		return
	}
	ended := waiter(pid)
	if ended == nil {
		c.log.Info("the editor's process is not visible from here, so its end is not watched for", zap.Int("process", pid))
		return
	}
	c.tasks.Go(context.Background(), "watching the editor", func(ctx context.Context) {
		if ended(ctx) {
			c.log.Warn("the editor's process has ended", zap.Int("process", pid))
			c.hangUp()
		}
	})
}

// pollingWaiter returns a function that polls a process until it has ended, and then
// returns true, or until ctx ends. It returns nil for a process that does not exist or
// belongs to another user.
func pollingWaiter(pid int) func(ctx context.Context) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return nil
	}
	exists := func() bool { return p.Signal(syscall.Signal(0)) == nil }
	if !exists() {
		return nil
	}
	return func(ctx context.Context) bool {
		tick := time.NewTicker(pollInterval)
		defer tick.Stop()
		for exists() {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return false
			}
		}
		return true
	}
}
