//go:build unix

package content

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"spell-lsp/internal/unprivileged"
	"spell-lsp/spell/ownership"
)

const closedFolders = "lay-out-closed-folders"

func init() { roles[closedFolders] = layClosed }

// Sockets and pipes are not opened, which could wait for ever, and are named. So are names that a list
// of files cannot carry.
func TestSkipped(t *testing.T) {
	w := newWorkspace(t)
	w.write("x", "a", "line\nbreak/inside", "bad\xffname", "d/e")
	w.must(syscall.Mkfifo(w.path("d/pipe"), 0o600))
	w.link("to\nnowhere", "link")
	w.must(os.Chdir(w.dir)) // the path of a socket is short
	defer os.Chdir("/")
	l, err := net.Listen("unix", "socket")
	w.must(err)
	defer l.Close()
	tree := w.scan(Options{})
	if got, want := listed(tree), "a d/ d/e"; got != want {
		t.Errorf("listed: %s, want %s", got, want)
	}
	if got, want := strings.Join(tree.Skipped, "|"), "bad\xffname|d/pipe|line\nbreak|link|socket"; got != want {
		t.Errorf("skipped: %q, want %q", got, want)
	}
}

// A pipe takes the place of a file after it was listed: nobody waits for what is written to it.
func TestPipeInThePlaceOfAFile(t *testing.T) {
	w := newWorkspace(t)
	w.write("x", "file")
	tree := w.scan(Options{})
	source := w.source(tree, Options{})
	w.must(os.Remove(w.path("file")))
	w.must(syscall.Mkfifo(w.path("file"), 0o600))
	defer func(f func()) { lookedAt = f }(lookedAt)
	lookedAt = func() { t.Error("the pipe is opened: whoever waits for a reader goes on") }
	if _, _, err := source.Open(tree.Entries[0].Hash); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	folder, err := os.OpenRoot(w.dir)
	w.must(err)
	defer folder.Close()
	if err := hashAll(t.Context(), folder, tree.Entries, nil); !errors.Is(err, ErrChanged) || !strings.HasPrefix(err.Error(), w.path("file")) {
		t.Error(err)
	}
}

// A link takes the place of a file after it was listed: what it leads to outside of the workspace is
// not sent.
func TestLinkInThePlaceOfAFile(t *testing.T) {
	w, other := newWorkspace(t), newWorkspace(t)
	w.write("x", "file", "d/file")
	other.write("x", "file", "secret")
	tree := w.scan(Options{})
	w.write("x", "ignored")
	for name, target := range map[string]string{"file": other.path("secret"), "d": other.dir, "inside": "ignored"} {
		w.must(os.RemoveAll(w.path(name)))
		w.link(target, name)
	}
	folder, err := os.OpenRoot(w.dir)
	w.must(err)
	defer folder.Close()
	for _, name := range []string{"file", "d/file", "inside"} {
		if err := hashAll(t.Context(), folder, []Entry{{Path: name, Kind: File}}, nil); err == nil || !strings.Contains(err.Error(), w.path(name)) {
			t.Errorf("%s: %v", name, err)
		}
		if text, size, err := readAll(w.source(Tree{Entries: []Entry{{Path: name, Kind: File, Size: 1, Hash: tree.Entries[1].Hash}}}, Options{}), tree.Entries[1].Hash); err == nil {
			t.Errorf("%s: %q, %d bytes were read by way of a link", name, text, size)
		}
	}
}

