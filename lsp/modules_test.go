package lsp_test

import (
	"os"
	"regexp"
	"testing"
)

// The newest version of go.lsp.dev/protocol that the module proxy calls latest
// is v0.12.0, of 2022, which neither has what the server needs nor compiles
// with this jsonrpc2. An upgrade by "go get -u" must not go unnoticed.
func TestModuleVersions(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for module, want := range map[string]string{
		"go.lsp.dev/protocol": "v1.0.1", "go.lsp.dev/jsonrpc2": "v1.0.1", "go.lsp.dev/uri": "v1.0.1",
	} {
		found := regexp.MustCompile(`(?m)^\s*(?:require\s+)?`+regexp.QuoteMeta(module)+`\s+(\S+)`).FindAllSubmatch(mod, -1)
		if len(found) != 1 || string(found[0][1]) != want {
			t.Errorf("go.mod requires %s %q, must be %s", module, found, want)
		}
	}
}
