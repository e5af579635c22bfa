package lsp_test

import (
	"os"
	"regexp"
	"testing"
)

// The module proxy says that the latest version of go.lsp.dev/protocol is v0.12.0, from 2022.
// It lacks features that the server needs, and does not compile with this jsonrpc2. "go get -u"
// would choose it: this test notices that.
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
