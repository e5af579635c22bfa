// Package vim_test runs the Vim script in Neovim, which the other tests need anyway.
package vim_test

import (
	"os"
	"os/exec"
	"testing"
)

// The commands of the Vim script must reach the server with valid arguments, whatever the names of
// files and functions.
func TestSession(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs Neovim")
	}
	for _, name := range []string{"spell-lsp.vim", "session.vim", "testdata/autoload/lsp.vim"} {
		if _, err := os.ReadFile(name); err != nil { // a change of this file must invalidate the test cache
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "nvim", "--clean", "--headless", "-c", "source session.vim")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("session.vim: %v\n%s", err, out)
	}
}
