package content

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A tree has what git has and does not ignore, as files are on disk.
func TestWhatIsListed(t *testing.T) {
	for _, test := range []struct {
		name  string
		files func(w workspace)
		dir   string // below the top
		o     Options
		want  string
	}{
		{"tracked, new and ignored files", func(w workspace) {
			w.write("*.o\n", ".gitignore")
			w.write("", "a.go", "b.go", "c.o", "forced.o", "sub/d.o")
			w.git("add", "-f", "a.go", "forced.o")
		}, ".", Options{}, ".gitignore a.go b.go forced.o sub/"},
		{"ignored files too", func(w workspace) {
			w.write("*.o\n", ".gitignore")
			w.write("", "a.go", "c.o", "sub/d.o")
		}, ".", Options{Ignored: true}, ".gitignore a.go c.o sub/ sub/d.o"},
		{"a folder below the top", func(w workspace) {
			w.write("*.o\n", ".gitignore")
			w.write("", "a.go", "mod/b.go", "mod/c.o", "mod/deep/d.o", "mod/deep/e.go")
		}, "mod", Options{}, "b.go deep/ deep/e.go"},
		{"a folder that is ignored itself", func(w workspace) {
			w.write("mod\n", ".gitignore")
			w.write("", "mod/b.go", "mod/c/d.go")
		}, "mod", Options{}, "b.go c/ c/d.go"},
		{"a file that is in the index only", func(w workspace) {
			w.write("", "a.go", "gone.go")
			w.git("add", ".")
			w.must(os.Remove(w.path("gone.go")))
		}, ".", Options{}, "a.go"},
		{"empty folders", func(w workspace) {
			w.write("*.o\n", ".gitignore")
			w.write("", "a/b/", "a/c.go", "d/", "ignored/files/only.o")
		}, ".", Options{}, ".gitignore a/ a/b/ a/c.go d/ ignored/ ignored/files/"},
		{"a nested module", func(w workspace) {
			w.write("", "go.mod", "testdata/go.mod", "testdata/x.go")
		}, ".", Options{}, "go.mod testdata/ testdata/go.mod testdata/x.go"},
		{"a nested repository has its own rules", func(w workspace) {
			w.write("*.o\n", ".gitignore")
			w.write("", "sub/a.o", "sub/b.log", "sub/c/d.log")
			workspace{w.t, w.path("sub")}.git("init", "-q")
			w.write("*.log\n", "sub/.gitignore")
		}, ".", Options{}, ".gitignore sub/ sub/.gitignore sub/a.o sub/c/"},
		{"a submodule", func(w workspace) {
			origin := newWorkspace(w.t)
			origin.write("*.o\n", ".gitignore", "kept")
			origin.git("init", "-q")
			origin.git("add", ".")
			origin.git("commit", "-q", "-m", "first")
			w.git("submodule", "-q", "add", origin.dir, "sub")
			w.write("", "sub/new", "sub/new.o")
		}, ".", Options{}, ".gitmodules sub/ sub/.gitignore sub/kept sub/new"},
		{"what is called .git and is no repository", func(w workspace) {
			w.write("*.o\n", ".gitignore")
			w.write("", "x/.git/config", "x/a.go", "x/b.o", "y/a.go")
			w.write("gitdir: nowhere\n", "y/.git")
		}, ".", Options{}, ".gitignore x/ x/a.go y/ y/a.go"},
		{"no repository", func(w workspace) {
			w.must(os.RemoveAll(w.path(".git")))
			w.write("*.o\n", ".gitignore")
			w.write("", "a.o")
		}, ".", Options{}, ".gitignore a.o"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newRepository(t)
			test.files(w)
			tree, err := Scan(t.Context(), w.path(test.dir), test.o)
			if got := listed(tree); got != test.want || err != nil {
				t.Errorf("%s\nwant %s (%v)", got, test.want, err)
			}
		})
	}
}

