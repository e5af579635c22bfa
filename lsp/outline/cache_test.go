package outline

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// write writes a file long enough ago for its time to tell whether it changes.
func writeOld(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-2 * settled)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

// What files declare is kept while they stay, also where their texts are too many.
func TestTraitsAreKept(t *testing.T) {
	var d Cache
	path := filepath.Join(t.TempDir(), "a.go")
	writeOld(t, path, "package p\n\nfunc f() {}\n")
	first := d.Declarations(path)
	d.files = nil // too many texts
	if again := d.Declarations(path); &again[0] != &first[0] || d.files != nil {
		t.Error("the file was parsed again")
	}
	if err := os.WriteFile(path, []byte("package p\n\nfunc longer() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := d.Declarations(path); got[1].Name != "longer" {
		t.Errorf("after a change: %v", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := d.Declarations(path); got != nil {
		t.Errorf("of a file that is gone: %v", got)
	}
}

// The functions of what is to be measured are found before there is a result, but of a
// cancelled measurement they are not, and a file that is gone is nothing.
func TestFilesAreLookedAtAhead(t *testing.T) {
	var d Cache
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	writeOld(t, path("a.go"), "package p\n\nfunc f() {}\n")
	writeOld(t, path("b.go"), "package p\n")
	ParseAhead(t.Context(), []string{path("gone.go"), path("a.go")}, d.Source)
	if found := d.files[path("a.go")].source.found; found == nil || len(found.Functions) == 0 {
		t.Errorf("found %+v", found)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	ParseAhead(ended, []string{path("b.go")}, d.Source)
	if found := d.files[path("b.go")].source.found; found != nil {
		t.Errorf("found %+v after the end", found)
	}
}
