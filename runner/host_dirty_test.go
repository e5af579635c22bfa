package runner

import (
	"os"
	"path/filepath"
	"testing"
)

// A run with unsaved text is not a run of the commit.
func TestUnsavedTextIsAChange(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(name, []byte("package a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"package a\n": false, "package b\n": true} {
		if got := unsaved(map[string][]byte{name: []byte(text)}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !unsaved(map[string][]byte{name + "x": nil}) {
		t.Error("a file that is not there yet")
	}
}
