// Package binmatrix reads and writes a SPELL matrix in a binary form, for
// matrices of millions of cells; file names end in .spellbin. Reading is about as fast as
// reading the file. Flipped bits and truncation are detected, and values are stored exactly.
//
// A file is a [sectionfile] with the magic "SPELLBIN" and the version 2. Its header
// says how many cells there are:
//
//	{"cells": 50000000}
//
// The first section, "matrix", is JSON in the format of package jsonmatrix, without cells:
// schema, energy, domains, tests and components. The other sections are named "cells" and
// have up to [BlockCells] cells each; there is none if there are no cells.
// The contents of a section of n cells of a matrix with D domains are, little-endian,
//
//	offset   size
//	     0   24*n  n times: test, int32; component, int32; executions, float64; milliseconds, float64
//	  24*n  8*D*n  n times: joules, D times float64, in the order of the domains
//
// Tests and components are indices into the lists of the first section, from 0; the
// cells may be in any order, at most one for each test and component.
//
// Cells are rows that are not deflated, unlike the columns of a saved run: they are
// decoded as fast as they are read.
package binmatrix

import (
	"encoding/binary"
	"fmt"
	"math"

	"spell-lsp/spell"
	"spell-lsp/spell/sectionfile"
)

// BlockCells is the number of cells in each section but the last.
const BlockCells = 1 << 14

var kind = sectionfile.Kind{Magic: "SPELLBIN", Version: 2, Name: "binary matrix", Plural: "binary matrices"}

const (
	matrixSection = "matrix"
	cellsSection  = "cells"
	cellBytes     = 24
	jouleBytes    = 8
)

// A summary is the header of a file.
type summary struct {
	Cells uint64 `json:"cells"`
}

// width is the size of a cell with its energy, in bytes.
func width(domains int) int { return cellBytes + jouleBytes*domains }

// appendCells appends the bytes of cells and their joules.
func appendCells(b []byte, cells []spell.Cell, joules []float64) []byte {
	for _, c := range cells {
		b = binary.LittleEndian.AppendUint32(b, uint32(c.Test))
		b = binary.LittleEndian.AppendUint32(b, uint32(c.Component))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(c.N))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(c.TimeMS))
	}
	for _, v := range joules {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// decode sets cells and their joules to what appendCells made of them.
func decode(b []byte, cells []spell.Cell, joules []float64) {
	for i := range cells {
		c := b[i*cellBytes:][:cellBytes]
		cells[i] = spell.Cell{
			Test:      int32(binary.LittleEndian.Uint32(c)),
			Component: int32(binary.LittleEndian.Uint32(c[4:])),
			N:         math.Float64frombits(binary.LittleEndian.Uint64(c[8:])),
			TimeMS:    math.Float64frombits(binary.LittleEndian.Uint64(c[16:])),
		}
	}
	b = b[len(cells)*cellBytes:]
	for i := range joules {
		joules[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[i*jouleBytes:]))
	}
}

// cellNames returns the n cells from one on as errors name them.
func cellNames(from, n int) string { return fmt.Sprintf("cells %d to %d", from, from+n-1) }
