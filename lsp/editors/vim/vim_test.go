// Package vim_test runs the Vim script, in the Vim that the other tests have:
// Neovim.
package vim_test

import (
	"os"
	"os/exec"
	"testing"
)

// What the user of Vim asks for must reach the server as it expects it, with
// any name of a file and of a function.
func TestSession(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs Neovim")
	}
	for _, name := range []string{"spell-lsp.vim", "session.vim", "testdata/autoload/lsp.vim"} {
		if _, err := os.ReadFile(name); err != nil { // a change of it makes go test run this again
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "nvim", "--clean", "--headless", "-c", "source session.vim")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("session.vim: %v\n%s", err, out)
	}
}
