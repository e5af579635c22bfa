package view

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"spell-lsp/internal/workspacetest"
	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/snapshot"
)

// A fixture is a workspace with a memo of its views.
type fixture struct {
	*workspacetest.Workspace
	*Memo
	outdated []string // files
}

func fixtureOf(t *testing.T, files map[string]string, ran ...string) *fixture {
	t.Helper()
	b := &fixture{Workspace: workspacetest.New(t, files, ran...)}
	b.Memo = NewMemo(b.Store, func(path string) { b.outdated = append(b.outdated, filepath.Base(path)) })
	return b
}

// begin begins to build the view of a file. end completes it.
func (b *fixture) begin(name string) (end func()) {
	path, n := b.Path(name), b.Current()
	v := b.in(n, path, n.Results)
	return func() {
		if b.keep(n, path, v) {
			b.Memo.outdated(path)
		}
	}
}

// A view that was built during an edit is a view of the text before the edit. It must not be kept.
func TestViewMadeDuringAnEditIsNotKept(t *testing.T) {
	b := fixtureOf(t, map[string]string{"a.go": "package p\n\nfunc f() {}\n"}, "a.go")
	b.Edit("a.go", 1, "package p\n\nfunc f() {}\n")
	end := b.begin("a.go")
	b.Edit("a.go", 2, "package p\n\nfunc f() { g() }\n")
	end()
	if v := b.View(b.Path("a.go")); v.Document.Version != 2 || !v.Marks[0].Stale {
		t.Errorf("shown is version %d, stale %v", v.Document.Version, v.Marks[0].Stale)
	}
	if again := b.View(b.Path("a.go")); again != b.View(b.Path("a.go")) {
		t.Error("a view whose inputs did not change is not kept")
	}
}

// If an outdated view was published, its file must be published again, even if the file has no
// result of its own because a function had only moved there.
func TestOutdatedViewIsTakenBack(t *testing.T) {
	b := fixtureOf(t, map[string]string{"a.go": "package p\n\nfunc f() {}\n", "b.go": "package p\n"}, "a.go")
	b.Write("a.go", "package p\n")
	b.Write("b.go", "package p\n\nfunc f() {}\n")
	b.Update(func(next *snapshot.Snapshot) bool {
		next.Touch()
		return true
	})
	end := b.begin("b.go") // publishing begins, and clear comes before its end
	b.Show()
	end()
	if !slices.Equal(b.outdated, []string{"b.go"}) || !slices.Contains(b.Marked(), b.Path("b.go")) {
		t.Errorf("published again: %v, must be the file that showed a cleared result", b.outdated)
	}
	b.outdated = nil
	b.View(b.Path("b.go"))
	if len(b.outdated) > 0 || len(b.Marked()) > 0 {
		t.Errorf("published once more: %v, marked are %v", b.outdated, b.Marked())
	}
}

// A function moves to another file while the view of that file is built. The view does not have the
// function yet, so the file is published again.
func TestFunctionMovesWhileViewIsBuilt(t *testing.T) {
	with, without := "package p\n\nfunc f() {}\n", "package p\n"
	b := fixtureOf(t, map[string]string{"a.go": with, "b.go": without}, "a.go")
	b.Edit("b.go", 1, with)
	end := b.begin("b.go")
	b.Edit("a.go", 1, without)
	end()
	if !slices.Equal(b.outdated, []string{"b.go"}) {
		t.Errorf("after the move these files are published again: %q", b.outdated)
	}
	if v := b.View(b.Path("b.go")); len(v.Marks) != 1 {
		t.Errorf("the file that has the function now has %d marks", len(v.Marks))
	}
}

// An edit leaves the views of other documents, unless they are cross-file views.
func TestViewsOutliveEditsElsewhere(t *testing.T) {
	files := map[string]string{"a.go": "package p\n\nfunc f() {}\n", "b.go": "package p\n\nfunc g() {}\n", "old_f.go": "//go:build ignore\n\npackage p\n\nfunc f() {}\n"}
	b := fixtureOf(t, files, "a.go", "b.go")
	for name, text := range files {
		b.Edit(name, 1, text)
	}
	own, crossFile := b.View(b.Path("b.go")), b.View(b.Path("old_f.go"))
	if own.CrossFile || !crossFile.CrossFile {
		t.Fatalf("b.go is a cross-file view: %v, old_f.go: %v", own.CrossFile, crossFile.CrossFile)
	}
	b.Edit("a.go", 2, "package p\n")
	if b.View(b.Path("b.go")) != own {
		t.Error("the view of an unrelated file was built again")
	}
	if b.View(b.Path("old_f.go")) == crossFile {
		t.Error("a cross-file view was kept after an edit that may have changed it")
	}
}

// To find the functions of a file that come from elsewhere, each file of the folder is read once,
// however many functions and results there are.
func TestSurroundingsAreReadOnce(t *testing.T) {
	before, after := "package p\n", "package p\n"
	for i := range 30 {
		before += fmt.Sprintf("\nfunc f%d() { g(%d) }\n", i, i)
		after += fmt.Sprintf("\nfunc renamed%d() { g(%d) }\n", i, i)
	}
	files := map[string]string{"a.go": before}
	for i := range 10 {
		files[fmt.Sprintf("c%d.go", i)] = fmt.Sprintf("package p\n\nfunc h%d() {}\n", i)
	}
	b := fixtureOf(t, files, slices.Collect(maps.Keys(files))...)
	b.Write("a.go", after)
	asked, n := map[string]int{}, b.Current()
	around := newSurroundings(n.GoFiles, func(path string) []outline.Declaration {
		asked[path]++
		return n.Declarations(path)
	})
	for range 2 { // views or results
		marks, crossFile := match(b.Result(), b.Path("a.go"), n.Source(b.Path("a.go")).Outline(), n.Source, around)
		if len(marks) != 30 || !crossFile {
			t.Fatalf("%d functions were known again, cross-file %v", len(marks), crossFile)
		}
	}
	for path, times := range asked {
		if times != 1 {
			t.Errorf("%s was looked at %d times", path, times)
		}
	}
	if len(asked) != len(files) {
		t.Errorf("%d of %d files were looked at", len(asked), len(files))
	}
}
