// Package emacs_test drives a real Emacs with both of its clients.
package emacs_test

import (
	"os/exec"
	"testing"

	"spell-lsp/internal/editorrig"
)

// emacs starts an Emacs without the user's configuration, but with the packages
// that are installed for everybody.
func emacs(arguments ...string) []string {
	return append([]string{"emacs", "-q", "--batch", "--eval", "(progn (require 'package) (package-initialize))", "-L", "."}, arguments...)
}

var (
	eglot   = editorrig.Script{Command: emacs("-l", "measure-eglot.el")}
	lspMode = editorrig.Script{Command: emacs("-l", "measure-lsp-mode.el")}
)

// With eglot, a developer sees what to fix in the example. Not a byte of it is
// changed by that.
func TestEglot(t *testing.T) { eglot.Measures(t) }

// The same with lsp-mode, which shows lenses as well.
func TestLSPMode(t *testing.T) { lspMode.Measures(t) }

// The scripts must fail, and soon, where there is nothing to see: otherwise
// their success says nothing.
func TestEglotSilentServer(t *testing.T) { eglot.Notices(t, "Timed out") }

func TestLSPModeSilentServer(t *testing.T) { lspMode.Notices(t, "waited 2 s for the server") }

// A user's Emacs compiles the files and would show every warning.
func TestCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs Emacs")
	}
	for _, file := range []string{"spell-lsp.el", "spell-lsp-eglot.el", "spell-lsp-lsp-mode.el"} {
		into := `(setq byte-compile-error-on-warn t byte-compile-dest-file-function (lambda (_) "` + t.TempDir() + `/out.elc"))`
		cmd := emacs("--eval", into, "-f", "batch-byte-compile", file)
		if out, err := exec.CommandContext(t.Context(), cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
			t.Errorf("compiling %s: %v\n%s", file, err, out)
		}
	}
}