// The place of a file is taken just before it is opened, as by an editor that saves.
func TestSomethingElseIsOpened(t *testing.T) {
	defer func(f func()) { lookedAt = f }(lookedAt)
	outside := newWorkspace(t)
	outside.write("x", "file")
	for name, test := range map[string]struct {
		replace func(w workspace)
		fails   bool
	}{
		"a pipe":                      {func(w workspace) { w.must(os.Remove(w.path("file"))); w.must(syscall.Mkfifo(w.path("file"), 0o600)) }, true},
		"a link out of the workspace": {func(w workspace) { w.must(os.Remove(w.path("file"))); w.link(outside.path("file"), "file") }, true},
		"the same, saved again":       {func(w workspace) { w.must(os.Rename(w.path("saved"), w.path("file"))) }, false},
	} {
		w := newWorkspace(t)
		w.write("x", "file")
		tree := w.scan(Options{})
		w.write("x", "saved")
		lookedAt = func() { test.replace(w) }
		if text, _, err := readAll(w.source(tree, Options{}), tree.Entries[0].Hash); (err != nil) != test.fails {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		lookedAt = func() {}
	}
}

// What the user may not read ends the scan, with the name and what to do.
func TestUnreadable(t *testing.T) {
	dir := unprivileged.Dir(t)
	binary := unprivileged.CopyOfSelf(t, dir, "content.test")
	for name, spoil := range map[string]func(w workspace) string{
		"a file": func(w workspace) string {
			w.write("", "d/file")
			w.must(os.Chmod(w.path("d/file"), 0))
			return "d/file"
		},
		"a folder": func(w workspace) string { w.write("", "d/"); w.must(os.Chmod(w.path("d"), 0)); return "d" },
	} {
		w := workspace{t, filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))}
		w.must(os.Mkdir(w.dir, 0o700))
		w.must(os.Chmod(w.dir, 0o755))
		bad := spoil(w)
		cmd := exec.CommandContext(t.Context(), binary, reader, w.dir)
		unprivileged.Restrict(cmd)
		out, err := cmd.CombinedOutput()
		want := w.path(bad) + " cannot be read, so it cannot be sent: permission denied: give yourself permission to read it, or have git ignore it\n"
		if string(out) != want || err == nil {
			t.Errorf("%s: %s(%v)\nwant %s", name, out, err, want)
		}
		w.must(os.Chmod(w.path("d"), 0o700))
	}
}

// Folders get their permissions last and from the innermost on, or what is in them could not be made.
func TestFoldersWithoutPermissions(t *testing.T) {
	dir := unprivileged.Dir(t)
	temp := filepath.Join(dir, "temp")
	if err := errors.Join(os.Mkdir(temp, 0o700), os.Chmod(temp, 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), unprivileged.CopyOfSelf(t, dir, "content.test"), closedFolders, temp)
	unprivileged.Restrict(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// layClosed lays out folders that cannot be entered, and removes them again.
func layClosed(temp string) error {
	temp, err := os.MkdirTemp(temp, "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	s, err := OpenStore(context.Background(), filepath.Join(temp, "store"))
	if err != nil {
		return err
	}
	defer s.Close()
	dir := filepath.Join(temp, "dir")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := s.Put(emptyHash, 0, strings.NewReader("")); err != nil {
		return err
	}
	err = s.Lay(Tree{Entries: []Entry{
		{Path: "a", Kind: Folder}, {Path: "a/b", Kind: Folder}, {Path: "a/b/c", Kind: Folder, Perm: 0o400}, {Path: "a/b/f", Kind: File, Hash: emptyHash},
	}}, dir)
	info, statErr := os.Stat(filepath.Join(dir, "a"))
	if statErr == nil && info.Mode().Perm() != 0 {
		statErr = fmt.Errorf("a has %v", info.Mode())
	}
	for _, name := range []string{"a", "a/b", "a/b/c"} {
		_ = os.Chmod(filepath.Join(dir, name), 0o700) // so that it can be removed
	}
	return errors.Join(err, statErr)
}

// A store that others can change would have them choose what is executed: it is refused.
func TestStoreThatOthersCanChange(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	openStore(t, dir).Close()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	var open *ownership.Error
	if _, err := OpenStore(t.Context(), dir); !errors.As(err, &open) {
		t.Errorf("OpenStore: %v", err)
	}
	if _, err := Trim(dir, 0); !errors.As(err, &open) {
		t.Errorf("Trim: %v", err)
	}
}

// The umask of the target's user makes no difference to what is laid out.
func TestUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	w, store, dir := newWorkspace(t), newStore(t), newWorkspace(t)
	w.write("x", "a", "d/b")
	w.must(os.Chmod(w.path("a"), 0o666))
	w.must(os.Chmod(w.path("d"), 0o777))
	tree := w.scan(Options{})
	send(t, w.source(tree, Options{}), store, tree.Hashes())
	w.must(store.Lay(tree, dir.dir))
	if got, want := inventory(t, dir.dir), inventory(t, w.dir); got != want {
		t.Errorf("laid out:\n%s\nwant\n%s", got, want)
	}
}
