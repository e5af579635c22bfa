package store_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"spell-lsp/spell/store"
)

// A file that reached its limit, as of a quota, is a full disk: the run is not
// there, nothing of it is left, and the user is told what to do.
func TestSaveBeyondFileSize(t *testing.T) {
	dir := t.TempDir()
	s := store.Open(dir)
	saved := save(t, s, runOf(1))
	out, _ := child(t, "full", dir, newID()).Output() // that it failed is in what it prints
	for _, want := range []string{"saving run ", "file too large", "free some space for " + dir, "SPELL_LSP_DATA"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in what a full disk gives:\n%s", want, out)
		}
	}
	checkWhole(t, s, saved)
}

// saveWithLimit saves a large run where no file may be larger than 16 KiB.
func saveWithLimit(dir, id string) error {
	signal.Ignore(syscall.SIGXFSZ) // else the kernel ends the process, not the write
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 16 << 10, Max: 16 << 10}); err != nil {
		return err
	}
	return store.Open(dir).Save(workspace, "", runWith(id, 20_000))
}

// On a full disk a run is refused as a whole. What is there stays, and once there is
// space, as after a smaller run, all goes on.
func TestFullDisk(t *testing.T) {
	dir := mountMemory(t, "size=128k")
	s := store.Open(dir)
	saved := save(t, s, runOf(1))
	err := s.Save(workspace, "", runOf(20_000))
	if err == nil || !strings.Contains(err.Error(), "no space left on device: free some space for "+dir) {
		t.Errorf("saving on a full disk: %v", err)
	}
	checkWhole(t, s, saved)
	checkWhole(t, s, saved, save(t, s, runOf(2)))
}

// What was saved can be seen where nothing can be written.
func TestReadOnlyFolder(t *testing.T) {
	dir := mountMemory(t, "size=1m")
	s := store.Open(dir)
	saved := save(t, s, runOf(1))
	if err := s.SetBaseline(workspace, "main", saved); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"Save": s.Save(workspace, "", runOf(1)), "Save of another workspace": s.Save("/home/me/other", "", runOf(1)),
		"Delete": s.Delete(workspace, saved), "SetBaseline": s.SetBaseline(workspace, "other", saved), "RemoveBaseline": s.RemoveBaseline(workspace, "main"),
	} {
		if err == nil || !strings.Contains(err.Error(), "read-only file system: make "+dir) {
			t.Errorf("%s where nothing can be written: %v", name, err)
		}
	}
	checkWhole(t, s, saved)
	if id, err := s.Resolve(workspace, "main"); err != nil || id != saved {
		t.Errorf("baseline is %s, error %v", id, err)
	}
}

// mountMemory mounts a file system for the test.
func mountMemory(t *testing.T, options string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("only who may mount can fill a disk: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// checkWhole checks that there are these runs, complete, and nothing half there.
func checkWhole(t *testing.T, s *store.Store, want ...string) {
	t.Helper()
	entries, err := s.List(workspace)
	if err != nil {
		t.Error(err)
	}
	if len(entries) != len(want) {
		t.Errorf("%d runs are listed, want %d", len(entries), len(want))
	}
	for _, id := range want {
		load(t, s, id)
	}
	if left := unfinished(t, s); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func unfinished(t *testing.T, s *store.Store) []string {
	t.Helper()
	var left []string
	err := filepath.WalkDir(s.Folder(workspace), func(path string, _ os.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), ".new-") {
			left = append(left, path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return left
}
