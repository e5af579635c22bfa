// Package neovim_test drives a real Neovim.
package neovim_test

import (
	"testing"

	"spell-lsp/internal/editorrig"
)

var script = editorrig.Script{
	Command: []string{"nvim", "--clean", "--headless", "-c", "luafile measure.lua"},
	Log:     "nvim/lsp.log",
}

// With Neovim's own client, a developer sees what to fix in the example. Not a
// byte of it is changed by that.
func TestMeasure(t *testing.T) { script.Measures(t) }

// The script must fail, and soon, where there is nothing to see: otherwise its
// success says nothing.
func TestSilentServer(t *testing.T) { script.Notices(t, "waited 2 s for initialize") }
