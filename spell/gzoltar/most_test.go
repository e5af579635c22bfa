package gzoltar

import (
	"bufio"
	"strings"
	"testing"

	"spell-lsp/spell"
)

// An input that never ends has an error before the memory is full.
func TestTooManyCells(t *testing.T) {
	in := &reader{name: "matrix.txt", width: -1, most: 2, at: position{1, 1}, s: &Spectrum{Matrix: &spell.Matrix{}}}
	want := "matrix.txt:3:1: more than 2 components ran in tests; divide the tests among several files"
	if err := in.read(bufio.NewReader(strings.NewReader("1 +\n1 +\n1 +\n"))); err == nil || err.Error() != want {
		t.Errorf("%v, must be %s", err, want)
	}
}
