package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/spell/store"
)

// One file that cannot be read, whatever happened to it, must not hide the others.
// It is named, with what to do about it, and can be deleted.
func TestBadFiles(t *testing.T) {
	for _, test := range []struct {
		name   string
		harm   func(data []byte) []byte
		want   string
		listed bool // the header is right: only who loads the run notices
	}{
		{"empty", func([]byte) []byte { return nil }, "is not a saved run: delete the file; other runs are not affected", false},
		{"something else", func([]byte) []byte { return []byte("{}") }, "is not a saved run: delete the file", false},
		{"cut off", func(b []byte) []byte { return b[:len(b)-10] }, "is cut off: ", false},
		{"damaged header", func(b []byte) []byte { b[40] ^= 1; return b }, "the checksum of its header is wrong: delete the file", false},
		{"damaged contents", func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, "has a wrong checksum: delete the file", true},
		{"newer version", func(b []byte) []byte { binary.LittleEndian.PutUint32(b[8:], 2); return b }, "has version 2 of the form of saved runs, this program knows version 1: update spell-lsp to read it, or delete the file", false},
		{"version that was never", func(b []byte) []byte { binary.LittleEndian.PutUint32(b[8:], 0); return b }, "read it with the version of spell-lsp that wrote it, or delete the file", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := store.Open(t.TempDir())
			older, newest := runWith("20261120T180000Z-ffff", 1), runWith("20261120T180001Z-0000", 2)
			save(t, s, older)
			file := filepath.Join(s.Folder(workspace), "runs", save(t, s, newest)+".run")
			if err := os.WriteFile(file, test.harm(content(t, file)), 0o600); err != nil {
				t.Fatal(err)
			}
			check := func(what string, err error) {
				t.Helper()
				var bad *store.FileError
				if !errors.As(err, &bad) || bad.Path != file || !strings.Contains(err.Error(), file+" ") || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s: error %v, want %s of %s", what, err, test.want, file)
				}
			}
			check("Load", second(s.Load(workspace, newest.ID)))
			load(t, s, older.ID)
			entries, err := s.List(workspace)
			latest, ok, latestErr := s.Latest(workspace)
			if test.listed {
				if len(entries) != 2 || err != nil || latest.ID != newest.ID || latestErr != nil {
					t.Errorf("%d runs, errors %v and %v, latest %s", len(entries), err, latestErr, latest.ID)
				}
			} else {
				check("List", err)
				check("Latest", latestErr)
				check("SetBaseline", s.SetBaseline(workspace, "main", newest.ID))
				if len(entries) != 1 || !ok || latest.ID != older.ID {
					t.Errorf("%d runs, latest %s, want the older one", len(entries), latest.ID)
				}
			}
			if err := s.Delete(workspace, newest.ID); err != nil {
				t.Error(err)
			}
			if entries, err := s.List(workspace); len(entries) != 1 || err != nil {
				t.Errorf("after it was deleted: %d runs, error %v", len(entries), err)
			}
		})
	}
}

// A run under the name of another would be compared as that one.
func TestRunUnderAnotherName(t *testing.T) {
	s := store.Open(t.TempDir())
	id := save(t, s, runOf(1))
	runs := filepath.Join(s.Folder(workspace), "runs")
	wrong := "20261120T180000Z-0000"
	if err := os.WriteFile(filepath.Join(runs, wrong+".run"), content(t, filepath.Join(runs, id+".run")), 0o600); err != nil {
		t.Fatal(err)
	}
	want := `holds another run, "` + id + `"`
	if _, err := s.Load(workspace, wrong); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Load: error %v, want %s", err, want)
	}
	if entries, err := s.List(workspace); len(entries) != 1 || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("List: %d runs, error %v, want %s", len(entries), err, want)
	}
}

// What is no run is left alone; what has the name of one and is no file is named.
func TestOtherThingsInTheFolder(t *testing.T) {
	s := store.Open(t.TempDir())
	save(t, s, runOf(1))
	runs := filepath.Join(s.Folder(workspace), "runs")
	folder := filepath.Join(runs, "20261120T180000Z-0000.run")
	if err := errors.Join(os.WriteFile(filepath.Join(runs, "notes.txt"), nil, 0o600), os.Mkdir(folder, 0o700)); err != nil {
		t.Fatal(err)
	}
	entries, err := s.List(workspace)
	if len(entries) != 1 || err == nil || err.Error() != folder+" is not a regular file: delete the file; other runs are not affected" {
		t.Errorf("%d runs, error %v", len(entries), err)
	}
}

func content(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(data)
}

// Who can write the store could have a file made anywhere: with a link in the place of
// the lock. Nothing is saved then.
func TestALockThatIsALink(t *testing.T) {
	dir := t.TempDir()
	s := store.Open(dir)
	save(t, s, runWith("20261120T180000Z-0001", 1))
	lock := filepath.Join(s.Folder(workspace), "lock")
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := errors.Join(os.Remove(lock), os.Symlink(elsewhere, lock)); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(workspace, "", runWith("20261120T180001Z-0002", 1)); err == nil || !strings.Contains(err.Error(), lock) {
		t.Errorf("the error is %v, want one that names %s", err, lock)
	}
	if _, err := os.Lstat(elsewhere); err == nil {
		t.Error("a file was made where the link leads")
	}
}
