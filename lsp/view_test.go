package lsp

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/uri"
	"go.uber.org/zap"

	"spell-lsp/lsp/outline"
	"spell-lsp/spell"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
)

// A bench is the *session without a client that shows a run of some files.
type bench struct {
	*session
	t   *testing.T
	dir string
}

// benchOf writes files and shows a run in which all functions of those of them ran
// that are named.
func benchOf(t *testing.T, files map[string]string, ran ...string) *bench {
	t.Helper()
	b := &bench{newSession(Options{Log: zap.NewNop()}), t, t.TempDir()}
	for name, text := range files {
		b.write(name, text)
	}
	run := &record.Run{ID: "a", Granularity: spell.KindFunction, Meter: record.Meter{Domains: []spell.Domain{spell.CPU}}}
	run.Matrix.Domains = run.Meter.Domains
	run.Tests = []record.Test{{Name: "p.TestAll", Outcome: record.Pass}}
	for _, name := range ran {
		for _, f := range outline.Parse(files[name]).Functions {
			if f.Kind == spell.KindFunction {
				run.Matrix.Add(record.Cell{C: len(run.Components), N: 1, TimeMS: 1})
				run.Components = append(run.Components, record.Component{ID: "p." + f.Name, Kind: f.Kind, Package: "p", File: name, Hash: f.Hash, N: 1, TimeMS: 1})
			}
		}
	}
	b.show(newResult(b.dir, b.dir, "", run, settings.Default()))
	return b
}

// show shows other results.
func (b *bench) show(list ...*result) {
	b.update(func(next *snapshot) bool {
		next.show(&results{list: list})
		return true
	})
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(b.path(name), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// edit is what an editor does to a file that it may have opened.
func (b *bench) edit(name string, version int32, text string) {
	path := b.path(name)
	b.put(&document{uri: uri.File(path), key: path, path: path, version: version, source: outline.NewSource(text, nil)})
}

// begin begins to make the view of a file, and gives the rest of it.
func (b *bench) begin(name string) (end func()) {
	path := b.path(name)
	n := b.snapshots.now()
	v := b.views.make(n, path, n.results)
	return func() {
		if b.views.keep(n, path, v) {
			b.views.outdated(path)
		}
	}
}

// published takes what is due, as publishLoop does, and makes its views.
func (b *bench) published() []string {
	var names []string
	for _, path := range b.publisher.takeDue().due {
		b.views.of(path)
		names = append(names, filepath.Base(path))
	}
	return names
}

// toPublish lists what is due, now or when nobody types.
func (b *bench) toPublish() string {
	b.publisher.mu.Lock()
	defer b.publisher.mu.Unlock()
	all := maps.Clone(b.publisher.due)
	maps.Copy(all, b.publisher.later)
	var names []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		names = append(names, filepath.Base(path))
	}
	return strings.Join(names, " ")
}

// A view that is made while somebody types is one of the text before: it must not
// be what is shown from then on.
func TestViewMadeDuringAnEditIsNotKept(t *testing.T) {
	b := benchOf(t, map[string]string{"a.go": "package p\n\nfunc f() {}\n"}, "a.go")
	b.edit("a.go", 1, "package p\n\nfunc f() {}\n")
	end := b.begin("a.go")
	b.edit("a.go", 2, "package p\n\nfunc f() { g() }\n")
	end()
	if v := b.views.of(b.path("a.go")); v.document.version != 2 || !v.marks[0].stale {
		t.Errorf("shown is version %d, stale %v", v.document.version, v.marks[0].stale)
	}
	if again := b.views.of(b.path("a.go")); again != b.views.of(b.path("a.go")) {
		t.Error("a view that nothing has changed since is not kept")
	}
}

// What was shown of a view that is outdated must be taken back, also where nothing
// else leads to the file: a function had moved there.
func TestOutdatedViewIsTakenBack(t *testing.T) {
	b := benchOf(t, map[string]string{"a.go": "package p\n\nfunc f() {}\n", "b.go": "package p\n"}, "a.go")
	b.write("a.go", "package p\n")
	b.write("b.go", "package p\n\nfunc f() {}\n")
	b.touched(b.path("a.go"), b.path("b.go"))
	b.publisher.takeDue() // publishing has begun, and is overtaken
	end := b.begin("b.go")
	b.show()
	b.publisher.takeDue()
	end()
	if got := b.published(); !slices.Equal(got, []string{"b.go"}) {
		t.Errorf("published again is %v, must be what showed something that is cleared", got)
	}
	if got := b.published(); len(got) > 0 {
		t.Errorf("published once more: %v", got)
	}
}

// A function moves from one file to another while the view of the other is made, which
// so far has nothing: it is looked at again.
func TestFunctionThatMovesDuringAView(t *testing.T) {
	with, without := "package p\n\nfunc f() {}\n", "package p\n"
	b := benchOf(t, map[string]string{"a.go": with, "b.go": without}, "a.go")
	b.edit("b.go", 1, with)
	b.publisher.takeDue()
	end := b.begin("b.go")
	b.edit("a.go", 1, without)
	b.publisher.takeDue()
	end()
	if got := b.toPublish(); got != "b.go" {
		t.Errorf("after the move these are to be published: %q", got)
	}
	if v := b.views.of(b.path("b.go")); len(v.marks) != 1 {
		t.Errorf("%d marks are where the function is now", len(v.marks))
	}
}

// What is opened may not be as it was when others were linked to it.
func TestLinksToWhatIsOpenedAreMadeAgain(t *testing.T) {
	files := map[string]string{"a.go": "package p\n\nfunc f() {}\n", "b.go": "package p\n\nfunc g() { f() }\n"}
	b := benchOf(t, files, "a.go", "b.go")
	run := b.snapshots.now().results.list[0].run
	run.Meter.Source, run.CallTree = record.NoEnergy, []record.CallNode{{Parent: -1, Component: 1}, {Parent: 0, Component: 0, TimeMS: 9}}
	b.edit("b.go", 1, "package p\n\n\n\nfunc g() { f() }\n")
	b.publisher.takeDue()
	b.publisher.follow(b.path("b.go"), b.views.of(b.path("b.go")), false)
	if got := b.published(); !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("published again is %v, must be what says that g calls it", got)
	}
}