// Ignored files are often secrets: where git cannot say which they are, nothing is sent.
func TestUnknownRules(t *testing.T) {
	for name, spoil := range map[string]func(w workspace){
		"the repository of another user": func(w workspace) { w.t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1") },
		"no git":                         func(w workspace) { w.t.Setenv("PATH", "") },
		"a nested repository with settings that git cannot read": func(w workspace) {
			workspace{w.t, w.path("sub")}.git("init", "-q")
			w.write("[core\n", "sub/.git/config")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newRepository(t)
			w.write("", "a.go", "sub/secret")
			spoil(w)
			tree, err := Scan(t.Context(), w.dir, Options{})
			if err == nil || !strings.Contains(err.Error(), "repair the repository, or take ignored files too: ") {
				t.Errorf("%v, %s", err, listed(tree))
			}
			if tree, err := Scan(t.Context(), w.dir, Options{Ignored: true}); err != nil || listed(tree) != "a.go sub/ sub/secret" {
				t.Errorf("ignored files too: %v, %s", err, listed(tree))
			}
		})
	}
}

// The unsaved text of an editor is sent in place of the file, also if the editor's name for the file
// leads through a link.
func TestUnsavedTexts(t *testing.T) {
	w := newRepository(t)
	w.write("saved", "a.go", "b.go", "c.go", "ignored.o")
	w.write("*.o\n", ".gitignore")
	alias := filepath.Join(newWorkspace(t).dir, "alias")
	w.must(os.Symlink(w.dir, alias))
	o := Options{Overrides: map[string][]byte{
		w.path("a.go"):                  []byte("unsaved text"),
		filepath.Join(alias, "b.go"):    nil,
		w.path("never-saved.go"):        []byte("x"),
		w.path("ignored.o"):             []byte("x"),
		filepath.Join(alias, "..", "x"): []byte("x"),
	}}
	for _, root := range []string{w.dir, alias} {
		tree, err := Scan(t.Context(), root, o)
		w.must(err)
		var source Source
		w.must(source.AddTree(root, tree, o))
		var got []string
		for _, e := range tree.Entries {
			text, size, err := readAll(&source, e.Hash)
			w.must(err)
			got = append(got, fmt.Sprintf("%s %d %d %q", e.Path, e.Size, size, text))
		}
		want := `.gitignore 4 4 "*.o\n"|a.go 12 12 "unsaved text"|b.go 0 0 ""|c.go 5 5 "saved"`
		if strings.Join(got, "|") != want {
			t.Errorf("%s:\n%s\nwant\n%s", root, strings.Join(got, "|"), want)
		}
	}
}

// Links are not followed. Those that lead out of the workspace are sent all the same, and named.
func TestLinksThatLeaveTheTree(t *testing.T) {
	w, other := newWorkspace(t), newWorkspace(t)
	other.write("secret", "file")
	w.write("", "d/e/f")
	for name, target := range map[string]string{
		"abs": other.path("file"), "up": "..", "d/up": "../../x", "d/e/in": "../../d", "d/same": "e", "self": "self", "folder": other.dir,
	} {
		w.link(target, name)
	}
	tree := w.scan(Options{})
	if got, want := listed(tree), "abs d/ d/e/ d/e/f d/e/in d/same d/up folder self up"; got != want {
		t.Errorf("listed: %s\nwant    %s", got, want)
	}
	if got, want := strings.Join(tree.Outside, " "), "abs d/up folder up"; got != want {
		t.Errorf("outside: %s\nwant     %s", got, want)
	}
}

