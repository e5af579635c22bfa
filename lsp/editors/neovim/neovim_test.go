//go:build unix

// Package neovim_test runs a real Neovim.
package neovim_test

import (
	"testing"

	"spell-lsp/internal/editorrig"
)

var script = editorrig.Script{
	Command: []string{"nvim", "--clean", "--headless", "-c", "luafile measure.lua"},
	Log:     "nvim/lsp.log",
}

// With Neovim's own client, a measurement of the example shows its costly functions, and changes
// none of its files.
func TestMeasure(t *testing.T) { script.Measures(t) }

// A program and a service are measured from above main and by commands, with a live ranking.
func TestProgram(t *testing.T) {
	editorrig.Script{
		Command: []string{"nvim", "--clean", "--headless", "-c", "luafile program.lua"},
		Log:     "nvim/lsp.log",
	}.Measures(t)
}

// The command and the setting measure on another machine; its runs and their hovers say so.
func TestMachine(t *testing.T) {
	editorrig.Script{
		Command: []string{"nvim", "--clean", "--headless", "-c", "luafile machine.lua"},
		Log:     "nvim/lsp.log", Target: true,
	}.Measures(t)
}

// The lens and the hover of a function say how its cost grows.
func TestGrowth(t *testing.T) {
	editorrig.Script{
		Command: []string{"nvim", "--clean", "--headless", "-c", "luafile growth.lua"},
		Log:     "nvim/lsp.log",
	}.Measures(t)
}

// The script must fail soon if the server shows nothing: otherwise its success proves nothing.
func TestSilentServer(t *testing.T) { script.Notices(t, "waited 2 s for initialize") }
