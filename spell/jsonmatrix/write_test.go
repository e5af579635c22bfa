package jsonmatrix_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spell-lsp/spell"
	"spell-lsp/spell/csvmatrix"
	"spell-lsp/spell/jsonmatrix"
	"spell-lsp/spell/record"
)

func write(t *testing.T, m *spell.Matrix, origin record.Source) string {
	t.Helper()
	var b bytes.Buffer
	if err := jsonmatrix.Write(&b, m, origin); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Fatalf("not JSON:\n%s", b.String())
	}
	return b.String()
}

// The form is one that other tools read and that line by line differences show.
func TestWrite(t *testing.T) {
	const want = `{
 "schema": "spell-lsp/matrix/v1",
 "energy": "measured",
 "domains": [
  "dram",
  "cpu"
 ],
 "tests": [
  "t1",
  "say \"hi\"\u0009\\ ü",
  "none"
 ],
 "components": [
  "c1",
  {"id":"pkg.F","kind":"function","package":"pkg","file":"a b.go","hash":"0a","line":3,"column":6,"end_line":9},
  {"id":"none","file":"ü.py"}
 ],
 "cells": [
  {"t":1,"c":1,"n":1,"time_ms":2.5,"energy_j":{"dram":0,"cpu":0.1}},
  {"t":0,"c":1,"n":1e+07,"time_ms":0,"energy_j":{"dram":1e-09,"cpu":7}},
  {"t":0,"c":0,"n":0.5,"time_ms":3,"energy_j":{"dram":2,"cpu":3}}
 ]
}
`
	if diff := cmp.Diff(want, write(t, small(), record.Measured)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteNothing(t *testing.T) {
	none := small()
	none.Domains, none.Energy = nil, nil
	none.Tests, none.Components, none.Cells = none.Tests[:1], none.Components[:1], none.Cells[2:]
	none.Cells[0].Component = 0
	const head = "{\n \"schema\": \"spell-lsp/matrix/v1\",\n "
	for _, test := range []struct {
		m      *spell.Matrix
		origin record.Source
		want   string
	}{
		{&spell.Matrix{}, "", head + "\"domains\": [],\n \"tests\": [],\n \"components\": [],\n \"cells\": []\n}\n"},
		{&spell.Matrix{}, record.Estimated, head + "\"energy\": \"estimated\",\n \"domains\": [],\n \"tests\": [],\n \"components\": [],\n \"cells\": []\n}\n"},
		{none, record.NoEnergy, head + "\"domains\": [],\n \"tests\": [\n  \"t1\"\n ],\n \"components\": [\n  \"c1\"\n ],\n \"cells\": [\n  {\"t\":0,\"c\":0,\"n\":0.5,\"time_ms\":3}\n ]\n}\n"},
	} {
		if diff := cmp.Diff(test.want, write(t, test.m, test.origin)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// sameAfter reports what is not the same in m after it was written and read.
func sameAfter(t *testing.T, m *spell.Matrix, origin record.Source) {
	t.Helper()
	got, gotOrigin, err := jsonmatrix.Read(strings.NewReader(write(t, m, origin)), "m.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got, bits); diff != "" || gotOrigin != origin {
		t.Errorf("origin %q of %q, matrix (-want +got):\n%s", gotOrigin, origin, diff)
	}
}

// bits tells -0 from 0.
var bits = cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })

// Every value comes back to the last bit, and so does every name and field.
func TestWriteLosesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := []float64{0, math.Copysign(0, -1), 1, 0.1, math.SmallestNonzeroFloat64, 1 << 53, spell.MaxValue, 123456789.125}
	value := func() float64 {
		if i := rng.IntN(2 * len(values)); i < len(values) {
			return values[i]
		}
		return math.Pow(10, 360*rng.Float64()-300)
	}
	for domains := range len(spell.Domains()) + 1 {
		m := &spell.Matrix{Domains: spell.Domains()[:domains:domains]}
		if domains == 0 {
			m.Domains = nil
		}
		for i := range 20 {
			m.Tests = append(m.Tests, "pkg.Test/\"x, \\y\"\x00\x7f\u2028</script> "+strconv.Itoa(i))
			m.Components = append(m.Components, spell.Component{ID: " pkg.(*T).M" + strconv.Itoa(i), File: "dir/ä;" + strconv.Itoa(i%3) + ".go", Line: i, Column: math.MaxInt32 - i})
			for j := range i {
				joules := make([]float64, domains)
				for d := range joules {
					joules[d] = value()
				}
				m.Add(spell.Cell{Test: int32(i), Component: int32(j), N: value(), TimeMS: value()}, joules...)
			}
		}
		sameAfter(t, m, record.Estimated)
	}
	sameAfter(t, small(), "")
	sameAfter(t, &spell.Matrix{Tests: []string{" "}, Components: []spell.Component{{ID: "\n", Kind: spell.KindBlock}}}, record.Measured)
}

// The published tables go through the format unchanged.
func TestWritePublishedTables(t *testing.T) {
	tables, err := filepath.Glob("../testdata/golden/*.csv")
	if err != nil || len(tables) == 0 {
		t.Fatalf("no published tables: %v", err)
	}
	for _, name := range tables {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, origin, err := csvmatrix.Read(bytes.NewReader(text), name)
		if err != nil {
			t.Fatal(err)
		}
		sameAfter(t, m, origin)
	}
}

// What could not be read again is not written.
func TestWriteRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(m *spell.Matrix)
		want   string
	}{
		{"not valid", func(m *spell.Matrix) { m.Cells[0].N = -1 }, `component "pkg.F": n is -1, must be a number from 0 to 1e+60`},
		{"unknown domain", func(m *spell.Matrix) { m.Domains[0] = "steam" }, `domain "steam" is not known, must be one of "cpu", "dram", "gpu", "disk", "fans" or "net"`},
		{"test without name", func(m *spell.Matrix) { m.Tests[2] = "" }, `the name of test 2, "", is empty, must be a name`},
		{"test that is not UTF-8", func(m *spell.Matrix) { m.Tests[2] = "\xff" }, `the name of test 2, "\xff", is not UTF-8, must be`},
		{"component without name", func(m *spell.Matrix) { m.Components[2].ID = "" }, `the name of component 2, "", is empty, must be a name`},
		{"unknown kind", func(m *spell.Matrix) { m.Components[2].Kind = "method" }, `component "none" is a "method", must be one of "package", "file", "type", "function", "block", "goroutine" or "label"`},
		{"file that is not UTF-8", func(m *spell.Matrix) { m.Components[1].File = "\xff" }, `the file of component "pkg.F" is "\xff", must be UTF-8`},
		{"package that is not UTF-8", func(m *spell.Matrix) { m.Components[1].Package = "\xff" }, `the package of component "pkg.F" is "\xff", must be UTF-8`},
		{"hash that is not UTF-8", func(m *spell.Matrix) { m.Components[1].Hash = "\xff" }, `the hash of component "pkg.F" is "\xff", must be UTF-8`},
		{"negative line", func(m *spell.Matrix) { m.Components[1].Line = -1 }, `the line of component "pkg.F" is -1, must be from 0 to 2147483647`},
		{"negative column", func(m *spell.Matrix) { m.Components[1].Column = -1 }, `the column of component "pkg.F" is -1, must be from 0 to 2147483647`},
		{"negative end", func(m *spell.Matrix) { m.Components[1].EndLine = -1 }, `the end_line of component "pkg.F" is -1, must be from 0 to 2147483647`},
	} {
		m := small()
		test.change(m)
		var b bytes.Buffer
		err := jsonmatrix.Write(&b, m, "")
		if err == nil || !strings.HasPrefix(err.Error(), "writing a matrix as JSON: ") || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.name, err, test.want)
		}
		if b.Len() > 0 {
			t.Errorf("%s: wrote %q all the same", test.name, b.String())
		}
	}
}

// A full takes so many bytes and no more.
type full struct{ left int }

var errFull = errors.New("disk full")

func (f *full) Write(p []byte) (int, error) {
	n := min(f.left, len(p))
	f.left -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

// An output that takes no more is reported, whether that shows on the way or
// at the end.
func TestWriteReportsTheOutputsError(t *testing.T) {
	large := small()
	for i := range 5000 {
		large.Tests = append(large.Tests, "u"+strconv.Itoa(i))
		large.Add(spell.Cell{Test: int32(i + 3)}, 1, 2)
	}
	for _, m := range []*spell.Matrix{small(), large} {
		length := len(write(t, m, ""))
		for _, left := range []int{0, length / 2, length - 1} {
			if err := jsonmatrix.Write(&full{left}, m, ""); !errors.Is(err, errFull) {
				t.Errorf("%d bytes of %d: error %v, want %v", left, length, err, errFull)
			}
		}
		if err := jsonmatrix.Write(&full{length}, m, ""); err != nil {
			t.Error(err)
		}
	}
}
