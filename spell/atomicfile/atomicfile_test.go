//go:build unix

package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func content(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// setUmask is of the process: tests that use it do not run in parallel.
func setUmask(t *testing.T, mask int) {
	old := syscall.Umask(mask)
	t.Cleanup(func() { syscall.Umask(old) })
}

func put(t *testing.T, name string, perm fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(name, []byte("old"), 0o600), os.Chmod(name, perm)); err != nil {
		t.Fatal(err)
	}
}

func modeOf(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// A user with umask 077 keeps results from others, one with 002 shares them with the
// group: a new file gets the permissions that touch would give it.
func TestNewFileHonoursTheUmask(t *testing.T) {
	for _, mask := range []int{0, 0o002, 0o022, 0o027, 0o077} {
		setUmask(t, mask)
		name := filepath.Join(t.TempDir(), "new")
		if err := Replace(name, content("x")); err != nil {
			t.Fatal(err)
		}
		if got, want := modeOf(t, name), 0o666&^fs.FileMode(mask); got != want {
			t.Errorf("umask %03o: mode %v, want %v", mask, got, want)
		}
	}
}

// Whatever the umask, a file that exists keeps the permissions that somebody gave it.
func TestExistingFileKeepsItsMode(t *testing.T) {
	setUmask(t, 0o077)
	for _, perm := range []fs.FileMode{0o600, 0o644, 0o640, 0o666, 0o755} {
		name := filepath.Join(t.TempDir(), "old")
		put(t, name, perm)
		if err := Replace(name, content("new")); err != nil {
			t.Fatal(err)
		}
		if got := modeOf(t, name); got != perm {
			t.Errorf("mode %v, want %v", got, perm)
		}
		if text, _ := os.ReadFile(name); string(text) != "new" {
			t.Errorf("the file has %q", text)
		}
	}
}

// "sudo spell-lsp report -o FILE" must not take the file from its owner.
func TestExistingFileKeepsItsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may give files away")
	}
	name := filepath.Join(t.TempDir(), "theirs")
	put(t, name, 0o640)
	if err := os.Chown(name, 4711, 4712); err != nil {
		t.Skipf("this file system has one owner: %v", err)
	}
	if err := Replace(name, content("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 4711 || st.Gid != 4712 || info.Mode() != 0o640 {
		t.Errorf("owner %d:%d, mode %v; want 4711:4712, 0640", st.Uid, st.Gid, info.Mode())
	}
}

// Where the group cannot be kept, what its members might do becomes no right of another
// group.
func TestLimited(t *testing.T) {
	for perm, want := range map[fs.FileMode]fs.FileMode{0o660: 0o600, 0o640: 0o600, 0o644: 0o644, 0o664: 0o644, 0o600: 0o600, 0o755: 0o755, 0o606: 0o606} {
		if got := limited(perm); got != want {
			t.Errorf("%v becomes %v, want %v", perm, got, want)
		}
	}
}

// What fails half way leaves the old file as it was, and nothing beside it.
func TestFailureLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "old")
	put(t, name, 0o644)
	broken := errors.New("broken")
	err := Replace(name, func(w io.Writer) error { return errors.Join(content("half")(w), broken) })
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if text, _ := os.ReadFile(name); string(text) != "old" {
		t.Errorf("the file has %q", text)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
}

// A name may be as long as the file system allows: that of the temporary file is not
// made from it.
func TestLongestName(t *testing.T) {
	name := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	target, err := Find(name)
	if err == nil {
		err = errors.Join(target.Check(), target.Write(content("x")))
	}
	if err != nil {
		t.Error(err)
	}
}

func TestReplacePrivate(t *testing.T) {
	setUmask(t, 0)
	dir := t.TempDir()
	name := filepath.Join(dir, "shared")
	put(t, name, 0o666)
	err := ReplacePrivate(name, ".mine-", func(w io.Writer) error {
		if files, _ := filepath.Glob(filepath.Join(dir, ".mine-*")); len(files) != 1 || modeOf(t, files[0]) != 0o600 {
			t.Errorf("while it is written there is %v", files)
		}
		return content("new")(w)
	})
	if err != nil || modeOf(t, name) != 0o600 {
		t.Errorf("mode %v, %v", modeOf(t, name), err)
	}
}

// Errors that come before a measurement begins, and what they leave.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	fresh := filepath.Join(dir, "fresh")
	if err := os.Symlink(fresh, link); err != nil {
		t.Fatal(err)
	}
	target, err := Find(link)
	if err == nil {
		err = target.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("a check leaves %v", files)
	}
	if err := target.Write(content("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}
	if text, _ := os.ReadFile(fresh); string(text) != "x" {
		t.Errorf("what the link leads to has %q", text)
	}
	for name, want := range map[string]string{
		dir: "is a folder", filepath.Join(dir, "missing", "f"): "there is no folder",
	} {
		target, err := Find(name)
		if err == nil {
			err = target.Check()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
