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

// A bench is a workspace with a publisher that does not run, and has no client.
type bench struct {
	*workspacetest.Workspace
	*Publisher
}

func benchOf(t *testing.T, files map[string]string, ran ...string) *bench {
	t.Helper()
	b := &bench{Workspace: workspacetest.New(t, files, ran...)}
	views := view.NewMemo(b.Store, func(path string) { b.Republish(path) })
	b.Publisher = New(client.New(zap.NewNop()), wire.NewTasks(zap.NewNop()), b.Store, views)
	return b
}

func (b *bench) edit(name string, version int32, text string) {
	b.Edit(name, version, text)
	b.TextsChanged([]string{b.Path(name)})
}

// published takes what is due, as Run does, and makes its views.
func (b *bench) published() []string {
	var names []string
	for _, path := range b.queue.take().files {
		b.views.View(path)
		names = append(names, filepath.Base(path))
	}
	return names
}

// toPublish lists what is due, now or when nobody types.
func (b *bench) toPublish() string {
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

// What is opened may not be as it was when others were linked to it.
func TestLinksToWhatIsOpenedAreMadeAgain(t *testing.T) {
	files := map[string]string{"a.go": "package p\n\nfunc f() {}\n", "b.go": "package p\n\nfunc g() { f() }\n"}
	b := benchOf(t, files, "a.go", "b.go")
	run := b.Result().Run
	run.Meter.Source, run.CallTree = record.NoEnergy, []record.CallNode{{Parent: -1, Component: 1}, {Parent: 0, Component: 0, TimeMS: 9}}
	b.edit("b.go", 1, "package p\n\n\n\nfunc g() { f() }\n")
	b.queue.take()
	b.republishCallees(b.Path("b.go"), b.views.View(b.Path("b.go")), false)
	if got := b.published(); !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("published again is %v, must be what says that g calls it", got)
	}
}

// Edits that come together are published together.
func TestEditsWakeThePublisherOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := benchOf(t, map[string]string{"a.go": "package p\n"}, "a.go")
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
			t.Error("who typed is not answered first")
		}
		time.Sleep(yieldDelay)
		if !awake() {
			t.Error("nothing is published after a while")
		}
		time.Sleep(idleDelay - yieldDelay - time.Nanosecond)
		if awake() {
			t.Error("it is woken again")
		}
		time.Sleep(time.Nanosecond)
		if !awake() {
			t.Error("what is beside the edited file is not published when nobody types")
		}
	})
}

// Who types in one file of a large folder changes what is to be seen of a few others
// at most: those in which something stands that may be of the edited one.
func TestWhatIsBesideAnEdit(t *testing.T) {
	files := map[string]string{
		"a.go": "package p\n\nfunc f() {}\n", "b.go": "package p\n\nfunc g() { f() }\n",
		"old_f.go": "//go:build ignore\n\npackage p\n\nfunc f() {}\n",
	}
	for i := range 20 {
		files[fmt.Sprintf("c%d.go", i)] = fmt.Sprintf("package p\n\nfunc f%d() { g(%d) }\n", i, i)
	}
	b := benchOf(t, files, slices.DeleteFunc(slices.Collect(maps.Keys(files)), func(name string) bool { return name == "old_f.go" })...)
	b.edit("old_f.go", 1, files["old_f.go"])
	b.edit("c3.go", 1, files["c3.go"])
	b.published()
	b.edit("a.go", 1, "package p\n")
	if got := b.toPublish(); got != "a.go old_f.go" {
		t.Errorf("after an edit these are published: %q", got)
	}
	kept := b.views.View(b.Path("c3.go"))
	b.edit("a.go", 2, "package p\n\n")
	if b.views.View(b.Path("c3.go")) != kept {
		t.Error("the view of a file that has nothing to do with the edited one was forgotten")
	}
}

// An edit of a file that waits for a pause publishes it at once, and not again.
func TestWhatIsDueDoesNotWait(t *testing.T) {
	files := map[string]string{"a.go": "package p\n\nfunc f() {}\n", "old_f.go": "//go:build ignore\n\npackage p\n\nfunc f() {}\n"}
	b := benchOf(t, files, "a.go")
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
