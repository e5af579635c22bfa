//go:build unix

package git

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// If the configuration of a repository never ends, git is stopped after the limit, and at
// once if the caller cancels.
func TestEndlessConfigurationIsGivenUp(t *testing.T) {
	r := newRepository(t)
	pipe := filepath.Join(r.dir, "pipe")
	r.must(syscall.Mkfifo(pipe, 0o600))
	r.git("config", "include.path", pipe)
	defer func(l time.Duration) { limit = l }(limit)
	limit = 50 * time.Millisecond
	_, err := Commit(t.Context(), r.dir, "HEAD")
	if err == nil || !strings.Contains(err.Error(), "git took longer than 50ms in "+r.dir) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dirty(ctx, r.dir); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
