package scratch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell/note"
	"spell-lsp/spell/wording"
)

// folders returns the names in temp.
func folders(t *testing.T, temp string) []string {
	t.Helper()
	entries, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// environment empties the variables that decide where scratch folders are, and sets the
// given pairs of name and value.
func environment(t *testing.T, pairs ...string) {
	t.Helper()
	for _, name := range []string{"GOTMPDIR", "TMPDIR", "XDG_CACHE_HOME", "HOME"} {
		t.Setenv(name, "")
	}
	for i := 0; i < len(pairs); i += 2 {
		t.Setenv(pairs[i], pairs[i+1])
	}
}

// write makes files below dir; the names of folders end in /.
func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		var err error
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(file, 0o700)
		} else {
			err = os.WriteFile(file, nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Of the folders in the temporary folder, only abandoned ones with our mark are removed, and none
// that only has a similar name.
func TestOnlyOrphansAreRemoved(t *testing.T) {
	temp := t.TempDir()
	environment(t, "TMPDIR", temp)
	others := []string{"other", "spell-lsp-4194304", "spell-lsp-4194304-backup", prefix + "notes"}
	for _, name := range others {
		write(t, temp, name+"/")
	}
	write(t, temp, prefix+"orphan/overlay/", prefix+"orphan/"+mark)

	mine, err := New()
	if err != nil {
		t.Fatal(err)
	}
	removeOrphans(temp) // as another measurement would
	var left []string
	for _, name := range folders(t, temp) {
		if name != filepath.Base(mine.Dir) {
			left = append(left, name)
		}
	}
	if _, err := os.Stat(filepath.Join(mine.Dir, mark)); err != nil {
		t.Errorf("the folder of a measurement under way was removed: %v", err)
	}
	if diff := cmp.Diff(others, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	mine.Remove()
	if diff := cmp.Diff(others, folders(t, temp)); diff != "" {
		t.Errorf("left at the end (-want +got):\n%s", diff)
	}
}

// The scratch folder has an absolute path, because the go command runs in another folder.
func TestScratchIsAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "temp/")
	environment(t, "TMPDIR", "temp")
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Remove()
	if !filepath.IsAbs(s.Dir) || !strings.Contains(s.Dir, "temp") {
		t.Errorf("the folder is %s, want an absolute path in temp", s.Dir)
	}
}

// The scratch folder is where the user has set it, else in the cache folder, else in the
// temporary folder of the system.
func TestPlaceOfTheScratchFolder(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go/", "temp/", "cache/", "home/", "file")
	at := func(name string) string { return filepath.Join(root, name) }
	for _, test := range []struct {
		name  string
		given []string
		want  string // the folder, or the error
	}{
		{"GOTMPDIR, before TMPDIR", []string{"GOTMPDIR", at("go"), "TMPDIR", at("temp"), "HOME", at("home")}, at("go")},
		{"TMPDIR", []string{"TMPDIR", at("temp"), "HOME", at("home")}, at("temp")},
		{"the cache folder", []string{"XDG_CACHE_HOME", at("cache"), "HOME", at("home")}, at("cache/spell-lsp/scratch")},
		{"the cache folder in the home folder", []string{"HOME", at("home")}, at("home/.cache/spell-lsp/scratch")},
		{"no home folder", nil, os.TempDir()},
		{"a home folder that cannot be written", []string{"HOME", at("file")}, os.TempDir()},
		{"a cache folder that is relative", []string{"XDG_CACHE_HOME", "cache"}, os.TempDir()},
		{"TMPDIR does not exist: no other folder takes its place", []string{"TMPDIR", at("none"), "HOME", at("home")}, "TMPDIR=" + at("none") + ": open " + at("none") + ": no such file or directory: set TMPDIR to a folder that can be written"},
		{"GOTMPDIR is a file", []string{"GOTMPDIR", at("file"), "TMPDIR", at("temp")}, "GOTMPDIR=" + at("file") + ": open " + at("file") + ": not a directory: set GOTMPDIR to a folder that can be written"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.want == os.TempDir() && os.Getenv("TMPDIR") != "" {
				test.want = "/tmp" // the temporary folder without TMPDIR
			}
			environment(t, test.given...)
			s, err := New()
			if err != nil {
				if !strings.HasSuffix(err.Error(), test.want) {
					t.Errorf("the error is %v, want %s", err, test.want)
				}
				return
			}
			defer s.Remove()
			if got := filepath.Dir(s.Dir); got != test.want {
				t.Errorf("the folder is in %s, want %s", got, test.want)
			}
			if err := s.Unsafe(); err != nil {
				t.Errorf("the folder counts as unsafe: %v", err)
			}
			if info, err := os.Stat(s.Dir); err != nil || info.Mode().Perm() != private {
				t.Errorf("the folder is %v, %v; want it private", info, err)
			}
		})
	}
}