// edited has four edits behind it, three of which came while a timer ran.
func edited(t *testing.T) *bench {
	b := benchOf(t, map[string]string{"a.go": "package p\n"}, "a.go")
	b.publisher.soon = true
	for version := range int32(3) {
		b.edit("a.go", version, "package p\n")
	}
	b.publisher.soon = false
	b.edit("a.go", 3, "package p\n")
	return b
}

// Edits that come together are published together.
func TestEditsWakeThePublisherOnce(t *testing.T) {
	begun, b := time.Now(), edited(t)
	for !b.publisher.quiet.Stop() || time.Since(begun) >= breather { // that is of other files, and wakes the publisher as well
		begun, b = time.Now(), edited(t)
	}
	<-b.publisher.wake
	time.Sleep(2 * courtesy)
	select {
	case <-b.publisher.wake:
		t.Error("it is woken again")
	default:
	}
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
	b := benchOf(t, files, slices.Collect(func(yield func(string) bool) {
		for name := range files {
			if name != "old_f.go" && !yield(name) {
				return
			}
		}
	})...)
	b.edit("old_f.go", 1, files["old_f.go"])
	b.edit("c3.go", 1, files["c3.go"])
	b.published()
	b.edit("a.go", 1, "package p\n")
	if got := b.toPublish(); got != "a.go old_f.go" {
		t.Errorf("after an edit these are published: %q", got)
	}
	kept := b.views.of(b.path("c3.go"))
	b.edit("a.go", 2, "package p\n\n")
	if b.views.of(b.path("c3.go")) != kept {
		t.Error("the view of a file that has nothing to do with the edited one was forgotten")
	}
}

// However many functions of a file have come from elsewhere, and however many results
// there are, each file of the folder is looked at once for it.
func TestSurroundingsAreLookedAtOnce(t *testing.T) {
	before, after := "package p\n", "package p\n"
	for i := range 30 {
		before += fmt.Sprintf("\nfunc f%d() { g(%d) }\n", i, i)
		after += fmt.Sprintf("\nfunc renamed%d() { g(%d) }\n", i, i)
	}
	written := map[string]string{"a.go": before}
	for i := range 10 {
		written[fmt.Sprintf("c%d.go", i)] = fmt.Sprintf("package p\n\nfunc h%d() {}\n", i)
	}
	b := benchOf(t, written, slices.Collect(maps.Keys(written))...)
	b.write("a.go", after)
	asked := map[string]int{}
	around := newSurroundings(b.snapshots.now().goFilesIn, func(path string) []outline.Declaration {
		asked[path]++
		return files{b.snapshots.now(), b.views.disk}.declarations(path)
	})
	r := b.snapshots.now().results.list[0]
	for range 2 { // views or results
		marks, stray := r.match(b.path("a.go"), b.sourceOf(b.path("a.go")).Outline(), b.sourceOf, around)
		if len(marks) != 30 || !stray {
			t.Fatalf("%d functions were known again, stray %v", len(marks), stray)
		}
	}
	for path, times := range asked {
		if times != 1 {
			t.Errorf("%s was looked at %d times", path, times)
		}
	}
	if len(asked) != len(written) {
		t.Errorf("%d of %d files were looked at", len(asked), len(written))
	}
}
