package watch

import (
	"context"
	"os"
	"time"
)

// A stamp is compared with a later one to see whether a file has changed. A missing file has the
// zero stamp.
type stamp struct {
	size     int64
	modified time.Time
}

// poll checks the files until ctx ends. It sleeps while there are none.
func (w *Watcher) poll(ctx context.Context) {
	seen := make(map[string]stamp)
	for {
		paths := w.Files()
		var next <-chan time.Time
		if len(paths) > 0 {
			next = time.After(pollInterval)
		}
		var changed []string
		for _, path := range paths {
			var now stamp // zero for a missing file
			if info, err := os.Stat(path); err == nil {
				now = stamp{info.Size(), info.ModTime()}
			}
			// A file that is new here may have changed since the caller read it.
			if before, ok := seen[path]; !ok || before != now {
				seen[path] = now
				changed = append(changed, path)
			}
		}
		if len(changed) > 0 {
			w.Changed(changed...)
		}
		select {
		case <-ctx.Done():
			return
		case <-next:
		case <-w.Again:
		}
	}
}
