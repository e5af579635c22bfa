// Package binmatrix reads and writes a SPELL matrix in a binary form, for
// matrices of millions of cells: files of it end in .spellbin. It is read about
// as fast as the file, a flipped bit or a file that was cut off is found, and
// nothing is lost.
//
// All numbers are little-endian. A file is
//
//	offset  size
//	     0     8  "SPELLBIN"
//	     8     4  version, 1
//	    12     4  checksum of the header
//	    16     8  H, the length of the header in bytes, a multiple of 8
//	    24     8  C, the number of cells
//	    32     4  checksum of the bytes 0 to 31
//	    36     4  0
//	    40     H  header
//	  40+H        blocks of cells
//
// The header is JSON, the format of package jsonmatrix without cells: schema,
// energy, domains, tests and components. It is filled up with blanks.
//
// A block has [BlockCells] cells, the last one what is left; no cells, no block.
// A block of n cells of a matrix with D domains is
//
//	offset   size
//	     0   24*n  n times: test, int32; component, int32; executions, float64; milliseconds, float64
//	  24*n  8*D*n  n times: joules, D times float64, in the order of the domains
//	  then      4  checksum of the bytes before, in this block
//	  then      4  number of the block, from 0
//
// so that everything is aligned to 8 bytes. Checksums are CRC-32C (Castagnoli).
// Tests and components are indices into the lists of the header, from 0; the
// cells may be in any order, at most one for each test and component. Behind
// the last block the file ends.
package binmatrix

import (
	"hash/crc32"

	"spell-lsp/spell"
)

// BlockCells is the number of cells in each block but the last.
const BlockCells = 1 << 14

const (
	magic        = "SPELLBIN"
	version      = 1
	preludeBytes = 40 // before the header
	cellBytes    = 24
	jouleBytes   = 8
	trailerBytes = 8 // of a block
)

// A layout says where in a file the cells stand.
type layout struct {
	header  int64 // H
	domains int   // D
	cells   int   // C
}

func (l layout) blocks() int {
	blocks := l.cells / BlockCells
	if l.cells%BlockCells > 0 {
		blocks++
	}
	return blocks
}

// blockCells is the number of cells in a block.
func (l layout) blockCells(block int) int { return min(BlockCells, l.cells-block*BlockCells) }

// block is the offset of a block.
func (l layout) block(block int) int64 {
	size := BlockCells*int64(cellBytes+jouleBytes*l.domains) + trailerBytes
	return preludeBytes + l.header + int64(block)*size
}

// blockEnd is the offset behind a block.
func (l layout) blockEnd(block int) int64 {
	return l.block(block) + int64(l.blockCells(block))*int64(cellBytes+jouleBytes*l.domains) + trailerBytes
}

// cell is the offset of a cell.
func (l layout) cell(i int) int64 { return l.block(i/BlockCells) + int64(i%BlockCells)*cellBytes }

// joule is the offset of the energy of a cell in a domain.
func (l layout) joule(i, domain int) int64 {
	block := i / BlockCells
	before := l.blockCells(block)*cellBytes + (i%BlockCells*l.domains+domain)*jouleBytes
	return l.block(block) + int64(before)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is that of the bytes of a block.
func checksum(cells, joules []byte) uint32 {
	return crc32.Update(crc32.Checksum(cells, castagnoli), castagnoli, joules)
}

// emptied is m without its cells, which is what the header holds.
func emptied(m *spell.Matrix) *spell.Matrix {
	return &spell.Matrix{Domains: m.Domains, Tests: m.Tests, Components: m.Components}
}
