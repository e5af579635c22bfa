package wire

import (
	"context"
	"os"
	"syscall"
	"time"

	"go.uber.org/zap"
)

// parentInterval is how often the editor's process is looked for where the system
// does not tell of its end.
const parentInterval = 5 * time.Second

// watchProcess ends serving when the process has ended that the client says it is (LSP
// 3.18, "initialize"). The end of its stream does not always tell: a child of the editor
// may hold that open. A process that is not there now, or is another user's, is one of
// another machine or container, and is not watched.
func (c *Conn) WatchProcess(pid int) {
	if pid <= 0 || pid == os.Getpid() {
		return
	}
	ended := endOf(pid)
	if ended == nil {
		c.log.Info("the editor's process is not to be seen from here", zap.Int("process", pid))
		return
	}
	c.tasks.Go(context.Background(), "watching the editor", func(ctx context.Context) {
		if ended(ctx) {
			c.log.Warn("the editor's process has ended", zap.Int("process", pid))
			c.hangUp()
		}
	})
}

// polled gives a function that looks at a process from time to time, until it has
// ended or ctx has; it reports whether the process has. It is nil for a process that is
// not there, or another user's.
func polled(pid int, every time.Duration) func(ctx context.Context) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return nil
	}
	there := func() bool { return p.Signal(syscall.Signal(0)) == nil }
	if !there() {
		return nil
	}
	return func(ctx context.Context) bool {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for there() {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return false
			}
		}
		return true
	}
}
