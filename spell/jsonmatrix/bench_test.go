package jsonmatrix_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"

	"spell-lsp/spell"
	"spell-lsp/spell/jsonmatrix"
)

// dense is a matrix in which every test ran every component.
func dense(tests, components int) *spell.Matrix {
	m := &spell.Matrix{Domains: []spell.Domain{spell.CPU, spell.DRAM}}
	for t := range tests {
		m.Tests = append(m.Tests, "pkg.Test"+strconv.Itoa(t))
	}
	for c := range components {
		m.Components = append(m.Components, spell.Component{ID: "pkg.F" + strconv.Itoa(c), Kind: spell.KindFunction, Package: "pkg", File: "f.go", Line: c})
	}
	for t := range tests {
		for c := range components {
			x := float64(t*components + c)
			m.Add(spell.Cell{Test: int32(t), Component: int32(c), N: x, TimeMS: x / 1024}, x/4096, x/8192)
		}
	}
	return m
}

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	if err := jsonmatrix.Write(&text, dense(100, 1000), ""); err != nil {
		b.Fatal(err)
	}
	b.Run("jsonmatrix", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			if _, _, err := jsonmatrix.Read(bytes.NewReader(text.Bytes()), "m.json"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) { // the tokens alone
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			tokens := json.NewDecoder(bytes.NewReader(text.Bytes()))
			tokens.UseNumber()
			for {
				if _, err := tokens.Token(); err != nil {
					break
				}
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	m := dense(100, 1000)
	var text bytes.Buffer
	for b.Loop() {
		text.Reset()
		if err := jsonmatrix.Write(&text, m, ""); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(text.Len()))
}
