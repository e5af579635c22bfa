package regularfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/spell/regularfile"
)

// A file is read to its last byte, also through a link, and no further than it
// may be.
func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(name, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := name + ".link"
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{name, link} {
		if got, err := regularfile.Read(n, 5); err != nil || string(got) != "12345" {
			t.Errorf("%s: %q, %v", n, got, err)
		}
		if got, err := regularfile.Read(n, 4); err == nil || got != nil || !strings.Contains(err.Error(), n) {
			t.Errorf("%s with one byte too many: %q, %v", n, got, err)
		}
	}
}

// Who asks for a file that need not be there must be able to tell.
func TestReadWhereNothingIs(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	if _, err := regularfile.Read(name, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A folder is said to be one: reading it gives an error that tells less.
func TestReadFolder(t *testing.T) {
	dir := t.TempDir()
	if _, err := regularfile.Read(dir, 1); err == nil || !strings.HasPrefix(err.Error(), dir+" is a folder, must be a regular file") {
		t.Error(err)
	}
}
