package jsonmatrix

import (
	"io"
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

// A string that never ends has an error before the memory is full.
func TestTooLongToken(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("{\n"+`"x":"`), zeros{})
	want := "m.json:2:4: more than 16 MiB from here on are one string, number or blank: make it shorter"
	if _, _, err := Read(endless, "m.json"); err == nil || err.Error() != want {
		t.Errorf("%v, must be %s", err, want)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