// A cache folder that others can write to is not used. A TMPDIR that others can write to is used,
// with a warning.
func TestPlacesThatOthersCanWrite(t *testing.T) {
	shared := t.TempDir()
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	environment(t, "XDG_CACHE_HOME", shared)
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	s.Remove()
	if got := filepath.Dir(s.Dir); got != os.TempDir() || len(folders(t, shared)) > 0 {
		t.Errorf("the folder is in %s, and the cache folder contains %s", got, folders(t, shared))
	}
	environment(t, "TMPDIR", shared)
	if s, err = New(); err != nil {
		t.Fatal(err)
	}
	s.Remove()
	if err := s.Unsafe(); err == nil {
		t.Error("the folder counts as safe")
	} else if w := wording.Text(note.ScratchShared(err.Error())); !strings.Contains(w, shared) || !strings.Contains(w, "everybody can write") || !strings.Contains(w, "set GOTMPDIR") {
		t.Errorf("warning: %q", w)
	}
}

// Folders that earlier versions left in the temporary folder are removed, although this version
// makes none there.
func TestOrphansOfEarlierVersionsAreRemoved(t *testing.T) {
	orphan, err := os.MkdirTemp("/tmp", prefix) // the temporary folder when TMPDIR is empty
	if err != nil {
		t.Fatal(err)
	}
	write(t, orphan, "overlay/a.go", mark)
	defer os.RemoveAll(orphan)
	environment(t, "XDG_CACHE_HOME", t.TempDir())
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	s.Remove()
	if _, err := os.Stat(orphan); err == nil {
		t.Error("the folder is still there")
	}
}

