package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"spell-lsp/spell"
	"spell-lsp/spell/binmatrix"
	"spell-lsp/spell/record"
)

// inputs write the inputs of spell-lsp analyze for the table analysis, by the name of
// the file. The bytes are always the same.
var inputs = map[string]func(w *bufio.Writer) error{
	"100x1000.spell":         func(w *bufio.Writer) error { return denseMatrix(w, 100, 1_000) },
	"1000x10000.spell":       func(w *bufio.Writer) error { return denseMatrix(w, 1_000, 10_000) },
	"10000x100000.spellbin":  func(w *bufio.Writer) error { return sparseMatrix(w, 10_000, 100_000, 5_000) },
	"2-million-events.trace": func(w *bufio.Writer) error { return manyCalls(w, 100, 10_000) },
	"million-deep.trace":     func(w *bufio.Writer) error { return deepCalls(w, 1_000_000) },
}

// writeInput writes the input that has the name of the file.
func writeInput(name string) (err error) {
	write := inputs[filepath.Base(name)]
	if write == nil {
		return fmt.Errorf("%q is no input: there are %q", filepath.Base(name), inputNames())
	}
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("creating an input: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := bufio.NewWriterSize(file, 1<<20)
	if err := write(w); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return w.Flush()
}

func inputNames() []string {
	var names []string
	for name := range inputs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// denseMatrix is in the toolkit's format: every test runs every component.
func denseMatrix(w *bufio.Writer, tests, components int) error {
	rng := rand.New(rand.NewPCG(1, 0))
	var line []byte
	for range tests {
		line = append(line[:0], "[ "...)
		for range components {
			line = append(line, "[ cpu = "...)
			line = micro(line, 10_000_000+rng.Uint64N(90_000_000))
			line = append(line, ", ram = "...)
			line = micro(line, rng.Uint64N(10_000_000))
			line = append(line, ", n = "...)
			line = strconv.AppendUint(line, 1+rng.Uint64N(99), 10)
			line = append(line, ", t = "...)
			line = micro(line, rng.Uint64N(100_000_000))
			line = append(line, " ] "...)
		}
		line = append(line, "]\n"...)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// micro appends a number of millionths as a decimal.
func micro(line []byte, millionths uint64) []byte {
	line = strconv.AppendUint(line, millionths/1_000_000, 10)
	line = append(line, '.')
	fraction := strconv.AppendUint(nil, 1_000_000+millionths%1_000_000, 10) // a 1 before six digits
	return append(line, fraction[1:]...)
}

// sparseMatrix is in spell-lsp's binary format. Each test runs the given number of
// components; values span six orders of magnitude, as those of functions do.
func sparseMatrix(w io.Writer, tests, components, each int) error {
	rng := rand.New(rand.NewPCG(2, 0))
	m := &spell.Matrix{
		Domains: []spell.Domain{spell.CPU},
		Cells:   make([]spell.Cell, 0, tests*each), Energy: make([]float64, 0, tests*each),
	}
	for j := range components {
		pkg := fmt.Sprintf("example.com/large/p%03d", j/200)
		m.Components = append(m.Components, spell.Component{
			ID: fmt.Sprintf("%s.(*Type%d).Method%d", pkg, j/20, j), Kind: spell.KindFunction, Package: pkg,
			File: fmt.Sprintf("p%03d/type%d.go", j/200, j/20), Line: 10 + 30*(j%20), Column: 18,
		})
	}
	value := func() float64 { return math.Exp2(20*rng.Float64() - 10) }
	for i := range tests {
		m.Tests = append(m.Tests, fmt.Sprintf("example.com/large.Test%d", i))
		for k := range each {
			j := k*(components/each) + rng.IntN(components/each)
			m.Add(spell.Cell{Test: int32(i), Component: int32(j), N: math.Ceil(value()), TimeMS: value()}, value())
		}
	}
	return binmatrix.Write(w, m, record.Measured)
}

// A tracer writes a trace in the toolkit's format, with readings that rise.
type tracer struct {
	w            *bufio.Writer
	rng          *rand.Rand
	energy, time uint64 // millionths
	line         []byte
}

func newTracer(w *bufio.Writer) *tracer {
	return &tracer{w: w, rng: rand.New(rand.NewPCG(3, 0))}
}

// event writes an entry, '>', or an exit, '<', of a function; an error shows
// when w is flushed.
func (t *tracer) event(kind byte, function int) {
	t.time += 1 + t.rng.Uint64N(1_000)
	t.energy += t.rng.Uint64N(20)
	t.line = append(t.line[:0], kind, ' ', 'f')
	t.line = strconv.AppendInt(t.line, int64(function), 10)
	t.line = append(t.line, " [ m = large, t = "...)
	t.line = micro(t.line, t.time)
	t.line = append(t.line, ", cpu = "...)
	t.line = micro(t.line, t.energy)
	t.line = append(t.line, " ]\n"...)
	t.w.Write(t.line) //nolint:errcheck // Flush tells
}

// manyCalls has the given number of tests and of calls in each, nested up to 50 deep.
func manyCalls(w *bufio.Writer, tests, calls int) error {
	t := newTracer(w)
	for test := range tests {
		if test > 0 {
			w.WriteString(";\n") //nolint:errcheck // Flush tells
		}
		var open []int
		for left := calls; left > 0 || len(open) > 0; {
			if left > 0 && len(open) < 50 && (len(open) == 0 || t.rng.IntN(2) == 0) {
				open = append(open, t.rng.IntN(1_000))
				t.event('>', open[len(open)-1])
				left--
				continue
			}
			t.event('<', open[len(open)-1])
			open = open[:len(open)-1]
		}
	}
	return nil
}

// deepCalls is one test, a recursion through a hundred functions.
func deepCalls(w *bufio.Writer, depth int) error {
	t := newTracer(w)
	for i := range depth {
		t.event('>', i%100)
	}
	for i := depth - 1; i >= 0; i-- {
		t.event('<', i%100)
	}
	return nil
}
