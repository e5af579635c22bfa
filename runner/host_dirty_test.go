package runner

import (
	"os"
	"path/filepath"
	"testing"
)

// A run with unsaved text does not show the commit: the workspace counts as changed.
func TestUnsavedTextIsAChange(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(name, []byte("package a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"package a\n": false, "package b\n": true} {
		if got := unsaved(map[string][]byte{name: []byte(text)}); got != want {
			t.Errorf("a buffer with %q counts as unsaved: %t", text, got)
		}
	}
	if !unsaved(map[string][]byte{name + "x": nil}) {
		t.Error("a buffer without a file does not count as unsaved")
	}
}
