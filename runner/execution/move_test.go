package execution

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spell-lsp/instrument"
)

// Why: what is known of a program from earlier measurements is found by its hash, and a folder of other measurements
// had another name.
func TestMovedProgramIsTheSame(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.test")
	if err := os.WriteFile(file, []byte("a program"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := Built(instrument.Package{Path: "example.com/p"}, file)
	hash := func() string {
		var b strings.Builder
		if err := p.Hash(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := hash(); got != "a program" {
		t.Errorf("before: %q", got)
	}
	if err := p.Move("/home/joe/m", "/tmp/x", "its hash"); err != nil {
		t.Fatal(err)
	}
	if got := hash(); got != "its hash" {
		t.Errorf("after: %q", got)
	}
	if err := p.Move("/m", "/tmp/x", ""); err == nil || !strings.Contains(err.Error(), "example.com/p: ") {
		t.Errorf("a name that is too long: %v", err)
	}
	gone := Built(p.Package, file+".gone")
	if err := gone.Move("/home/joe/m", "/tmp/x", ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
}
