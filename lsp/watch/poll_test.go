package watch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// If the system cannot watch more folders, files are polled, and the log says why.
func TestPollingWhereNothingCanBeWatched(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.go")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("package a")
	core, logs := observer.New(zap.DebugLevel)
	synctest.Test(t, func(t *testing.T) {
		changed := make(chan string, 10)
		w := Watcher{
			Files: func() []string { return []string{path} }, Log: zap.New(core),
			Changed: func(paths ...string) {
				for _, p := range paths {
					changed <- p
				}
			},
		}
		ctx, cancel := context.WithCancel(t.Context())
		go w.run(ctx, func() (*fsnotify.Watcher, error) { return nil, os.NewSyscallError("inotify_init1", syscall.EMFILE) })
		for _, step := range []struct {
			why  string
			do   func()
			want []string
		}{
			{"the file is new", func() {}, []string{path}},
			{"it does not change", func() {}, nil},
			{"it changes", func() { write("package a\n\nfunc F() {}\n") }, []string{path}},
			{"it is removed", func() { _ = os.Remove(path) }, []string{path}},
			{"it stays removed", func() {}, nil},
		} {
			step.do()
			time.Sleep(pollInterval)
			synctest.Wait()
			var got []string
			for len(changed) > 0 {
				got = append(got, <-changed)
			}
			if !slices.Equal(got, step.want) {
				t.Errorf("%s: changed are %q, must be %q", step.why, got, step.want)
			}
		}
		cancel()
	})
	if n := logs.FilterMessageSnippet("looked at each second").FilterField(zap.String("cause", "too many open files")).Len(); n != 1 {
		t.Errorf("the log: %v", logs.All())
	}
}

// The folder of a file is removed after the caller has read the file, and before the system
// watches the folder above. No event tells of it, so the watcher itself must report the file, and
// again when the folder is back.
func TestAFolderIsMissingFromTheStart(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "in")
	path := filepath.Join(dir, "a.go")
	changed := make(chan []string)
	w := Watcher{
		Files: func() []string { return []string{path} }, Roots: func() []string { return []string{root} },
		Changed: func(paths ...string) { changed <- paths }, Appeared: func() {}, Log: zap.NewNop(),
	}
	go w.Run(t.Context())
	if got := <-changed; !slices.Equal(got, []string{path}) {
		t.Errorf("at the start, %q changed, not %q", got, path)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := <-changed; !slices.Contains(got, path) {
		t.Errorf("with the folder back, %q changed, not %q", got, path)
	}
}
