package goroot

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestCountingFitsThisGoVersion(t *testing.T) {
	files, err := CountTests(runtime.GOROOT()) //nolint:staticcheck // the tests run where Go is installed
	if err != nil {
		t.Fatal(err)
	}
	checkFiles(t, files)
}

// A release that has its counters elsewhere, or another package testing, is not counted, and the
// error says why.
func TestCountingIsRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := CountTests(dir); err == nil || !strings.Contains(err.Error(), "has no package internal/coverage/cfile") {
		t.Errorf("without the package the error is %v", err)
	}
	for file, text := range map[string]string{"internal/coverage/cfile/emit.go": "package cfile\n", "testing/testing.go": "package testing\n"} {
		name := filepath.Join(dir, "src", filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := CountTests(dir); err == nil || !strings.Contains(err.Error(), "has not the shape") {
		t.Errorf("with another package testing the error is %v", err)
	}
}
