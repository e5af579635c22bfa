//go:build linux || windows

package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A lock is held until the file is closed, also against the same process.
func TestTry(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	defer second.Close()
	if err := Try(first); err != nil {
		t.Fatal(err)
	}
	if err := Try(second); !errors.Is(err, ErrHeld) {
		t.Errorf("a held lock: %v", err)
	}
	first.Close()
	if err := Try(second); err != nil {
		t.Errorf("a lock that was released: %v", err)
	}
}

// Several hold a shared lock; nobody holds it beside that of Try.
func TestTryShared(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	var files [4]*os.File
	for i := range files {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	for _, f := range files[:2] {
		if err := TryShared(f); err != nil {
			t.Fatal(err)
		}
	}
	files[0].Close()
	if err := Try(files[2]); !errors.Is(err, ErrHeld) {
		t.Errorf("Try beside a shared lock: %v", err)
	}
	files[1].Close()
	if err := Try(files[2]); err != nil {
		t.Errorf("Try when all shared locks were released: %v", err)
	}
	if err := TryShared(files[3]); !errors.Is(err, ErrHeld) {
		t.Errorf("TryShared beside the lock of Try: %v", err)
	}
}
