package jsonmatrix

import (
	"strings"
	"testing"

	"spell-lsp/spell"
)

// An input that never ends has an error before the memory is full.
func TestTooManyCells(t *testing.T) {
	const cell = `{"t": 0, "c": 0, "n": 1, "time_ms": 1}`
	in := &reader{lexer: newLexer(strings.NewReader(`{"cells": [` + cell + "," + cell + "," + cell + "]}")), m: &spell.Matrix{}, most: 2}
	in.allDomains()
	want := "there are more than 2 cells: divide the tests among several files"
	if err := in.document(); err == nil || err.Error() != want {
		t.Errorf("%v, must be %s", err, want)
	}
}
