package publish

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"spell-lsp/internal/workspacetest"
	"spell-lsp/lsp/client"
	"spell-lsp/lsp/view"
	"spell-lsp/lsp/wire"
	"spell-lsp/spell/record"
)

// A fixture is a workspace with a publisher that does not run and has no client.
type fixture struct {
	*workspacetest.Workspace
	*Publisher
}

func fixtureOf(t *testing.T, files map[string]string, ran ...string) *fixture {
	t.Helper()
	b := &fixture{Workspace: workspacetest.New(t, files, ran...)}
	views := view.NewMemo(b.Store, func(path string) { b.Republish(path) })
	b.Publisher = New(client.New(zap.NewNop()), wire.NewTasks(zap.NewNop()), b.Store, views)
	return b
}

func (b *fixture) edit(name string, version int32, text string) {
	b.Edit(name, version, text)
	b.TextsChanged([]string{b.Path(name)})
}

// published takes the due files, as Run does, and builds their views.
func (b *fixture) published() []string {
	var names []string
	for _, path := range b.queue.take().files {
		b.views.View(path)
		names = append(names, filepath.Base(path))
	}
	return names
}

// toPublish lists the files that are due, now or after a pause in typing.
func (b *fixture) toPublish() string {
	b.queue.mu.Lock()
	defer b.queue.mu.Unlock()
	all := maps.Clone(b.queue.due)
	maps.Copy(all, b.queue.later)
	var names []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		names = append(names, filepath.Base(path))
	}
	return strings.Join(names, " ")
}

// The text of a file that is opened may differ from the text on disk. So the diagnostics of the
// functions that it calls, which link to it, are published again.
func TestOpeningRepublishesCallees(t *testing.T) {
	files := map[string]string{"a.go": "package p\n\nfunc f() {}\n", "b.go": "package p\n\nfunc g() { f() }\n"}
	b := fixtureOf(t, files, "a.go", "b.go")
	run := b.Result().Run
	run.Meter.Source, run.CallTree = record.NoEnergy, []record.CallNode{{Parent: -1, Component: 1}, {Parent: 0, Component: 0, TimeMS: 9}}
	b.edit("b.go", 1, "package p\n\n\n\nfunc g() { f() }\n")
	b.queue.take()
	b.republishCallees(b.Path("b.go"), b.views.View(b.Path("b.go")), false)
	if got := b.published(); !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("published again: %v, must be the file of f, which g calls", got)
	}
}

// Edits that come together are published together.
func TestEditsWakeThePublisherOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fixtureOf(t, map[string]string{"a.go": "package p\n"}, "a.go")
		for version := range int32(4) {
			b.edit("a.go", version, "package p\n")
		}
		awake := func() bool {
			synctest.Wait()
			select {
			case <-b.queue.wake:
				return true
			default:
				return false
			}
		}
		if awake() {
			t.Error("the publisher does not wait for requests after the edit")
		}
		time.Sleep(yieldDelay)
		if !awake() {
			t.Error("the publisher is not woken")
		}
		time.Sleep(idleDelay - yieldDelay - time.Nanosecond)
		if awake() {
			t.Error("the publisher is woken twice")
		}
		time.Sleep(time.Nanosecond)
		if !awake() {
			t.Error("cross-file views are not published after a pause in typing")
		}
	})
}

// An edit in one file of a large folder republishes only the files with cross-file views: those
// with a function that may come from the edited file.
func TestEditRepublishesCrossFileViews(t *testing.T) {
	files := map[string]string{
		"a.go": "package p\n\nfunc f() {}\n", "b.go": "package p\n\nfunc g() { f() }\n",
		"old_f.go": "//go:build ignore\n\npackage p\n\nfunc f() {}\n",
	}
	for i := range 20 {
		files[fmt.Sprintf("c%d.go", i)] = fmt.Sprintf("package p\n\nfunc f%d() { g(%d) }\n", i, i)
	}
	b := fixtureOf(t, files, slices.DeleteFunc(slices.Collect(maps.Keys(files)), func(name string) bool { return name == "old_f.go" })...)
	b.edit("old_f.go", 1, files["old_f.go"])
	b.edit("c3.go", 1, files["c3.go"])
	b.published()
	b.edit("a.go", 1, "package p\n")
	if got := b.toPublish(); got != "a.go old_f.go" {
		t.Errorf("after an edit these files are due: %q", got)
	}
	kept := b.views.View(b.Path("c3.go"))
	b.edit("a.go", 2, "package p\n\n")
	if b.views.View(b.Path("c3.go")) != kept {
		t.Error("the view of an unrelated file was built again")
	}
}

// A file that waits for a pause in typing is due at once when it is edited itself, and only once.
func TestDueFileDoesNotWait(t *testing.T) {
	files := map[string]string{"a.go": "package p\n\nfunc f() {}\n", "old_f.go": "//go:build ignore\n\npackage p\n\nfunc f() {}\n"}
	b := fixtureOf(t, files, "a.go")
	b.edit("old_f.go", 1, files["old_f.go"])
	b.published()
	b.edit("a.go", 1, "package p\n")
	if due := b.queue.take().files; !slices.Equal(due, []string{b.Path("a.go")}) {
		t.Errorf("due are %v", due)
	}
	b.edit("old_f.go", 2, files["old_f.go"]+"\n")
	if due := b.queue.take().files; !slices.Equal(due, []string{b.Path("old_f.go")}) {
		t.Errorf("due are %v", due)
	}
	if got := b.toPublish(); got != "" {
		t.Errorf("%s still waits", got)
	}
}
