//go:build unix

package regularfile_test

import (
	"errors"
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

// Some files of the kernel are regular by their mode and keep their reader waiting all
// the same: a pipe stands for them, as what they hold is the whole machine's.
func TestReadingDoesNotWait(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := regularfile.OpenWithoutWaiting(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if n, err := f.Read(make([]byte, 1)); n != 0 || !errors.Is(err, syscall.EAGAIN) {
		t.Errorf("read %d bytes, %v; want that nothing is there yet", n, err)
	}
}

// A pipe with a writer is read where a user may name one, and a device is not.
func TestOpenStream(t *testing.T) {
	dir := t.TempDir()
	pipe, zero := filepath.Join(dir, "pipe"), filepath.Join(dir, "zero")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", zero); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, []byte("12345"), 0o600) }()
	f, err := regularfile.OpenStream(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := regularfile.ReadAll(f, pipe, 5); string(text) != "12345" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	want := zero + " is a device, must be a regular file or a pipe: remove it or put a file in its place"
	if _, err := regularfile.OpenStream(zero); err == nil || err.Error() != want {
		t.Errorf("%v, must be %s", err, want)
	}
}
