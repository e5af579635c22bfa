package instrument

import (
	"go/format"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestGorootEditsFitThisGoVersion(t *testing.T) {
	goroot := runtime.GOROOT() //nolint:staticcheck // the tests run where Go is installed
	files, err := gorootFiles(goroot)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if _, err := format.Source(content); err != nil {
			t.Errorf("%s does not parse after the edits: %v", name, err)
		}
		original, err := os.ReadFile(name)
		if err != nil {
			continue // one that is added
		}
		if a, b := strings.Count(string(original), "\n"), strings.Count(string(content), "\n"); a != b {
			t.Errorf("%s has %d lines after the edits, %d before: positions in stack traces move", name, b, a)
		}
	}
}

// A Go version with another shape must be refused by name, not built wrongly.
func TestGorootEditRefusesAnUnknownShape(t *testing.T) {
	root := t.TempDir()
	for _, e := range gorootEdits {
		name := filepath.Join(root, "src", filepath.FromSlash(e.file))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("package runtime\n\nfunc casgstatus()\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := gorootFiles(root)
	if err == nil || !strings.Contains(err.Error(), "runtime2.go") || !strings.Contains(err.Error(), "not the shape") {
		t.Errorf("error is %v, want one that names the file and says that its shape is unknown", err)
	}
}
