package goroot

import (
	"go/format"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestGorootEditsFitThisGoVersion(t *testing.T) {
	dir := runtime.GOROOT() //nolint:staticcheck // the tests run where Go is installed
	for _, plain := range []bool{false, true} {
		g, err := Edit(dir, runtime.Version(), plain)
		if err != nil {
			t.Fatal(err)
		}
		if !plain && g.Fallback != "" {
			t.Errorf("the runtime is not edited: %s", g.Fallback)
		}
		checkFiles(t, g.Texts)
	}
}

// checkFiles reports files that do not parse, or whose lines have moved.
func checkFiles(t *testing.T, files map[string][]byte) {
	t.Helper()
	for name, content := range files {
		if filepath.Ext(name) != ".go" {
			continue
		}
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

// A Go version with another shape must get the probe that does not need it, and
// the run must be able to say why, rather than a build that is wrong.
func TestUnknownRuntimesAreLeftAsTheyAre(t *testing.T) {
	installed := runtime.GOROOT() //nolint:staticcheck // the tests run where Go is installed
	dir := t.TempDir()
	for _, pkg := range []string{"runtime", "syscall", "testing"} {
		if err := os.CopyFS(filepath.Join(dir, "src", pkg), os.DirFS(filepath.Join(installed, "src", pkg))); err != nil {
			t.Fatal(err)
		}
	}
	write := func(file, text string) {
		if err := os.WriteFile(filepath.Join(dir, "src", filepath.FromSlash(file)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct{ version, file, why string }{
		"a release that was not tried":         {"go1.99.1", "", "the runtime of go1.99.1 is not known"},
		"a development version":                {"devel go1.27-abc", "", "not known"},
		"a function that has another shape":    {runtime.Version(), "runtime/rdebug.go", "setMaxStack has not the shape"},
		"a system call that has another shape": {runtime.Version(), "syscall/syscall_linux.go", "Syscall has not the shape"},
		"a type that is somewhere else":        {runtime.Version(), "runtime/runtime2.go", "g has not the shape"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.file != "" {
				original, err := os.ReadFile(filepath.Join(installed, "src", test.file))
				if err != nil {
					t.Fatal(err)
				}
				write(test.file, "package runtime\n")
				defer write(test.file, string(original))
			}
			g, err := Edit(dir, test.version, false)
			if err != nil {
				t.Fatal(err)
			}
			if g.Probe != plainProbe || !strings.Contains(g.Fallback, test.why) {
				t.Errorf("probe %s, because %q; want %s, because %q", g.Probe, g.Fallback, plainProbe, test.why)
			}
			for file := range g.Texts {
				if strings.Contains(file, "/runtime/") && filepath.Base(file) != "spell_lsp.go" {
					t.Errorf("%s is edited", file)
				}
			}
		})
	}
	write("testing/testing.go", "package testing\n")
	if _, err := Edit(dir, runtime.Version(), false); err == nil || !strings.Contains(err.Error(), "testing.go") || !strings.Contains(err.Error(), "not the shape") {
		t.Errorf("error is %v, want one that names the file of package testing and says that its shape is unknown", err)
	}
}
