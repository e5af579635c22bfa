package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"spell-lsp/spell/ownership"
)

// links has links made in a folder of the test that, like /tmp, everybody can write.
func links(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	was := linkFolders
	linkFolders = func() []string { return []string{dir} }
	t.Cleanup(func() { linkFolders = was })
	return dir
}

func newFolder(t *testing.T) *Folder {
	t.Helper()
	s, err := makeFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Remove)
	return s
}

// Why: names in programs can only be replaced by shorter ones, so a folder gets a short name for as long as it lives.
func TestLink(t *testing.T) {
	dir, s := links(t), newFolder(t)
	write(t, s.Dir, "tree/file")
	for _, room := range []int{1, 2, 50} {
		name, err := s.Link(filepath.Join(s.Dir, "tree"), len(dir)+1+room)
		if err != nil || len(name) > len(dir)+1+min(room, longestLink) || filepath.Dir(name) != dir {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(name, "file")); err != nil {
			t.Error(err)
		}
	}
	if name, err := s.Link(s.Dir, len(dir)+1); err == nil {
		t.Errorf("the link %s is longer than it may be", name)
	}
	s.Remove()
	if left := folders(t, dir); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
}

// Why: another user may have made what has the name. It must neither be used nor removed.
func TestLinksOfOthers(t *testing.T) {
	dir, s := links(t), newFolder(t)
	const all = "0123456789abcdefghijklmnopqrstuvwxyz"
	for _, name := range all {
		write(t, dir, string(name))
	}
	if name, err := s.Link(s.Dir, len(dir)+2); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%q: %v", name, err)
	}
	name, err := s.Link(s.Dir, len(dir)+10)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(name), os.Symlink("/etc", name)); err != nil {
		t.Fatal(err)
	}
	s.Remove()
	if target, err := os.Readlink(name); target != "/etc" {
		t.Errorf("it was removed: %v", err)
	}
}

// Why: where everybody can replace a link, programs would read and write what another user wants.
func TestLinkThatOthersCouldReplace(t *testing.T) {
	dir, s := links(t), newFolder(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	unsafe := (*ownership.Error)(nil)
	if name, err := s.Link(s.Dir, 100); !errors.As(err, &unsafe) {
		t.Errorf("%q: %v", name, err)
	}
	none := filepath.Join(dir, "none")
	linkFolders = func() []string { return []string{none} }
	if name, err := s.Link(s.Dir, 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q: %v", name, err)
	}
	removeOrphanLinks(none) // nothing is there
}

// Why: in the user's own folder nobody else can put a file above the link, where programs may look for one. Where it is
// not there, or its name too long, all can still be measured.
func TestPlaceOfALink(t *testing.T) {
	own, s := t.TempDir(), newFolder(t)
	for _, test := range []struct {
		variable string
		longest  int
		want     string
	}{{own + "/", 200, own}, {own, len(own), "/tmp"}, {filepath.Join(own, "none"), 200, "/tmp"}, {"", 200, "/tmp"}, {"own", 200, "/tmp"}} {
		t.Setenv("XDG_RUNTIME_DIR", test.variable)
		if name, err := s.Link(s.Dir, test.longest); err != nil || filepath.Dir(name) != test.want {
			t.Errorf("with XDG_RUNTIME_DIR=%s: %q, %v", test.variable, name, err)
		}
	}
}

// Why: a process that is killed leaves its link. Others' links, and those that may still be used, stay.
func TestOrphanLinksAreRemoved(t *testing.T) {
	dir := links(t)
	there := filepath.Join(t.TempDir(), prefix+"there")
	write(t, there, "tree/")
	write(t, dir, "file")
	for name, to := range map[string]string{"orphan": "/gone/" + prefix + "1/tree", "new": "/gone/" + prefix + "2/tree", "used": there + "/tree", "other": "/gone/tree"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if name != "new" {
			age(t, filepath.Join(dir, name))
		}
	}
	removeOrphanLinks(dir)
	if diff := cmp.Diff([]string{"file", "new", "other", "used"}, folders(t, dir)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// age makes a link older than any measurement.
func age(t *testing.T, link string) {
	t.Helper()
	then := unix.NsecToTimeval(time.Now().Add(-abandonedAfter - time.Hour).UnixNano())
	if err := unix.Lutimes(link, []unix.Timeval{then, then}); err != nil {
		t.Fatal(err)
	}
}
