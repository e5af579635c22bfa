package lsptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BuildServer builds the command spell-lsp and returns the path of the binary, which
// is removed after the test. First it stats all folders of the module, so that go
// test does not reuse a cached result after a change of the sources.
func BuildServer(t testing.TB) string {
	t.Helper()
	mod, err := exec.CommandContext(t.Context(), "go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatalf("finding the module: %v", err)
	}
	err = filepath.WalkDir(filepath.Dir(strings.TrimSpace(string(mod))), func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatalf("looking at the module: %v", err)
	}
	binary := filepath.Join(t.TempDir(), "spell-lsp")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "spell-lsp/cmd/spell-lsp").CombinedOutput(); err != nil {
		t.Fatalf("building the server: %v\n%s", err, out)
	}
	return binary
}
