// Package interop tests that other programs understand what spell-lsp writes: their
// own readers read it. It is a module of its own, so that what these readers need is
// none of what spell-lsp needs.
package interop
