package lsp

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// Where the system watches no more folders, files are looked at, and the log
// says that and why.
func TestPollingWhereNothingCanBeWatched(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.go")
	if err := os.WriteFile(path, []byte("package a"), 0o600); err != nil {
		t.Fatal(err)
	}
	core, logs := observer.New(zap.DebugLevel)
	s := newSession(Options{Log: zap.New(core)})
	run := &record.Run{Workspace: record.Workspace{Root: "."}, Components: []record.Component{{ID: "a.F", Package: "a", File: "a.go", N: 1}}}
	s.mu.Lock()
	s.setResults(s.results.with(newResult(dir, dir, "", run, settings.Default())))
	clear(s.due)
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.watchOrPoll(ctx, func(string) bool { return true }, func() (*fsnotify.Watcher, error) {
			return nil, os.NewSyscallError("inotify_init1", syscall.EMFILE)
		})
	}()
	due := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		found := s.due[path]
		clear(s.due)
		return found
	}
	for _, text := range []string{"", "package a\n\nfunc F() {}\n"} { // the file is new to it, then it changes
		if text != "" {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for end := time.Now().Add(20 * time.Second); !due(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("nobody sees that the file is now %q", text)
			}
		}
	}
	cancel()
	<-ended
	if n := logs.FilterMessageSnippet("looked at each second").FilterField(zap.String("cause", "too many open files")).Len(); n != 1 {
		t.Errorf("the log: %v", logs.All())
	}
}
