// Package spell_lsp_probe is what instrumented functions call. It stands in GOROOT
// during an instrumented build only, so that every package of every module
// can import it, and has neither imports nor initialisation, so that the
// order in which packages are initialised stays what it was.
package spell_lsp_probe

import _ "unsafe" // for go:linkname

// A Frame is what Exit has to know of Enter.
type Frame struct {
	ran, wall        int64
	component, below uint32
}

// Enter notes that a function begins.
//
//go:linkname Enter runtime.spellEnter
func Enter(component uint32) Frame

// Literal notes that a function literal begins. Its time is its function's,
// but it is no call of it.
//
//go:linkname Literal runtime.spellLiteral
func Literal(component uint32) Frame

// Exit notes that the function, or literal, of the frame ends.
//
//go:linkname Exit runtime.spellExit
func Exit(Frame)
