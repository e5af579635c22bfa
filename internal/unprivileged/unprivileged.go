// Package unprivileged lets tests that run as root start themselves as a user without
// privileges.
package unprivileged

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir makes a temporary folder that every user may enter.
func Dir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "unprivileged")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// CopyOfSelf copies the test binary to dir, where every user can start it, and returns
// its path. The umask does not matter.
func CopyOfSelf(t *testing.T, dir, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, text, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}
