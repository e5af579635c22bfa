package jsonmatrix

import (
	"strings"
	"testing"
)

// An input that never ends has an error before the memory is full.
func TestTooManyCells(t *testing.T) {
	const cell = `{"t": 0, "c": 0, "n": 1, "time_ms": 1}`
	in := newReader(strings.NewReader(`{"cells": [`+cell+","+cell+","+cell+"]}"), 2)
	want := "there are more than 2 cells: divide the tests among several files"
	if err := in.document(); err == nil || err.Error() != want {
		t.Errorf("%v, must be %s", err, want)
	}
}