// swapped arranges that a folder is swapped once, between its check and its use, as another user with
// write permission could do. It returns a file of the victim, where the swapped name leads.
func swapped(t *testing.T, name func() string, swap func(name, victim string) error) (file string) {
	t.Helper()
	victim := filepath.Join(t.TempDir(), "ssh")
	write(t, victim, "id_rsa", "keys/more")
	once := false
	lookedAt = func() {
		if !once {
			once = true
			if err := swap(name(), victim); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(func() {
		lookedAt = func() {}
		if !once {
			t.Error("nothing was swapped, so the test shows nothing")
		}
	})
	return filepath.Join(victim, "id_rsa")
}

// swaps are the ways in which another user can make a name lead to the victim's folder.
var swaps = map[string]func(name, victim string) error{
	"a link": func(name, victim string) error {
		if err := os.Rename(name, name+"-away"); err != nil {
			return err
		}
		return os.Symlink(victim, name)
	},
	"a relative link": func(name, victim string) error {
		near := filepath.Join(filepath.Dir(name), "near")
		if err := os.Rename(name, name+"-away"); err != nil {
			return err
		}
		if err := os.Symlink("near", name); err != nil {
			return err
		}
		return os.Symlink(victim, near)
	},
	"the folder itself": func(name, victim string) error {
		if err := os.Rename(name, name+"-away"); err != nil {
			return err
		}
		return os.Rename(victim, name)
	},
}

// keeps fails if the victim's file is neither in its place nor where the swap moved it.
func keeps(t *testing.T, name, file string) {
	t.Helper()
	for _, at := range []string{file, filepath.Join(name, filepath.Base(file))} {
		if _, err := os.Stat(at); err == nil {
			return
		}
	}
	t.Errorf("the victim's file %s was deleted", file)
}

// After an abandoned folder was found, and before it is removed, its name is made to lead to ~/.ssh.
// No file there may be removed.
func TestOrphanIsSwappedBeforeItIsRemoved(t *testing.T) {
	for how, swap := range swaps {
		t.Run(how, func(t *testing.T) {
			temp := t.TempDir()
			name := filepath.Join(temp, prefix+"orphan")
			write(t, name, "overlay/a.go", mark)
			file := swapped(t, func() string { return name }, swap)
			removeOrphans(temp)
			keeps(t, name, file)
			if left := folders(t, name+"-away"); len(left) > 0 {
				t.Errorf("the content of the abandoned folder is not removed: %s", left)
			}
		})
	}
}

// After the scratch folder was made, and before it is opened, its name is made to lead to ~/.ssh.
// That is an error, and no file there may be removed.
func TestScratchIsSwappedBeforeItIsOpened(t *testing.T) {
	for how, swap := range swaps {
		t.Run(how, func(t *testing.T) {
			temp := t.TempDir()
			environment(t, "TMPDIR", temp)
			made := func() string { return filepath.Join(temp, folders(t, temp)[0]) }
			var name string
			file := swapped(t, made, func(n, victim string) error { name = n; return swap(n, victim) })
			s, err := New()
			if err == nil {
				s.Remove()
				t.Error("another user's folder was taken for the new one")
			}
			keeps(t, name, file)
		})
	}
}

// Before the scratch folder is removed at the end, its name is made to lead to ~/.ssh. No file there
// may be removed.
func TestScratchIsSwappedBeforeItIsRemoved(t *testing.T) {
	for how, swap := range swaps {
		t.Run(how, func(t *testing.T) {
			environment(t, "TMPDIR", t.TempDir())
			s, err := New()
			if err != nil {
				t.Fatal(err)
			}
			write(t, s.Dir, "overlay/a.go")
			file := swapped(t, func() string { return s.Dir }, swap)
			lookedAt()
			s.Remove()
			keeps(t, s.Dir, file)
			if left := folders(t, s.Dir+"-away"); len(left) > 0 {
				t.Errorf("left: %s", left)
			}
		})
	}
}

// A folder with our mark is removed only if nobody else can have made the mark.
func TestFoldersThatAreNotAbandoned(t *testing.T) {
	for _, test := range []struct {
		name string
		make func(dir string) error
	}{
		{"others can write to the folder", func(dir string) error { return os.Chmod(dir, 0o777) }},
		{"the mark is a folder", func(dir string) error {
			mark := filepath.Join(dir, mark)
			if err := os.Remove(mark); err != nil {
				return err
			}
			return os.Mkdir(mark, 0o700)
		}},
		{"the mark is another machine's, whose lock is not seen here", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, mark), []byte("another"), 0o600)
		}},
		{"the folder is another user's", func(dir string) error {
			if os.Geteuid() != 0 {
				return os.Chmod(dir, 0o777) // only root can change the owner: as in the first case
			}
			return os.Chown(dir, 4711, 4711)
		}},
		{"the mark is another user's", func(dir string) error {
			if os.Geteuid() != 0 {
				return os.Chmod(dir, 0o777)
			}
			return os.Chown(filepath.Join(dir, mark), 4711, 4711)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			temp := t.TempDir()
			dir := filepath.Join(temp, prefix+"x")
			write(t, dir, "precious", mark)
			if err := test.make(dir); err != nil {
				t.Fatal(err)
			}
			removeOrphans(temp)
			if _, err := os.Stat(filepath.Join(dir, "precious")); err != nil {
				t.Error("the folder was removed")
			}
		})
	}
}

// The lock of another machine is not seen here, so the age of the mark is decisive: no measurement
// takes that long.
func TestOldFoldersOfOtherMachinesAreRemoved(t *testing.T) {
	temp := t.TempDir()
	dir := filepath.Join(temp, prefix+"x")
	write(t, dir, "overlay/a.go", mark)
	mark := filepath.Join(dir, mark)
	if err := os.WriteFile(mark, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-abandonedAfter - time.Hour)
	if err := os.Chtimes(mark, then, then); err != nil {
		t.Fatal(err)
	}
	removeOrphans(temp)
	if left := folders(t, temp); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
}
