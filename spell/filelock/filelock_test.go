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
