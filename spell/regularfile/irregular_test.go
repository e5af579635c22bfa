//go:build unix

package regularfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"spell-lsp/spell/regularfile"
)

// A pipe that nobody writes to would be waited for, a link to a device that has
// no end be read until the memory is full.
func TestReadWhatHasNoEnd(t *testing.T) {
	dir := t.TempDir()
	pipe, zero := filepath.Join(dir, "pipe"), filepath.Join(dir, "zero")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", zero); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{pipe: " is a named pipe, must be", zero: " is a device, must be"} {
		if _, err := regularfile.Read(name, 1<<20); err == nil || !strings.HasPrefix(err.Error(), name+want) {
			t.Errorf("must say %q: %v", want, err)
		}
	}
}
