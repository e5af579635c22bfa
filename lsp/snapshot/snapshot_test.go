package snapshot_test

import (
	"maps"
	"slices"
	"testing"

	"spell-lsp/internal/workspacetest"
	"spell-lsp/lsp/location"
	"spell-lsp/lsp/outline"
	"spell-lsp/lsp/results"
	"spell-lsp/lsp/snapshot"
	"spell-lsp/spell/record"
	"spell-lsp/spell/settings"
	"spell-lsp/spell/store"
)

func document(key, path, text string) *snapshot.Document {
	return &snapshot.Document{Key: key, Path: path, Source: outline.NewSource(text, nil)}
}

// A snapshot does not change after later updates.
func TestSnapshotsDoNotChange(t *testing.T) {
	s := snapshot.NewStore()
	first := document("/a.go", "/a.go", "package a")
	before, with := s.Update(func(next *snapshot.Snapshot) bool {
		next.Put(first)
		return true
	})
	_, without := s.Update(func(next *snapshot.Snapshot) bool {
		next.Close(first)
		return true
	})
	if len(before.Open) != 0 || with.Open["/a.go"] != first || with.Documents["/a.go"] != first || len(without.Open)+len(without.Documents) != 0 {
		t.Errorf("open were %v, then %v, then %v", before.Open, with.Open, without.Open)
	}
	if before.Version >= with.Version || with.TextsVersion != with.Version || without.TextsVersion != without.Version {
		t.Errorf("the versions are %d, %d (texts %d), %d (texts %d)", before.Version, with.Version, with.TextsVersion, without.Version, without.TextsVersion)
	}
}

// An update that changes nothing keeps the snapshot, and so everything that was built from it.
func TestUpdateWithoutChange(t *testing.T) {
	s := snapshot.NewStore()
	was := s.Current()
	before, after := s.Update(func(next *snapshot.Snapshot) bool {
		next.Clears++
		return false
	})
	if before != was || after != was || s.Current() != was || was.Clears != 0 {
		t.Error("the snapshot was replaced")
	}
}

// A file that is open under two names has the text of the document that was changed last and, when
// that is closed, the text of the other.
func TestFileIsOpenTwice(t *testing.T) {
	s := snapshot.NewStore()
	one, other := document("/a.go", "/a.go", "package a"), document("/link/a.go", "/a.go", "package b")
	for _, d := range []*snapshot.Document{one, other} {
		s.Update(func(next *snapshot.Snapshot) bool {
			next.Put(d)
			return true
		})
	}
	if n := s.Current(); len(n.Open) != 2 || n.Documents["/a.go"] != other || n.Source("/a.go").Text != "package b" {
		t.Errorf("shown is %q", n.Source("/a.go").Text)
	}
	_, n := s.Update(func(next *snapshot.Snapshot) bool {
		next.Close(other)
		return true
	})
	if n.Documents["/a.go"] != one {
		t.Errorf("shown is %v after the last one was closed", n.Documents["/a.go"])
	}
}

// The results of a closed folder disappear, unless the folder is inside another open folder. Loaded
// results stay.
func TestClosedFolders(t *testing.T) {
	w := workspacetest.New(t, nil)
	result := func(dir, scope string) *results.Result {
		return results.New(results.Origin{Dir: dir, Root: dir, Scope: scope, InWorkspace: true}, &record.Run{ID: dir + scope}, settings.Default())
	}
	w.Show(result("/open/a", ""), result("/closed/b", ""), result("/else", store.Loaded+"/run.json"))
	_, n := w.Update(func(next *snapshot.Snapshot) bool {
		next.SetFolders([]location.Folder{{Path: "/open", Named: "/open"}}, []string{"/closed", "/open/a"})
		return true
	})
	var dirs []string
	for _, r := range n.Results.List {
		dirs = append(dirs, r.Dir)
	}
	if !slices.Equal(dirs, []string{"/open/a", "/else"}) || !slices.Equal(n.Results.Folders, n.Folders) {
		t.Errorf("shown are the results of %v in %v", dirs, n.Results.Folders)
	}
	if left := n.StillOpen([]*results.Result{result("/closed/b", ""), result("/open/a", "")}); len(left) != 1 || left[0].Dir != "/open/a" {
		t.Errorf("%d results of measurements in closed folders are shown", len(left))
	}
}

// The Go files of a folder are those on disk and those that are only open.
func TestGoFiles(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"a.go": "package p\n", "notes.txt": ""})
	w.Edit("a.go", 1, "package p\n")
	w.Edit("new.go", 1, "package p\n\nfunc f() {}\n")
	n := w.Current()
	if got := n.GoFiles(w.Path(".")); !slices.Equal(got, []string{w.Path("a.go"), w.Path("new.go")}) {
		t.Errorf("Go files are %v", got)
	}
	names := map[string]bool{}
	for _, d := range n.Declarations(w.Path("new.go")) {
		names[d.Name] = true
	}
	if !names["f"] || n.Source(w.Path("gone.go")) != nil {
		t.Errorf("declared are %v", slices.Sorted(maps.Keys(names)))
	}
}
