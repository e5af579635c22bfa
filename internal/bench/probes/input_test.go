package main

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/binmatrix"
	"spell-lsp/spell/toolkit"
)

// written returns the bytes of an input.
func written(t *testing.T, write func(w *bufio.Writer) error) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	if err := write(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return &b
}

// Why: inputs must have the sizes that the table states, and always the same ones, or
// two measurements cannot be compared.
func TestInputsHaveTheirSize(t *testing.T) {
	type size struct {
		tests, components, cells int
		n                        float64 // executions, 0 = not known
	}
	readTrace := func(r io.Reader) (*spell.Matrix, error) {
		trace, err := toolkit.ReadTrace(r, "input", toolkit.TraceOptions{})
		if err != nil {
			return nil, err
		}
		return trace.Matrix, nil
	}
	tests := []struct {
		name  string
		write func(w *bufio.Writer) error
		read  func(r io.Reader) (*spell.Matrix, error)
		want  size
	}{
		{"dense", func(w *bufio.Writer) error { return denseMatrix(w, 3, 7) },
			func(r io.Reader) (*spell.Matrix, error) { return toolkit.ReadMatrix(r, "input") }, size{3, 7, 21, 0}},
		{"sparse", func(w *bufio.Writer) error { return sparseMatrix(w, 4, 50, 10) }, func(r io.Reader) (*spell.Matrix, error) {
			m, _, err := binmatrix.Read(r, "input")
			return m, err
		}, size{4, 50, 40, 0}},
		{"many calls", func(w *bufio.Writer) error { return manyCalls(w, 2, 20_000) }, readTrace, size{2, 1_000, 2_000, 40_000}},
		{"deep calls", func(w *bufio.Writer) error { return deepCalls(w, 1_000) }, readTrace, size{1, 100, 100, 1_000}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			first := written(t, test.write)
			if !bytes.Equal(first.Bytes(), written(t, test.write).Bytes()) {
				t.Error("written twice, the input differs")
			}
			m, err := test.read(first)
			if err != nil {
				t.Fatal(err)
			}
			got := size{tests: len(m.Tests), components: len(m.Components), cells: len(m.Cells)}
			for _, c := range m.Cells {
				if test.want.n > 0 {
					got.n += c.N
				}
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(size{})); diff != "" {
				t.Errorf("size (-want +got):\n%s", diff)
			}
		})
	}
}

// Why: every input of the table must be known by its name, and a mistyped name must
// be an error.
func TestInputsAreKnownByName(t *testing.T) {
	for _, f := range analysedFiles {
		if inputs[f.input] == nil {
			t.Errorf("%s cannot be written", f.input)
		}
	}
	err := writeInput(filepath.Join(t.TempDir(), "10x10.spell"))
	if err == nil || !strings.Contains(err.Error(), `"10x10.spell" is no input`) {
		t.Errorf("error %v, want one that names the inputs", err)
	}
}
