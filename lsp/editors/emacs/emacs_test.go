//go:build unix

// Package emacs_test runs a real Emacs with both of its clients.
package emacs_test

import (
	"os/exec"
	"testing"

	"spell-lsp/internal/editorrig"
)

// emacs returns the command of an Emacs without the user's configuration, but with the packages
// that are installed for all users.
func emacs(arguments ...string) []string {
	return append([]string{"emacs", "-q", "--batch", "--eval", "(progn (require 'package) (package-initialize))", "-L", "."}, arguments...)
}

var (
	eglot   = editorrig.Script{Command: emacs("-l", "measure-eglot.el")}
	lspMode = editorrig.Script{Command: emacs("-l", "measure-lsp-mode.el")}
)

// With eglot, a measurement of the example shows its costly functions, and changes none of its
// files.
func TestEglot(t *testing.T) { eglot.Measures(t) }

// lsp-mode shows the same, and lenses.
func TestLSPMode(t *testing.T) { lspMode.Measures(t) }

// The scripts must fail soon if the server shows nothing: otherwise their success proves nothing.
func TestEglotSilentServer(t *testing.T) { eglot.Notices(t, "Timed out") }

func TestLSPModeSilentServer(t *testing.T) { lspMode.Notices(t, "waited 2 s for the server") }

// The files compile without warnings: a user's Emacs would show them.
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
