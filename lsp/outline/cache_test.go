package outline

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// writeOld writes a file with a modification time that is old enough to be trusted.
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

// Declarations are cached until their file changes, also if its text was dropped from the cache.
func TestDeclarationsAreKept(t *testing.T) {
	var c Cache
	path := filepath.Join(t.TempDir(), "a.go")
	writeOld(t, path, "package p\n\nfunc f() {}\n")
	first := c.Declarations(path)
	c.sources.known = nil // too many texts
	if again := c.Declarations(path); &again[0] != &first[0] || c.sources.known != nil {
		t.Error("the file was parsed again")
	}
	if err := os.WriteFile(path, []byte("package p\n\nfunc longer() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := c.Declarations(path); got[1].Name != "longer" {
		t.Errorf("after a change: %v", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := c.Declarations(path); got != nil {
		t.Errorf("after the file was removed: %v", got)
	}
}

// The files of a measurement are parsed before there is a result, unless the measurement was
// cancelled. A missing file is skipped.
func TestParseAhead(t *testing.T) {
	var c Cache
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	writeOld(t, path("a.go"), "package p\n\nfunc f() {}\n")
	writeOld(t, path("b.go"), "package p\n")
	ParseAhead(t.Context(), []string{path("gone.go"), path("a.go")}, c.Source)
	if found := c.sources.known[path("a.go")].value.outline; found == nil || len(found.Functions) == 0 {
		t.Errorf("found %+v", found)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	ParseAhead(ended, []string{path("b.go")}, c.Source)
	if found := c.sources.known[path("b.go")].value.outline; found != nil {
		t.Errorf("after cancellation: found %+v", found)
	}
}
