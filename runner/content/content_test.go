package content

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A workspace is a folder with files for a test.
type workspace struct {
	t   *testing.T
	dir string
}

func newWorkspace(t *testing.T) workspace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	w := workspace{t, dir}
	w.must(err)
	return w
}

// newRepository is an empty repository. git reads no settings of the user.
func newRepository(t *testing.T) workspace {
	t.Helper()
	for _, v := range os.Environ() { // this test may run in a hook
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Test")
		t.Setenv("GIT_"+who+"_EMAIL", "test@example.com")
	}
	w := newWorkspace(t)
	w.git("init", "-q")
	return w
}

// git runs git in a folder below the workspace.
func (w workspace) git(args ...string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// write makes files with their folders; a name that ends with / is a folder.
func (w workspace) write(text string, names ...string) {
	w.t.Helper()
	for _, name := range names {
		if strings.HasSuffix(name, "/") {
			w.must(os.MkdirAll(w.path(name), 0o755))
			continue
		}
		w.must(os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
		w.must(os.WriteFile(w.path(name), []byte(text), 0o644))
	}
}

func (w workspace) link(target, name string) { w.t.Helper(); w.must(os.Symlink(target, w.path(name))) }

func (w workspace) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w workspace) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w workspace) scan(o Options) Tree {
	w.t.Helper()
	tree, err := Scan(w.t.Context(), w.dir, o)
	w.must(err)
	return tree
}

// source has the files of a tree of the workspace.
func (w workspace) source(tree Tree, o Options) *Source {
	w.t.Helper()
	s := new(Source)
	w.must(s.AddTree(w.dir, tree, o))
	return s
}

// listed are the paths of a tree, folders with a slash.
func listed(tree Tree) string {
	var names []string
	for _, e := range tree.Entries {
		if e.Kind == Folder {
			e.Path += "/"
		}
		names = append(names, e.Path)
	}
	return strings.Join(names, " ")
}

// newStore is an empty store, closed at the end of the test.
func newStore(t *testing.T) *Store {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "store"))
}

func openStore(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := OpenStore(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// send puts what the store lacks into it, and lists it.
func send(t *testing.T, from *Source, to *Store, hashes []string) (sent []string) {
	t.Helper()
	sent = to.Missing(hashes)
	for _, hash := range sent {
		r, size, err := from.Open(hash)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(to.Put(hash, size, r), r.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return sent
}

// put puts a text and returns its hash.
func put(t *testing.T, s *Store, text string) string {
	t.Helper()
	hash := hashOf([]byte(text))
	if err := s.Put(hash, int64(len(text)), strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return hash
}

// inventory lists all that is in a folder, with kinds, permissions, times and content, but for what
// skip names. It shares no code with Scan.
func inventory(t *testing.T, dir string, skip ...string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == dir {
			return err
		}
		if slices.Contains(skip, d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(file)
			lines = append(lines, fmt.Sprintf("%s -> %s", name, target))
			return err
		case d.IsDir():
			lines = append(lines, fmt.Sprintf("%s %v %d", name, info.Mode(), info.ModTime().UnixNano()))
			return nil
		}
		text, err := os.ReadFile(file)
		lines = append(lines, fmt.Sprintf("%s %v %d %q", name, info.Mode(), info.ModTime().UnixNano(), text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// What is laid out on the target is what is in the workspace: bytes, permissions, times, links and
// empty folders; what git ignores is not there.
func TestRoundTrip(t *testing.T) {
	w := newRepository(t)
	w.write("ignored\nnode_modules/\n", ".gitignore")
	w.write("package a\n", "a.go", "b/b.go", "b/c/same.go", "vendor/x/x.go")
	w.write("", "empty.txt", "b/empty/", "x/y/z/")
	w.write(strings.Repeat("0123456789abcdef", 50_000), "testdata/big.bin")
	w.write("text\x00\xff\n", "testdata/with space & <sign>.txt", "testdata/ü/\U0001F600", "testdata/tab\there")
	w.write("module nested\n", "testdata/nested/go.mod")
	w.write("secret", "ignored", "node_modules/a/b.js")
	w.link("../a.go", "b/link.go")
	w.link("missing", "dangling")
	w.link("b", "folder-link")
	w.must(os.Chmod(w.path("a.go"), 0o755))
	w.must(os.Chmod(w.path("b/b.go"), 0o400))
	w.must(os.Chmod(w.path("b/c"), 0o500))
	w.must(os.Chmod(w.path("x/y"), 0o777))
	defer os.Chmod(w.path("b/c"), 0o700) // so that it can be removed
	old := time.Date(2001, 2, 3, 4, 5, 6, 789, time.UTC)
	w.must(os.Chtimes(w.path("b/c/same.go"), old, old))
	w.must(os.Chtimes(w.path("b"), old, old))

	tree := w.scan(Options{})
	text, err := tree.MarshalJSON()
	w.must(err)
	var received Tree
	w.must(received.UnmarshalJSON(text))
	store, dir := newStore(t), newWorkspace(t)
	send(t, w.source(tree, Options{}), store, tree.Hashes())
	w.must(store.Lay(received, dir.dir))
	defer os.Chmod(dir.path("b/c"), 0o700)
	want, got := inventory(t, w.dir, ".git", "ignored", "node_modules"), inventory(t, dir.dir)
	if got != want {
		t.Errorf("laid out:\n%s\nwant:\n%s", got, want)
	}
	if tree.Size() < 800_000 || tree.Size() > 801_000 {
		t.Errorf("the size is %d", tree.Size())
	}
}

// A test may write to the files that it was given: the store does not change with them.
func TestTestsWriteToCopies(t *testing.T) {
	w, store, dir := newWorkspace(t), newStore(t), newWorkspace(t)
	w.write("before", "data")
	tree := w.scan(Options{})
	send(t, w.source(tree, Options{}), store, tree.Hashes())
	w.must(store.Lay(tree, dir.dir))
	f, err := os.OpenFile(dir.path("data"), os.O_WRONLY, 0)
	w.must(err)
	_, err = f.WriteString("AFTER!")
	w.must(errors.Join(err, f.Close()))
	again := newWorkspace(t)
	w.must(store.Lay(tree, again.dir))
	if text, _ := os.ReadFile(again.path("data")); string(text) != "before" {
		t.Errorf("the next measurement gets %q", text)
	}
}

// A second measurement sends what changed since, and nothing else; equal files are sent once.
func TestOnlyChangesAreSent(t *testing.T) {
	w, store := newWorkspace(t), newStore(t)
	for i := range 50 {
		w.write(fmt.Sprint(i/2), fmt.Sprintf("f%d", i))
	}
	first := w.scan(Options{})
	if sent := send(t, w.source(first, Options{}), store, first.Hashes()); len(sent) != 25 {
		t.Errorf("the first time %d contents are sent, want 25", len(sent))
	}
	w.write("new", "f7", "f51")
	second := w.scan(Options{})
	if sent := send(t, w.source(second, Options{}), store, second.Hashes()); !slices.Equal(sent, []string{hashOf([]byte("new"))}) {
		t.Errorf("the second time %v are sent", sent)
	}
}

// readAll reads content from a source, as what sends it does.
func readAll(s *Source, hash string) (text string, size int64, err error) {
	r, size, err := s.Open(hash)
	if err != nil {
		return "", size, err
	}
	defer r.Close()
	all, err := io.ReadAll(r)
	return string(all), size, err
}