// What has no end, or cannot be read at all, ends with an error that says where and what to do.
func TestLimitsOfTrees(t *testing.T) {
	w := newWorkspace(t)
	w.write("1234", "a", "d/b", "d/c")
	defer func(entries int, file int64) { maxEntries, maxFile = entries, file }(maxEntries, maxFile)
	maxEntries = 3
	_, err := Scan(t.Context(), w.dir, Options{})
	if want := w.dir + " has more than 3 files: have git ignore those that no test reads, or measure a folder below it"; err == nil || err.Error() != want {
		t.Errorf("files: %v\nwant %s", err, want)
	}
	maxEntries, maxFile = 4, 3
	_, err = Scan(t.Context(), w.dir, Options{})
	if want := w.path("a") + " has 4 B, over the limit of 3 B for a file that is sent: have git ignore it, or remove it"; err == nil || err.Error() != want {
		t.Errorf("size: %v\nwant %s", err, want)
	}
	maxFile = 4
	if tree := w.scan(Options{}); len(tree.Entries) != 4 {
		t.Errorf("within the limits: %s", listed(tree))
	}
	if _, err := Scan(t.Context(), w.path("missing"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that does not exist: %v", err)
	}
	if _, err := Scan(t.Context(), w.path("a"), Options{}); err == nil {
		t.Error("a file is scanned as a folder")
	}
}

// A scan ends when its context does, with the cause.
func TestScanIsCancelled(t *testing.T) {
	w := newRepository(t)
	w.write("x", "a", "b")
	gone := errors.New("the editor is gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	for _, o := range []Options{{}, {Ignored: true}} {
		if _, err := Scan(ctx, w.dir, o); !errors.Is(err, gone) && !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	folder, err := os.OpenRoot(w.dir)
	w.must(err)
	defer folder.Close()
	if err := hashAll(ctx, folder, []Entry{{Path: "a", Kind: File}}, nil); !errors.Is(err, gone) {
		t.Errorf("while files are read: %v", err)
	}
}

// What goes away between the listing of names and the reading of files is as if it had not been there.
func TestFileThatIsRemovedMeanwhile(t *testing.T) {
	w := newWorkspace(t)
	folder, err := os.OpenRoot(w.dir)
	w.must(err)
	defer folder.Close()
	entries := []Entry{{Path: "gone", Kind: File}}
	if err := hashAll(t.Context(), folder, entries, nil); err != nil || entries[0].Hash != "" {
		t.Errorf("%v, %+v", err, entries)
	}
}

// Times of the workspace's files are those of the tree, to the nanosecond.
func TestModificationTime(t *testing.T) {
	w := newWorkspace(t)
	w.write("", "a")
	at := time.Unix(1_700_000_000, 123_456_700)
	w.must(os.Chtimes(w.path("a"), at, at))
	if got := w.scan(Options{}).Entries[0].ModTimeNs; got != at.UnixNano() {
		t.Errorf("%d, want %d", got, at.UnixNano())
	}
}

// Once an entry has failed, no other is begun; the error is that of the first, whoever was faster.
func TestEach(t *testing.T) {
	entries := make([]Entry, 1000)
	for i := range entries {
		entries[i] = Entry{Path: fmt.Sprint(i), Kind: []Kind{Folder, File}[i%2]}
	}
	var calls atomic.Int64
	err := each(entries, File, func(e *Entry) error { calls.Add(1); return errors.New(e.Path) })
	if n := int(calls.Load()); err == nil || err.Error() != "1" || n > runtime.GOMAXPROCS(0) {
		t.Errorf("%v after %d calls", err, n)
	}
	calls.Store(0)
	if err := each(entries, Folder, func(*Entry) error { calls.Add(1); return nil }); err != nil || calls.Load() != 500 {
		t.Errorf("%v after %d calls, want 500", err, calls.Load())
	}
}

// Hashes of equal files are listed once, in the order of the hashes.
func TestHashes(t *testing.T) {
	w := newWorkspace(t)
	w.write("one", "a", "b")
	w.write("two", "c/d")
	want := []string{hashOf([]byte("one")), hashOf([]byte("two"))}
	slices.Sort(want)
	if tree := w.scan(Options{}); !slices.Equal(tree.Hashes(), want) || tree.Size() != 9 {
		t.Errorf("%v, %d bytes", tree.Hashes(), tree.Size())
	}
}
